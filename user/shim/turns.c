// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sets with more events than the CPU can count simultaneously.  Hardware events are in multiplexed
 * groups; software events, which need no hardware counter, count all the time.
 *
 * To find out which events fit together, the library briefly binds them to the calling thread.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <linux/vcpc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/api.h"
#include "core/pmus.h"
#include "handle.h"
#include "set.h"

_Static_assert(SHIM_TURN_MIN == SHIM_SLOT_MIN, "slots must equal core's");
_Static_assert(SHIM_TURN_MAX == SHIM_SLOT_MAX, "slots must equal core's");

/* The set's requests: hardware events with their groups, and events that count all the time */
struct split {
	struct vcpc_request turns[SHIM_SET_MAX];
	__u16 group[SHIM_SET_MAX];
	struct vcpc_request always[SHIM_SET_MAX];
	unsigned int nturns, nalways, first_of_group;
};

/*
 * Return 0 if requests fit on the PMU together, -ENOSPC if not, or an error from creating or
 * binding a set.
 */
static int try(struct shim_session *session, const struct vcpc_request *reqs, unsigned int n)
{
	struct shim_counters *counters;
	int bad, ret;

	ret = shim_counters__create(session, reqs, n, VCPC_SET_F_DISABLED, &bad, &counters);
	if (ret)
		return ret;
	ret = shim_counters__bind(counters, 0, 0, &bad);
	if (!ret)
		shim_counters__unbind(counters, 0);
	shim_counters__put(counters);
	return ret;
}

static bool is_software(const struct vcpc_request *req)
{
	return req->type == PERF_TYPE_SOFTWARE || req->type == PERF_TYPE_TRACEPOINT;
}

/* Add an event to the current group, or to a new one if it does not fit. */
static int add_turn(struct shim_session *session, struct shim_set *set, struct split *split,
		    unsigned int i, const struct vcpc_request *req)
{
	unsigned int at = split->nturns++;
	int ret;

	split->turns[at] = *req;
	if (at && shim_pmus__kind(req) != shim_pmus__kind(&split->turns[at - 1])) {
		split->first_of_group = at;
		set->groups++;
	}
	ret = try(session, &split->turns[split->first_of_group], at + 1 - split->first_of_group);
	if (ret == -ENOSPC && at > split->first_of_group) {
		split->first_of_group = at;
		set->groups++;
		ret = try(session, &split->turns[at], 1);
	}
	split->group[at] = set->groups - 1;
	set->where[i] = at;
	set->group_of[i] = set->groups - 1;
	if (shim_pmus__kind(req) >= 0)
		set->on_one_kind |= 1ULL << i;
	return ret;
}

static int add_to(struct shim_session *session, struct shim_set *set, struct split *split,
		  unsigned int i, const struct vcpc_request *req)
{
	if (!is_software(req))
		return add_turn(session, set, split, i, req);
	set->where[i] = split->nalways;
	set->group_of[i] = SHIM_SET_MAX;
	split->always[split->nalways++] = *req;
	return 0;
}

/* Process one kind of core after the other, because a group contains events of only one kind. */
static int split_up(struct shim_session *session, struct shim_set *set,
		    const struct vcpc_request *reqs, struct split *split, unsigned int *bad)
{
	set->groups = 1;
	for (int kind = SHIM_PMUS_NONE; kind < SHIM_PMUS_MAX; kind++)
		for (unsigned int i = 0; i < set->n; i++) {
			int ret = 0;

			if (shim_pmus__kind(&reqs[i]) == kind)
				ret = add_to(session, set, split, i, &reqs[i]);
			if (ret) {
				*bad = i;
				return ret;
			}
		}
	return 0;
}

/*
 * Use a different seed, and therefore a different order, for each set.  Otherwise the same group
 * would always count an event that happens once, such as a program's start.
 */
static uint32_t any_seed(struct shim_session *session)
{
	uint32_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed))
		return seed;
	return (uint32_t)shim_session__ops(session)->now();
}

