/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of sets with groups share.
 */
#ifndef GROUPS_H
#define GROUPS_H

#include <time.h>

#include "vcpc_test.h"

#define MAX_GROUPS	16
#define MS		1000000ULL

/* A sample and its groups, taken apart. */
struct grouped {
	struct room room;
	struct vcpc_group_sample group[MAX_GROUPS];
};

static inline size_t groups_size(unsigned int nr, unsigned int groups)
{
	return sizeof(struct vcpc_sample) + nr * sizeof(__u64) +
	       groups * sizeof(struct vcpc_group_sample);
}

/* Where the groups' samples are depends on the number of values. */
static inline int groups_sample(int set, __u32 flags, pid_t tid, unsigned int groups,
				struct grouped *g)
{
	unsigned char bytes[sizeof(*g)];
	struct vcpc_sample_args args = {
		.size = sizeof(args),
		.flags = flags,
		.tid = tid,
		.buf_size = sizeof(bytes),
		.buf = pointer(bytes),
	};
	struct vcpc_sample head;
	int ret = call(set, VCPC_IOC_SAMPLE, &args);
	size_t len;

	if (ret)
		return ret;
	memcpy(&head, bytes, sizeof(head));
	len = sizeof(head) + head.nr * sizeof(__u64);
	memcpy(&g->room, bytes, len);
	memcpy(g->group, bytes + len, groups * sizeof(g->group[0]));
	return 0;
}

/* @groups groups of @each requests like @request. */
static inline int groups_set(const struct vcpc_request *request, unsigned int groups,
			     unsigned int each, __u64 slot, __u32 flags)
{
	struct vcpc_request requests[MAX_VALUES];
	struct vcpc_set_create_args args = create_args(requests, groups * each);
	int device = device_open();
	unsigned int i;
	int set;

	for (i = 0; i < groups * each; i++) {
		requests[i] = *request;
		requests[i].group = i / each;
	}
	args.flags = VCPC_SET_F_GROUPS | flags;
	args.slot = slot;
	set = call(device, VCPC_IOC_SET_CREATE, &args);
	close(device);
	return set;
}

static inline __u64 cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 * MS + ts.tv_nsec;
}

/* Be on the CPU for some time. */
static inline void burn(__u64 ns)
{
	__u64 end = cpu_time() + ns;

	while (cpu_time() < end)
		spin(10000);
}

/*
 * Be on the CPU until there have been so many rounds.  A machine that is slow
 * changes over late, and then turns are longer.
 */
static inline int burn_rounds(int set, __u32 flags, unsigned int groups, __u64 rounds,
			      struct grouped *g)
{
	int tries, ret;

	for (tries = 0; tries < 300; tries++) {
		burn(20 * MS);
		ret = groups_sample(set, flags, 0, groups, g);
		if (ret || g->group[0].rounds >= rounds)
			return ret;
	}
	return -ETIME;
}

/* No round is shorter than its slots, but for what a turn may lack of its slot. */
static inline int rounds_take_time(const struct grouped *g, unsigned int groups, __u64 slot)
{
	unsigned int i;

	for (i = 0; i < groups; i++)
		if (g->group[i].tick < g->group[i].rounds * (slot - slot / 32))
			return 0;
	return 1;
}

#endif /* GROUPS_H */
