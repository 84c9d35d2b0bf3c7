// SPDX-License-Identifier: LGPL-2.1-or-later
/* Kernel settings that decide which events a program can count, and how. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "sysctl.h"

/**
 * shim_sysctl__number() - read a number from a kernel file
 * @path: the file
 *
 * Return: the number, or -1 if the file cannot be read.
 */
long shim_sysctl__number(const char *path)
{
	char text[32];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	return strtol(text, NULL, 10);
}
