/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Use two pipes to control a child that calls execve. */
#ifndef VCPC_TEST_EXEC_CHILD_H
#define VCPC_TEST_EXEC_CHILD_H

#include "calls.h"

/*
 * struct child - a forked process
 * @say, @hear: the parent's ends of the pipes
 * @tid: one of its threads, if the struct is in shared memory
 * @binds_second: the set that the second thread binds, or 0
 */
struct child {
	pid_t pid;
	int say, hear;
	pid_t tid;
	int binds_second;
};

/* Fork.  Return true in the child, where its ends of the pipes are descriptors 0 and 1. */
static inline bool child_fork(struct child *c)
{
	int to[2], from[2];
	pid_t pid;

	if (pipe(to) || pipe(from))
		abort();
	pid = fork();
	if (pid) {
		c->pid = pid;
		c->say = to[1];
		c->hear = from[0];
	} else {
		dup2(to[0], 0);
		dup2(from[1], 1);
		close(to[1]);
		close(from[0]);
	}
	close(to[0]);
	close(from[1]);
	return !pid;
}

/* Return the next byte from the child, or -1 at the end of file. */
static inline int child_hear(struct child *c)
{
	char byte;

	return read(c->hear, &byte, 1) == 1 ? byte : -1;
}

static inline void child_say(struct child *c)
{
	if (write(c->say, "x", 1) != 1)
		abort();
}

/* Close the pipes, which makes the child exit.  Return its exit status. */
static inline int child_end(struct child *c)
{
	int status = -1;

	close(c->say);
	waitpid(c->pid, &status, 0);
	close(c->hear);
	return status;
}

/* Run this in the program after execve: touch pages, report this, wait for a line, and exit. */
static inline void touch_for_parent(const char *pages)
{
	char line[8];

	touch(atoi(pages));
	if (write(1, "x", 1) != 1 || read(0, line, sizeof(line)) < 0)
		_exit(1);
	_exit(0);
}

#endif /* VCPC_TEST_EXEC_CHILD_H */
