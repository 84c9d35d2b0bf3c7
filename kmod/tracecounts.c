// SPDX-License-Identifier: GPL-2.0
/*
 * What the calling thread has counted, to go along with its trace event.
 *
 * Locking: none of its own; the thread's instance is found under RCU.
 */
#include <linux/irqflags.h>
#include <linux/once.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/siphash.h>

#include "instance.h"
#include "threads.h"
#include "tracecounts.h"

atomic_t vcpc_tracecounts_nr = ATOMIC_INIT(0);

struct search {
	struct vcpc_trace_room *room;
	bool found;
};

static void (*begins_wanted)(bool wanted);

/**
 * vcpc_tracecounts_init() - at load
 * @wanted: told that one reason more, or less, makes begins of transactions interesting;
 *	sleeps
 */
void vcpc_tracecounts_init(void (*wanted)(bool wanted))
{
	begins_wanted = wanted;
}

static void want_begins(bool wanted)
{
	/* KUnit's suites may run before the module is initialized. */
	if (begins_wanted)
		begins_wanted(wanted);
}

/**
 * vcpc_tracecounts_bound() - one more instance is bound for tracing
 *
 * Context: sleeps.
 */
void vcpc_tracecounts_bound(void)
{
	atomic_inc(&vcpc_tracecounts_nr);
	want_begins(true);
}

/**
 * vcpc_tracecounts_unbound() - one less
 *
 * Context: sleeps.
 */
void vcpc_tracecounts_unbound(void)
{
	want_begins(false);
	atomic_dec(&vcpc_tracecounts_nr);
}

/**
 * vcpc_tracecounts_events() - a number that stands for what a set's first counters count
 * @reqs: the set's requests
 * @nr: how many
 *
 * Keyed, so that nobody can make two different sets look the same.
 *
 * Context: sleeps.
 * Return: the number, never 0, the same for equal sets.
 */
u64 vcpc_tracecounts_events(const struct vcpc_request *reqs, u32 nr)
{
	static siphash_key_t secret;
	u64 sum;
	u32 i;

	get_random_once(&secret, sizeof(secret));
	nr = min_t(u32, nr, VCPC_TRACE_COUNTERS);
	sum = nr;
	for (i = 0; i < nr; i++)
		sum = siphash_4u64(sum, (u64)reqs[i].type << 32 | reqs[i].flags, reqs[i].config,
				   siphash_2u64(reqs[i].config1, reqs[i].config2, &secret),
				   &secret);
	return sum ?: 1;
}

static void fill(struct vcpc_trace_room *room, const struct vcpc_spec *spec,
		 const struct vcpc_sample *sample)
{
	u32 nr = min_t(u32, spec->nr, VCPC_TRACE_COUNTERS);
	u32 i;

	for (i = 0; i < VCPC_TRACE_COUNTERS; i++) {
		const struct vcpc_request *req = &spec->requests[i < nr ? i : 0];

		room->value[i] = i < nr ? sample->values[i] : 0;
		room->event[i] = (struct vcpc_trace_event) {
			.type = i < nr ? req->type : 0,
			.flags = i < nr ? req->flags : 0,
			.config = i < nr ? req->config : 0,
		};
	}
	room->counts = (struct vcpc_trace_counts) {
		.events = spec->events,
		.value = room->value,
		.event = room->event,
		.nr = nr,
	};
}

static void take_locked(struct vcpc_instance *inst, struct search *search)
{
	/* Groups take turns: their counts do not belong to this time. */
	if (!inst->traced || inst->groups)
		return;
	if (vcpc_instance_sample_locked(inst, inst->spare, NULL) ||
	    !(inst->spare->state & VCPC_STATE_COUNTING))
		return;
	fill(search->room, inst->spec, inst->spare);
	search->found = true;
}

static void take(struct vcpc_instance *inst, void *arg)
{
	struct search *search = arg;
	unsigned long flags;

	if (search->found)
		return;
	raw_spin_lock_irqsave(&inst->lock, flags);
	take_locked(inst, search);
	raw_spin_unlock_irqrestore(&inst->lock, flags);
}

/**
 * vcpc_tracecounts_take() - sample the calling thread's set that is bound for tracing
 * @room: room for the sample
 *
 * Return: the sample, in @room, or NULL if there is no such set, or it is not
 * counting, or is invalid.
 */
const struct vcpc_trace_counts *vcpc_tracecounts_take(struct vcpc_trace_room *room)
{
	struct search search = { .room = room };

	vcpc_threads_walk(current, take, &search);
	return search.found ? &room->counts : NULL;
}
