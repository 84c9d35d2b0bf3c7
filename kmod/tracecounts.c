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

#include "binding.h"
#include "instance.h"
#include "operate.h"
#include "set.h"
#include "tasktable.h"
#include "tracecounts.h"
#include "trace/page.h"

atomic_t vcpc_tracecounts_nr = ATOMIC_INIT(0);

struct search {
	struct vcpc_trace_room *room;
	bool found;
	struct vcpc_set *lost;	/* found invalid */
};

/**
 * vcpc_tracecounts_bound() - one more instance is bound for tracing
 *
 * Context: sleeps.
 */
void vcpc_tracecounts_bound(void)
{
	atomic_inc(&vcpc_tracecounts_nr);
	vcpc_tracepage_want_begins();
}

/**
 * vcpc_tracecounts_unbound() - one less
 *
 * Context: sleeps.
 */
void vcpc_tracecounts_unbound(void)
{
	vcpc_tracepage_unwant_begins();
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

static void fill(struct vcpc_trace_room *room, const struct vcpc_set *set,
		 const struct vcpc_sample *sample)
{
	u32 nr = min_t(u32, set->nr, VCPC_TRACE_COUNTERS);
	u32 i;

	for (i = 0; i < VCPC_TRACE_COUNTERS; i++) {
		const struct vcpc_request *req = &set->requests[i < nr ? i : 0];

		room->value[i] = i < nr ? sample->values[i] : 0;
		room->event[i] = (struct vcpc_trace_event) {
			.type = i < nr ? req->type : 0,
			.flags = i < nr ? req->flags : 0,
			.config = i < nr ? req->config : 0,
		};
	}
	room->counts = (struct vcpc_trace_counts) {
		.events = set->events,
		.value = room->value,
		.event = room->event,
		.nr = nr,
	};
}

/* Under the lock: what is closed may lose its set at once. */
static void take_locked(struct vcpc_instance *inst, struct search *search)
{
	struct vcpc_set *set;
	int ret;

	if (inst->state & VCPC_INSTANCE_CLOSED || !(inst->binding->flags & VCPC_BIND_F_TRACE))
		return;
	set = inst->binding->set;
	/* Groups take turns: their counts do not belong to this time. */
	if (set->groups)
		return;
	ret = vcpc_operate_sample(inst, inst->spare, NULL);
	if (ret == -EAGAIN)
		search->lost = set;
	if (ret || !(inst->spare->state & VCPC_STATE_COUNTING))
		return;
	fill(search->room, set, inst->spare);
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
	/* A set that is closed meanwhile is there until the end of RCU's reader. */
	if (search->lost)
		vcpc_set_wake(search->lost, -EAGAIN);
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

	vcpc_tasktable_walk(current, take, &search);
	return search.found ? &room->counts : NULL;
}
