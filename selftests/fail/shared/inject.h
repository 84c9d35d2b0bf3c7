/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Make the n-th call of one kind fail in this process.  Link this into a test, or preload it. */
#ifndef FAIL_INJECT_H
#define FAIL_INJECT_H

#include <stdbool.h>

/* Kinds of calls that can fail; each kind is counted separately. */
enum inject_kind {
	INJECT_NONE,
	INJECT_MEMORY,
	INJECT_OPEN,
	INJECT_MAP,
	INJECT_READ,
	INJECT_WRITE,
	INJECT_IOCTL,
	INJECT_PERF,
	INJECT_THREAD,
	INJECT_STAT,
	INJECT_CHANGE,	/* rename, unlink, ftruncate, fsync, ... */
	INJECT_SOCKET,	/* socket, pipe2 */
	INJECT_NETWORK,	/* connect, poll, getsockopt, setsockopt */
	INJECT_ENTRY,	/* readdir, scandir */
	INJECT_LINE,	/* fgets, getline, fread, fscanf */
	INJECT_BPF,	/* bpf(2), which libbpf calls through syscall(2) */
	INJECT_TIMER,	/* timerfd_create */
	INJECT_LABEL,	/* pmdaAddLabels of PCP's library */
	INJECT_KINDS
};

/* Instead of failing with an errno, transfer half of the bytes, or send a signal to the process. */
#define INJECT_SHORT	(-1)
#define INJECT_KILL	(-2)
#define INJECT_TERM	(-3)

/*
 * struct inject_way - a way to fail
 * @name: its name in results and in the variable INJECT
 * @error: the errno, or INJECT_*
 */
struct inject_way {
	const char *name;
	enum inject_kind kind;
	int error;
};

/* The list ends with a NULL name. */
extern const struct inject_way inject_ways[];

/*
 * Start counting calls of @way's kind, or of all kinds if @way is NULL.  The @n-th call of this
 * kind fails.  If @n is 0, none fails, and inject_firsts() returns the chains of callers; if it is
 * INJECT_COUNT_ONLY, none fails, and chains are not recorded, which takes most of the time.
 */
#define INJECT_COUNT_ONLY	(-1)
void inject_start(const struct inject_way *way, long n);
void inject_stop(void);
/* Return the number of counted calls of a kind. */
long inject_calls(enum inject_kind kind);
/*
 * Return the numbers of the calls of a kind that no earlier call with the same chain of callers
 * preceded, and their number in @n.
 */
#define INJECT_FIRSTS	4096
const long *inject_firsts(enum inject_kind kind, long *n);
/* Return whether a call has failed since inject_start(). */
bool inject_fired(void);
/*
 * If this call must fail, set errno and return the error; otherwise return 0. The n-th call fails,
 * or the first one after it that libpfm does not make.
 */
int inject_fails(enum inject_kind kind);
/* Make writes to standard output and to streams that are opened for writing count and fail. */
void inject_count_streams(void);
/* Return the number of memory blocks that have been allocated and not freed. */
long inject_blocks(void);

#endif /* FAIL_INJECT_H */