/* Replace the set's counters, which do not fit together, with multiplexed groups. */
static int take_turns(struct shim_session *session, struct shim_set *set,
		      const struct vcpc_request *reqs, uint64_t slot, unsigned int *bad)
{
	struct split *split = calloc(1, sizeof(*split));
	struct shim_terms terms = { .slot = slot, .seed = any_seed(session), .shuffle = true };
	int which;
	int ret;

	if (!split)
		return -ENOMEM;
	terms.group = split->group;
	shim_counters__put(set->counters);
	set->counters = NULL;
	ret = split_up(session, set, reqs, split, bad);
	if (!ret)
		ret = shim_counters__create_on(session, split->turns, split->nturns, 0, terms, &which,
					       &set->counters);
	if (!ret && split->nalways)
		ret = shim_counters__create(session, split->always, split->nalways, 0,
					    &which, &set->always);
	free(split);
	return ret;
}

/**
 * shim_set_create_turns() - create a set that may multiplex its events
 * @handle: as for shim_set_create()
 * @events: as for shim_set_create()
 * @n: as for shim_set_create()
 * @turn: length of each group's multiplex slot in ns of the target's time, from SHIM_TURN_MIN to
 *	SHIM_TURN_MAX; 0 for the default
 * @bad: as for shim_set_create()
 * @set: as for shim_set_create()
 *
 * If all events fit, which is tried on the calling thread, the set is like one from
 * shim_set_create().  Otherwise hardware events are distributed in order to groups, which are as
 * large as possible and are multiplexed in random order; other events count all the time.  Use
 * shim_set_turns() to sample a multiplexed set.  shim_set_sample(), shim_set_total(),
 * shim_set_walk(), SHIM_BIND_TRACE and recorders reject it, so that partial counts are not mistaken
 * for complete ones.
 *
 * On threads of this process that are bound without flags, @turn is the length of a slot.  On all
 * other targets perf multiplexes with its own interval (perf_event_mux_interval_ms), and several
 * groups may count simultaneously.
 *
 * If there are several kinds of core and not all events fit, each event must name its PMU
 * (shim_event_on_pmu()), and shim_set_turns_whole() returns the time to which its value extends.
 *
 * Return: 0, an error from shim_set_create() or shim_set_bind(), -EINVAL (including an invalid
 * @turn), -ENOSPC (the event does not fit even alone), -EOPNOTSUPP (including an event without a
 * PMU that would have to be multiplexed).
 */
SHIM_API int shim_set_create_turns(struct shim_handle *handle, const char *const *events,
				   unsigned int n, uint64_t turn, unsigned int *bad,
				   struct shim_set **set)
{
	struct shim_session *session = shim_handle__session(handle);
	struct vcpc_request *reqs = calloc(SHIM_SET_MAX, sizeof(*reqs));
	struct shim_set *made;
	unsigned int which = n;
	int ret = reqs ? 0 : -ENOMEM;

	if (!set || (turn && (turn < SHIM_TURN_MIN || turn > SHIM_TURN_MAX)))
		ret = -EINVAL;
	if (!ret)
		ret = shim_set__create(handle, events, n, reqs, &which, &made);
	if (!ret) {
		ret = try(session, reqs, n);
		which = n;
		if (ret == -ENOSPC)
			ret = take_turns(session, made, reqs, turn, &which);
		if (ret)
			shim_set_destroy(made);
	}
	free(reqs);
	if (!ret)
		*set = made;
	else if (bad)
		*bad = which;
	return ret;
}

/* A sample of the largest set with multiplexed groups */
union room {
	struct vcpc_sample sample;
	uint64_t words[(sizeof(struct vcpc_sample) + SHIM_SET_MAX * sizeof(struct shim_group_sample)) /
		       sizeof(uint64_t) + SHIM_SET_MAX];
};

static int total(struct shim_counters *counters, pid_t tid, union room *room)
{
	memset(room, 0, sizeof(*room));
	return shim_counters__total(counters, tid, &room->sample, sizeof(*room));
}

