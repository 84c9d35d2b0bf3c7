/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find out whether the module can sample counters of the calling thread for its trace events. */
#ifndef SHIM_CORE_COUNTED_H
#define SHIM_CORE_COUNTED_H

#include <errno.h>
#include <linux/vcpc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rawcall.h"
#include "bpf/trace.h"

/**
 * struct shim_counted - whether a thread has a set for its trace events
 * @quiet_until: before this time, its transactions begin without counts and without a check for
 *	them
 * @until: @flag is valid until this time; UINT64_MAX: forever
 * @flag: VCPC_TRACE_F_COUNTS if the thread has a set for its trace events, otherwise 0
 * @known: whether @others is valid
 * @others: whether the thread has a set other than the tracing session's
 * @session: shim_wanted__id() of the session whose set the thread has bound or could not bind;
 *	0: none
 */
struct shim_counted {
	uint64_t quiet_until;
	uint64_t until;
	uint32_t flag;
	bool known;
	bool others;
	uint64_t session;
};

extern __thread struct shim_counted shim_counted__own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

void shim_counted__ask(int fd, uint64_t now);
void shim_counted__bound(void);
void shim_counted__forget(void);
bool shim_counted__follows(void);
void shim_counted__leave(void);

/* Return whether a transaction that begins at @now has no counts; nearly all have none. */
static inline bool shim_counted__is_quiet(uint64_t now)
{
	return __builtin_expect(now < shim_counted__own.quiet_until, 1);
}

/* Return the flag for the end of a transaction, as determined when it began. */
static inline uint32_t shim_counted__flag(void)
{
	return shim_counted__own.flag;
}

/* Use /dev/vcpc for trace events: get handles of tags by name, and write individual events. */

/* The module defines operations and flags: VCPC_TRACE_* in <linux/vcpc.h>. */

int shim_tracedev__open(int *fd);
int shim_tracedev__tag(int fd, const char *name, size_t len, uint32_t *handle);
const struct vcpc_trace_page *shim_tracedev__map(int fd);
void shim_tracedev__close(int fd);
int shim_tracedev__is(int fd);
int shim_tracedev__write(int fd, uint32_t op, uint32_t handle, uint64_t value);

/* Only on 64-bit machines does the system call take the position as a single argument. */
_Static_assert(sizeof(long) == sizeof(VCPC_TRACE_AT), "64-bit");

/*
 * Send an event on the fastest path.  Return 0, or an error after which shim_tracedev__fire() must
 * be called.
 */
static inline long shim_tracedev__try(int fd, uint32_t op, uint64_t handle, uint64_t value)
{
	return shim_rawcall4(SYS_fadvise64, fd, value, handle, VCPC_TRACE_ADVICE + op);
}

/**
 * shim_tracedev__fire() - write one event of the calling process
 * @fd: descriptor from shim_tracedev__open()
 * @op: VCPC_TRACE_*, with VCPC_TRACE_F_COUNTS or without
 * @handle: from shim_tracedev__tag() on the same descriptor; its upper half is the thread of the
 *	transaction (see VCPC_TRACE_THREAD) or 0.  A device that does not implement posix_fadvise(2)
 *	uses the calling thread instead
 * @value: as in struct vcpc_trace_write
 *
 * The program may have closed the descriptor, and another file may have reused its number.  Nothing
 * must be written to that file, so the position is VCPC_TRACE_AT, which all other files reject.
 *
 * The C library's pwrite() is not used, because it is a cancellation point, and tracing must not
 * add cancellation points to a program. errno is not changed.
 *
 * Return: 0, -EBADF if the descriptor refers to another file, or an errno from write(2) on the
 * device.
 */
static inline int shim_tracedev__fire(int fd, uint32_t op, uint64_t handle, uint64_t value)
{
	if (__builtin_expect(!shim_tracedev__try(fd, op, handle, value), 1))
		return 0;
	return shim_tracedev__write(fd, op, handle, value);
}

/* The events that the tracing session wants each traced thread to count. */

int shim_wanted__set(const struct vc_events *events);
void shim_wanted__forget(void);
uint64_t shim_wanted__id(void);
int shim_wanted__read(struct vcpc_request reqs[VC_MAX_COUNTERS], unsigned int *n, bool user_only);

#endif /* SHIM_CORE_COUNTED_H */
