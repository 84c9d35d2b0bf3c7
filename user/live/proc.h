/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read information on processes from /proc, and determine which user must release a shared
 * resource.
 */
#ifndef SHIM_LIVE_PROC_H
#define SHIM_LIVE_PROC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SHIM_PROC_COMMAND	64	/* kernel threads can have commands longer than 15 bytes */

/**
 * struct shim_proc - one process
 * @pid: its number; this is the first member, because arrays are searched by it
 * @start: its start time, which distinguishes it from a later process with the same number
 * @threads: number of its threads
 * @command: its name without control characters
 */
struct shim_proc {
	pid_t pid;
	uint64_t start;
	unsigned long threads;
	char command[SHIM_PROC_COMMAND];
};

int shim_proc__read(pid_t pid, struct shim_proc *proc);
int shim_proc__user(pid_t pid, uid_t *user);
int shim_proc__list(pid_t **pids, size_t *n);
int shim_proc__by_pid(const void *a, const void *b);

/* Determine which user must release a part of a resource that is insufficient for all users */

/**
 * struct shim_share - one entry that uses a part of a shared resource
 * @user: its owner
 * @size: the amount it uses
 * @age: creation time, in any unit
 */
struct shim_share {
	uid_t user;
	uint64_t size;
	uint64_t age;
};

uint64_t shim_shares__of(const struct shim_share *all, size_t n, uid_t user);
long shim_shares__victim(const struct shim_share *all, size_t n, uid_t user, uint64_t need);

#endif /* SHIM_LIVE_PROC_H */
