/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the tests core_perf_multiplex*: multiplexed groups on perf, bound to the calling thread */
#ifndef SELFTESTS_CORE_PERF_MULTIPLEX_H
#define SELFTESTS_CORE_PERF_MULTIPLEX_H

#include "core_perf.h"

#define MOST	5	/* number of groups */
#define EACH	2	/* events per group: the thread's CPU time, page faults */
#define SHUFFLE	(1U << 31)	/* flags of make_groups(), in addition to VCPC_SET_F_* */

struct grouped {
	struct vcpc_sample head;
	__u64 values[MOST * EACH + MOST * sizeof(struct shim_group_sample) / sizeof(__u64)];
};

static inline const struct shim_group_sample *group_of(const struct grouped *g, int k)
{
	return (const void *)(g->values + g->head.nr + k * (sizeof(struct shim_group_sample) / 8));
}

static inline int make_groups(FIXTURE_DATA(perf) *self, int groups, __u64 slot, unsigned int flags,
			      struct shim_counters **set)
{
	__u16 group[MOST * EACH];
	struct shim_terms terms = { .group = group, .slot = slot, .shuffle = flags & SHUFFLE };
	struct vcpc_request reqs[MOST * EACH];

	for (int i = 0; i < groups * EACH; i++) {
		if (shim_event__parse(i % EACH ? "page-faults:u" : "task-clock", &reqs[i]))
			abort();
		reqs[i].flags = VCPC_REQ_F_USER;
		group[i] = i / EACH;
	}
	return shim_counters__create_on(self->session, reqs, groups * EACH,
					flags & ~SHUFFLE, terms, &self->bad, set);
}

static inline int groups_sample(struct shim_counters *set, pid_t tid, struct grouped *g)
{
	return shim_counters__sample(set, tid, &g->head, sizeof(*g));
}

/*
 * Burn CPU time until several rounds are complete.  Return 0, an error of a sample, or 1 on
 * timeout.
 */
static inline int burn_rounds(struct shim_counters *set, __u64 rounds, struct grouped *g)
{
	for (int i = 0; i < 20000; i++) {
		int ret = groups_sample(set, 0, g);

		if (ret || group_of(g, 0)->rounds >= rounds)
			return ret;
		burn(MS);
	}
	return 1;
}

static inline __u64 sum_of_ticks(const struct grouped *g, int groups)
{
	__u64 sum = 0;

	for (int k = 0; k < groups; k++)
		sum += group_of(g, k)->tick;
	return sum;
}

/* Return whether no value has decreased since @last and no slot was discarded. */
static inline bool follows(const struct grouped *g, const struct grouped *last, int groups)
{
	bool ok = g->head.time >= last->head.time && g->head.tick >= last->head.tick;

	for (int i = 0; i < groups * EACH; i++)
		ok &= g->values[i] >= last->values[i];
	for (int k = 0; k < groups; k++)
		ok &= group_of(g, k)->tick >= group_of(last, k)->tick &&
		      group_of(g, k)->time >= group_of(last, k)->time &&
		      group_of(g, k)->rounds >= group_of(last, k)->rounds && !group_of(g, k)->voids;
	return ok;
}

static inline void block(bool on)
{
	sigset_t urgent;

	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	pthread_sigmask(on ? SIG_BLOCK : SIG_UNBLOCK, &urgent, NULL);
}

#define BOUND_GROUPS(groups, slot, flags)					\
	do {									\
		NEED_PERF();							\
		ASSERT_EQ(0, make_groups(self, groups, slot, flags, &self->set));	\
		ASSERT_EQ(0, shim_counters__bind(self->set, 0, 0, &self->bad));	\
	} while (0)

#endif /* SELFTESTS_CORE_PERF_MULTIPLEX_H */
