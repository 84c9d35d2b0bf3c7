/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The synthetic PMU's sets, their instances, and the time, which are protected by one lock */
#ifndef SELFTESTS_SYNTHETIC_CLOCK_WORLD_H
#define SELFTESTS_SYNTHETIC_CLOCK_WORLD_H

#include <linux/perf_event.h>
#include <pthread.h>

#include "backend_clock.h"

#define NO_SLOT		(~0ULL)

struct clock_instance {
	struct clock_instance *next;
	pid_t tid, tgid, root;
	unsigned int flags;		/* flags of the bind */
	bool on, exited, invalid;
	unsigned int first, cur;
	__u64 left, tick;
	/* State of the random numbers; 0 if the order is not shuffled */
	__u64 random;
	unsigned int place;
	unsigned int *order;		/* points into the same allocation, after the values */
	__u64 stopped;
	struct shim_group_sample *group;
	double *values;			/* points into the same allocation, after the groups */
};

struct clock_set {
	struct clock_set *next;
	unsigned int flags, n, groups;
	__u64 slot;
	__u32 seed;
	bool shuffle;
	struct vcpc_request *reqs;
	/* Group of each request, in the same allocation after the requests */
	__u16 *group;
	struct clock_instance *instances;	/* oldest first */
};

struct clock_world {
	pthread_mutex_t lock;
	struct clock_set *sets;
	shim_clock_rate *rate;
	__u64 now, gap;
	bool stolen;
	bool cycle_counter;
};

extern struct clock_world shim_clock__world;

static inline bool clock_is_software(const struct vcpc_request *req)
{
	return req->type == PERF_TYPE_SOFTWARE;
}

static inline bool clock_is_cpu(const struct clock_instance *inst)
{
	return inst->flags & SHIM_BIND_F_CPU;
}

struct clock_instance *shim_clock__exactly(struct clock_set *set, pid_t tid, bool cpu);
struct clock_instance *shim_clock__add(struct clock_set *set, pid_t tid, pid_t root,
				       unsigned int flags);
void shim_clock__begin_order(const struct clock_set *set, struct clock_instance *inst,
			     unsigned int first);

#endif /* SELFTESTS_SYNTHETIC_CLOCK_WORLD_H */