static void turns_give(const struct shim_set *set, const struct vcpc_sample *turns,
		       const struct vcpc_sample *always, struct shim_turns *out)
{
	const void *behind = turns->values + turns->nr;
	const struct shim_group_sample *groups = behind;

	*out = (struct shim_turns) {
		.time = turns->time, .tick = turns->tick, .counted = turns->tick, .nr = set->n,
		.state = turns->state, .groups = set->groups > 1 ? set->groups : 1,
	};
	if (set->groups > 1)
		out->counted = 0;
	for (unsigned int g = 0; set->groups > 1 && g < set->groups; g++) {
		out->counted += groups[g].tick;
		out->voids += groups[g].voids;
	}
	/* Several groups may have counted simultaneously, but not longer than the set. */
	if (out->counted > turns->tick)
		out->counted = turns->tick;
	for (unsigned int i = 0; i < set->n; i++) {
		bool whole = set->groups <= 1 || set->group_of[i] == SHIM_SET_MAX;

		out->ticks[i] = whole ? turns->tick : groups[set->group_of[i]].tick;
		if (whole)
			out->exact |= 1ULL << i;
		if (set->groups <= 1)
			out->values[i] = turns->values[i];
		else
			out->values[i] = (whole ? always : turns)->values[set->where[i]];
	}
}

/* Return the time during which an event could have been counted. */
static uint64_t whole_of(const struct shim_set *set, unsigned int i, const struct shim_turns *turns,
			 const struct shim_group_sample *groups)
{
	bool takes_turns = set->groups > 1 && set->group_of[i] != SHIM_SET_MAX;

	if (takes_turns && set->on_one_kind >> i & 1)
		return groups[set->group_of[i]].whole;
	/* @counted does not include discarded slots, in which the target did run. */
	return takes_turns && !turns->voids ? turns->counted : turns->tick;
}

/**
 * shim_set_turns() - add up all threads or CPUs, with the time during which each event counted
 * @set: from shim_set_create_turns() or shim_set_create()
 * @tid: as for shim_set_total()
 * @turns: filled in; multiplexed events are not sampled at the same instant as the others
 *
 * Nothing is scaled.  The value of an event that was counted all the time is exact.  For other
 * events, value * counted / ticks is an estimate; the differences between calls show its
 * accuracy.
 *
 * Context: any thread, or a signal handler.
 * Return: as for shim_set_total().
 */
SHIM_API int shim_set_turns(struct shim_set *set, pid_t tid, struct shim_turns *turns)
{
	uint64_t whole[SHIM_SET_MAX];

	return shim_set_turns_whole(set, tid, turns, whole);
}

/**
 * shim_set_turns_whole() - like shim_set_turns(), with the time to which each value extends
 * @set: as for shim_set_turns()
 * @tid: as for shim_set_turns()
 * @turns: as for shim_set_turns()
 * @whole: the target's time, in ns, during which each event could have been counted: for an event
 *	of one kind of core (cpu_core/cycles/) the time on cores of that kind, for other events the
 *	whole time
 *
 * value * whole / ticks is an estimate.  If there are several kinds of core, the estimate of
 * shim_set_turns() is wrong, because it includes time on cores that do not count the event.
 *
 * Context: any thread, or a signal handler.
 * Return: as for shim_set_total().
 */
SHIM_API int shim_set_turns_whole(struct shim_set *set, pid_t tid, struct shim_turns *turns,
				  uint64_t whole[SHIM_SET_MAX])
{
	union room in_turn, always;
	const void *behind;
	int ret;

	if (!set || !turns || !whole)
		return -EINVAL;
	ret = total(set->counters, tid, &in_turn);
	if (!ret && set->always)
		ret = total(set->always, tid, &always);
	if (ret)
		return ret;
	turns_give(set, &in_turn.sample, &always.sample, turns);
	behind = in_turn.sample.values + in_turn.sample.nr;
	for (unsigned int i = 0; i < set->n; i++)
		whole[i] = whole_of(set, i, turns, behind);
	return 0;
}
