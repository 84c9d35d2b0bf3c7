// SPDX-License-Identifier: GPL-2.0
/*
 * Find out by trying: what can be counted, how much at a time, on which core.
 */
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "counter.h"
#include "event.h"
#include "probe.h"

/* A PMU with more counters than this is not known; it ends the trying. */
#define PROBE_MAX_SLOTS	64

/**
 * vcpc_probe_check() - see whether a request can be counted at all
 * @req: the request; the caller has checked that it is allowed
 *
 * Context: sleeps.
 * Return: 0, -EOPNOTSUPP if it is no event of the CPU, or the PMU's error.
 */
int vcpc_probe_check(const struct vcpc_request *req)
{
	const struct vcpc_place here = { .task = current, .cpu = -1 };
	struct perf_event *event = vcpc_event_open(req, &here, NULL, VCPC_EVENT_DISABLED);
	int ret;

	if (IS_ERR(event))
		return PTR_ERR(event);
	ret = vcpc_event_check(event, req->type);
	perf_event_release_kernel(event);
	return ret;
}

struct rehearsal {
	struct work_struct work;
	const struct vcpc_request *reqs;
	unsigned int nr;
	int *bad;
	int ret;
};

static void rehearse(struct work_struct *work)
{
	struct rehearsal *r = container_of(work, struct rehearsal, work);
	const struct vcpc_counter_plan plan = {
		.reqs = r->reqs,
		.nr = r->nr,
		.place = { .task = current, .cpu = -1 },
		.end = r->nr,
	};
	struct vcpc_counters *c = vcpc_counter_open(&plan, r->bad);
	int lost;

	if (IS_ERR(c)) {
		r->ret = PTR_ERR(c);
		return;
	}
	lost = vcpc_counter_lost(c);
	if (lost >= 0) {
		*r->bad = lost;
		r->ret = -ENOSPC;
	}
	vcpc_counter_close(c);
}

/**
 * vcpc_probe_rehearse() - see whether a set fits on the CPU
 * @reqs: the set's requests
 * @nr: how many
 * @bad: on failure set to the first request that found no room
 *
 * For threads that do not run or will start later, whose counters cannot tell
 * yet.  A kernel thread that has no counters of its own plays their part.
 *
 * Context: sleeps.
 * Return: 0, -ENOSPC, or the PMU's error.
 */
int vcpc_probe_rehearse(const struct vcpc_request *reqs, unsigned int nr, int *bad)
{
	struct rehearsal r = { .reqs = reqs, .nr = nr, .bad = bad };

	INIT_WORK_ONSTACK(&r.work, rehearse);
	queue_work(system_unbound_wq, &r.work);
	flush_work(&r.work);
	destroy_work_on_stack(&r.work);
	return r.ret;
}

static const struct vcpc_request cycles = {
	.type = PERF_TYPE_HARDWARE,
	.config = PERF_COUNT_HW_CPU_CYCLES,
	.flags = VCPC_REQ_F_USER,
};

/**
 * vcpc_probe_core_type() - a CPU's own number for its core's PMU
 * @cpu: which CPU
 *
 * Context: sleeps.
 * Return: the PMU's type as in struct perf_event_attr, or a negative errno.
 */
int vcpc_probe_core_type(int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = cycles.type,
		.config = cycles.config,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	int type;

	if (IS_ERR(event))
		return PTR_ERR(event);
	type = vcpc_event_is_hw(event) ? event->pmu->type : -ENOENT;
	perf_event_release_kernel(event);
	return type;
}

/**
 * vcpc_probe_slots() - how many counters a set can have on this CPU
 *
 * Found by taking counters for the calling thread until there are no more, so
 * it is what others leave.
 *
 * Context: sleeps.
 * Return: the number; 0 if there is no PMU.
 */
unsigned int vcpc_probe_slots(void)
{
	const struct vcpc_place here = { .task = current, .cpu = -1 };
	struct perf_event *event[PROBE_MAX_SLOTS];
	unsigned int nr, slots = 0;

	for (nr = 0; nr < PROBE_MAX_SLOTS && slots == nr; nr++) {
		event[nr] = vcpc_event_open(&cycles, &here, NULL, 0);
		if (IS_ERR(event[nr]))
			break;
		if (READ_ONCE(event[nr]->state) == PERF_EVENT_STATE_ACTIVE)
			slots++;
	}
	while (nr)
		perf_event_release_kernel(event[--nr]);
	return slots;
}
