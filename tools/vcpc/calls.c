// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds trace calls in a program's file. */
#define _GNU_SOURCE	/* memmem */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"

static const char *const calls[] = { "pmtracebegin", "pmtracepoint", "pmtraceobs", "pmtracecounter" };

static bool has_calls(const char *program, size_t size)
{
	if (size < SELFMAG || memcmp(program, ELFMAG, SELFMAG))
		return false;
	/* with the byte that ends it: an entry of a table of strings */
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (memmem(program, size, calls[i], strlen(calls[i]) + 1))
			return true;
	return false;
}

bool vcpc_makes_trace_calls(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = false;
	struct stat file;
	void *program;

	if (fd < 0)
		return false;
	if (!fstat(fd, &file) && S_ISREG(file.st_mode) && file.st_size > 0) {
		program = mmap(NULL, file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (program != MAP_FAILED) {
			found = has_calls(program, file.st_size);
			munmap(program, file.st_size);
		}
	}
	close(fd);
	return found;
}
