/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of overflow share. */
#ifndef VCPC_TEST_OVERFLOW_H
#define VCPC_TEST_OVERFLOW_H

#include <poll.h>

#include "calls.h"

/* @of, so that the @events-th overflows */
static inline struct vcpc_request overflowing(const struct vcpc_request *of, __u64 events)
{
	struct vcpc_request req = *of;

	req.flags |= VCPC_REQ_F_OVERFLOW;
	req.preset = -events;
	return req;
}

static inline int overflow_set(const struct vcpc_request *reqs, unsigned int nr, __u32 flags,
			       int signal)
{
	struct vcpc_set_create_args args = create_args(reqs, nr);
	int device = device_open(), set;

	args.flags = flags;
	args.signal = signal;
	set = call(device, VCPC_IOC_SET_CREATE, &args);
	close(device);
	return set;
}

/* How often the request has overflowed in the caller's own, or the only instance */
static inline __u64 overflows_of(int set, unsigned int request)
{
	__u64 counts[MAX_VALUES];
	struct vcpc_overflows_args args = {
		.size = sizeof(args), .room = MAX_VALUES, .buf = pointer(counts),
	};

	return call(set, VCPC_IOC_OVERFLOWS, &args) ? ~0ULL : counts[request];
}

static inline __u64 overflows(int set)
{
	return overflows_of(set, 0);
}

static inline short polled(int set, int ms)
{
	struct pollfd p = { .fd = set, .events = POLLPRI };

	return poll(&p, 1, ms) < 0 ? -1 : p.revents;
}

#endif /* VCPC_TEST_OVERFLOW_H */
