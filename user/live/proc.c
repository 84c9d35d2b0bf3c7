// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read information on processes from /proc, and determine which user must release a shared
 * resource.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/vec.h"
#include "proc.h"

/* Numbers of fields in /proc/PID/stat, starting from 1 */
enum { FIELD_STATE = 3, FIELD_THREADS = 20, FIELD_START = 22 };

/* Read the start of a file of a process.  Return 0, or a negated errno. */
static int read_file(pid_t pid, const char *name, char *text, size_t size)
{
	char path[48];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	if (n <= 0) {
		int err = n ? -errno : -ESRCH;

		close(fd);
		return err;
	}
	close(fd);
	text[n] = '\0';
	return 0;
}

/* Parse "PID (COMMAND) S PPID ...".  The command may contain blanks and parentheses. */
static int parse_stat(char *text, struct shim_proc *proc)
{
	char *open = strchr(text, '('), *close = strrchr(text, ')'), *at;
	size_t len;

	if (!open || !close || close < open)
		return -EINVAL;
	len = (size_t)(close - open - 1);
	len = len < SHIM_PROC_COMMAND ? len : SHIM_PROC_COMMAND - 1;
	memcpy(proc->command, open + 1, len);
	proc->command[len] = '\0';
	/* Any user can choose a process's name, and the name will be printed on terminals. */
	for (size_t i = 0; i < len; i++)
		if (iscntrl((unsigned char)proc->command[i]))
			proc->command[i] = '?';
	at = close + 1;
	for (int field = FIELD_STATE; field < FIELD_START; field++) {
		at += strspn(at, " ");
		if (field == FIELD_THREADS)
			proc->threads = strtoul(at, NULL, 10);
		at += strcspn(at, " ");
	}
	proc->start = strtoull(at, NULL, 10);
	return 0;
}

/**
 * shim_proc__read() - read a process by its number
 * @pid: the number
 * @proc: written on success
 *
 * Return: 0, -ENOENT or -ESRCH (no such process), -EINVAL, or an error from open(2) or read(2).
 */
int shim_proc__read(pid_t pid, struct shim_proc *proc)
{
	char text[512];
	int ret = read_file(pid, "stat", text, sizeof(text));

	if (ret)
		return ret;
	proc->pid = pid;
	return parse_stat(text, proc);
}

/**
 * shim_proc__user() - find the user that started a process
 * @pid: the process's number
 * @user: written on success: the real user ID, which does not change if the program gains
 *	privileges
 *
 * Return: as for shim_proc__read().
 */
int shim_proc__user(pid_t pid, uid_t *user)
{
	char text[2048], *line;
	int ret = read_file(pid, "status", text, sizeof(text));

	if (ret)
		return ret;
	/* The first line contains the command, whose newlines are escaped. */
	line = strstr(text, "\nUid:");
	if (!line)
		return -EINVAL;
	*user = (uid_t)strtoul(line + strlen("\nUid:"), NULL, 10);
	return 0;
}

/*
 * Compare by number, for bsearch() and qsort() of numbers or of structs that begin with a number.
 */
int shim_proc__by_pid(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/**
 * shim_proc__list() - list all processes
 * @pids: set to their numbers in ascending order, which the caller must free even after an error
 * @n: set to their number
 *
 * Return: 0, -ENOMEM, or an error from opendir(3) or readdir(3).
 */
int shim_proc__list(pid_t **pids, size_t *n)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	size_t room = 0;
	int ret = dir ? 0 : -errno, more = 0;

	*pids = NULL;
	*n = 0;
	while (!ret && (more = shim_entries__next(dir, &entry)) > 0) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		if (shim_vec__room(*pids, &room, *n))
			ret = -ENOMEM;
		else
			(*pids)[(*n)++] = atoi(entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (!ret)
		ret = more;
	if (!ret)
		qsort(*pids, *n, sizeof(**pids), shim_proc__by_pid);
	return ret;
}

/*
 * Determine which user must release a part of a resource that is insufficient for all users.
 *
 * It is the user that has the most, if it has more than the requesting user would have afterwards.
 * As long as the resource suffices, all requests are granted.  After that, a user can gain only
 * from users that have more than itself.  Therefore a user cannot regain what it has released by
 * requesting it again.
 */

/* Return the sum of the sizes of a user's entries. */
uint64_t shim_shares__of(const struct shim_share *all, size_t n, uid_t user)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].user == user)
			sum += all[i].size;
	return sum;
}

/*
 * Return the index of the entry that a user must release: the largest one, or the newest of several
 * equal ones.
 */
static long largest_of(const struct shim_share *all, size_t n, uid_t user)
{
	long found = -1;

	for (size_t i = 0; i < n; i++)
		if (all[i].user == user &&
		    (found < 0 || all[i].size > all[found].size ||
		     (all[i].size == all[found].size && all[i].age > all[found].age)))
			found = (long)i;
	return found;
}

/**
 * shim_shares__victim() - find the entry to release so that a user gets more
 * @all: all current entries
 * @n: number of entries
 * @user: the requesting user
 * @need: the requested amount
 *
 * Return: an index into @all, or -1 if no entry must be released.
 */
long shim_shares__victim(const struct shim_share *all, size_t n, uid_t user, uint64_t need)
{
	uint64_t most = shim_shares__of(all, n, user) + need;
	long found = -1;

	for (size_t i = 0; i < n; i++) {
		uint64_t his;

		/*
		 * Skip repetitions, because often most entries belong to one user and are
		 * consecutive.
		 */
		if (all[i].user == user || (i && all[i].user == all[i - 1].user))
			continue;
		his = shim_shares__of(all, n, all[i].user);
		if (his <= most)
			continue;
		most = his;
		found = (long)i;
	}
	return found < 0 ? -1 : largest_of(all, n, all[found].user);
}
