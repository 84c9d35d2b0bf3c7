/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the tests of overflow */
#ifndef VCPC_TEST_OVERFLOW_H
#define VCPC_TEST_OVERFLOW_H

#include <stdbool.h>

#include "calls.h"

/* Return a request like @of that overflows at the @events-th event. */
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

/*
 * Return whether an overflow has stopped the instance of thread @tid.  If @tid is 0, check the
 * caller's own instance, or the only one.
 */
static inline bool is_frozen(int set, pid_t tid)
{
	struct room room;

	return !set_sample(set, tid, &room) && room.sample.state & VCPC_STATE_FROZEN;
}

#endif /* VCPC_TEST_OVERFLOW_H */
