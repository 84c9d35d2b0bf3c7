/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the tests of the trace calls */
#ifndef TRACE_TEST_H
#define TRACE_TEST_H

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/trace.h>

#include "kselftest_harness.h"

#define DEVICE "/dev/vcpc"

#define NEEDS_MODULE() do {							\
	if (access(DEVICE, F_OK))						\
		SKIP(return, "needs the vcpc module");				\
} while (0)

/*
 * Return the number of this process's descriptors of the module's device, and store the last one in
 * @fd.
 */
static inline int open_devices(int *fd)
{
	char link[64], target[64];
	struct dirent *entry;
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && (entry = readdir(dir))) {
		ssize_t len;

		snprintf(link, sizeof(link), "/proc/self/fd/%.20s", entry->d_name);
		len = readlink(link, target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		if (strcmp(target, DEVICE))
			continue;
		n++;
		if (fd)
			*fd = atoi(entry->d_name);
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Run @fn in a child.  Return its result, 0 to 200. */
static inline int in_child(int (*fn)(void *), void *arg)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(fn(arg));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 201;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 202;
}

#endif /* TRACE_TEST_H */
