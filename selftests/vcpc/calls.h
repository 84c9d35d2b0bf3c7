/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Make calls to the module with short functions. */
#ifndef VCPC_CALLS_H
#define VCPC_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/perf_event.h>
#include <linux/vcpc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "known_work.h"

#define MAX_VALUES	128
#define NOBODY		65534

struct room {
	union {
		struct vcpc_sample sample;
		__u64 words[5 + MAX_VALUES];
	};
};

#define UNUSED	__attribute__((unused))

static const struct vcpc_request page_faults UNUSED = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS, .flags = VCPC_REQ_F_USER,
};

static const struct vcpc_request task_clock UNUSED = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .flags = VCPC_REQ_F_USER,
};

static const struct vcpc_request cycles UNUSED = {
	.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .flags = VCPC_REQ_F_USER,
};

static const struct vcpc_request instructions UNUSED = {
	.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS, .flags = VCPC_REQ_F_USER,
};

/* Return the next number of a pseudorandom sequence. */
static inline __u64 chance(__u64 *state)
{
	__u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* Return the number in an environment variable, or @otherwise if it is not set. */
static inline unsigned long number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

static inline __u64 pointer(const void *p)
{
	return (uintptr_t)p;
}

static inline pid_t own_tid(void)
{
	return syscall(SYS_gettid);
}

static inline int device_open(void)
{
	return open("/dev/vcpc", O_RDWR | O_CLOEXEC);
}

/* Return the result of the system call, or a negative errno, like all functions below. */
static inline int call(int fd, unsigned long cmd, void *args)
{
	int ret = ioctl(fd, cmd, args);

	return ret < 0 ? -errno : ret;
}

static inline struct vcpc_set_create_args create_args(const struct vcpc_request *requests,
						      unsigned int nr)
{
	return (struct vcpc_set_create_args) {
		.size = sizeof(struct vcpc_set_create_args),
		.nr_requests = nr,
		.request_size = sizeof(struct vcpc_request),
		.requests = pointer(requests),
	};
}

static inline int set_create(int device, const struct vcpc_request *requests, unsigned int nr,
			     __u32 flags)
{
	struct vcpc_set_create_args args = create_args(requests, nr);

	args.flags = flags;
	return call(device, VCPC_IOC_SET_CREATE, &args);
}

/* Create a set of one request on a new device descriptor. */
static inline int set_of(const struct vcpc_request *request, __u32 flags)
{
	int device = device_open();
	int set = device < 0 ? -errno : set_create(device, request, 1, flags);

	close(device);
	return set;
}

static inline int set_bind(int set, __u32 flags)
{
	struct vcpc_bind_args args = { .size = sizeof(args), .flags = flags };

	return call(set, VCPC_IOC_BIND, &args);
}

/* Perform an operation on the caller's own instance. */
static inline int set_own(int set, unsigned long cmd)
{
	struct vcpc_own_args args = { .size = sizeof(args) };

	return call(set, cmd, &args);
}

static inline int set_unbind_all(int set)
{
	struct vcpc_own_args args = { .size = sizeof(args), .flags = VCPC_OWN_F_ALL };

	return call(set, VCPC_IOC_UNBIND, &args);
}

static inline int set_preset(int set, __u32 request, __u64 preset)
{
	struct vcpc_preset_args args = {
		.size = sizeof(args), .request = request, .preset = preset,
	};

	return call(set, VCPC_IOC_PRESET, &args);
}

/*
 * Return the number of this machine's hardware counters, or 0 if it has none.  Find the number by
 * binding sets of increasing size.
 */
static inline unsigned int hw_slots(void)
{
	static unsigned int found = ~0U;
	struct vcpc_request requests[32];
	int device, set, ret = -1;
	unsigned int nr;

	if (found != ~0U)
		return found;
	device = device_open();
	for (nr = 0; nr < 32; nr++)
		requests[nr] = cycles;
	for (; nr && ret; nr--) {
		set = set_create(device, requests, nr, 0);
		if (set < 0)
			break;
		ret = set_bind(set, 0);
		close(set);
	}
	close(device);
	found = ret ? 0 : nr + 1;
	return found;
}

static inline int set_sample(int set, pid_t tid, struct room *room)
{
	struct vcpc_sample_args args = {
		.size = sizeof(args),
		.tid = tid,
		.buf_size = sizeof(*room),
		.buf = pointer(room),
	};

	return call(set, VCPC_IOC_SAMPLE, &args);
}

static inline int set_total(int set, struct room *room)
{
	struct vcpc_sample_args args = {
		.size = sizeof(args),
		.flags = VCPC_SAMPLE_F_TOTAL,
		.buf_size = sizeof(*room),
		.buf = pointer(room),
	};

	return call(set, VCPC_IOC_SAMPLE, &args);
}

static inline __u64 first_total(int set)
{
	struct room room;

	return set_total(set, &room) ? ~0ULL : room.sample.values[0];
}

/*
 * Return the first value of the instance of thread @tid.  If @tid is 0, use the caller's instance,
 * or the set's only instance if the caller has none.
 */
static inline __u64 first_value(int set, pid_t tid)
{
	struct room room;

	return set_sample(set, tid, &room) ? ~0ULL : room.sample.values[0];
}

static inline int become_nobody(void)
{
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY))
		return -errno;
	return setresuid(NOBODY, NOBODY, NOBODY) ? -errno : 0;
}

/* Run @fn in a child.  Return its result, 0 to 254, or 255 if the child died. */
static inline int in_child(int (*fn)(void *arg), void *arg)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(fn(arg));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 255;
	return WEXITSTATUS(status);
}

#endif /* VCPC_CALLS_H */
