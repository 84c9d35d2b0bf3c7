// SPDX-License-Identifier: GPL-2.0
/*
 * What this machine can count: which events are offered, how many at a time, on which cores.
 * Found by trying.
 *
 * Offered are events of the CPU's core and of software, nothing else.  Other PMUs
 * (tracepoints, probes, breakpoints, tracing hardware, memory controllers) see more than one
 * thread's user-mode work, or do more than count.
 *
 * Locking: the table of cores is written at load only; slots is atomic.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "deferred.h"
#include "event.h"
#include "hardware.h"
#include "internals.h"

/* Kinds of core in one machine */
#define MAX_CORES	8
/* A PMU with more counters than this is not known; it ends the trying. */
#define MAX_SLOTS	64

static u32 cores[MAX_CORES];
static unsigned int nr_cores;
static atomic_t slots = ATOMIC_INIT(0);

static const struct vcpc_request cycles = {
	.type = PERF_TYPE_HARDWARE,
	.config = PERF_COUNT_HW_CPU_CYCLES,
	.flags = VCPC_REQ_F_USER,
};

static bool is_core(u32 type)
{
	unsigned int i;

	for (i = 0; i < nr_cores; i++)
		if (cores[i] == type)
			return true;
	return false;
}

/* The type of a CPU's core's PMU, as in struct perf_event_attr, or a negative errno */
static int core_type(int cpu)
{
	const struct vcpc_place there = { .cpu = cpu };
	struct perf_event *event = vcpc_event_open(&cycles, &there, NULL, VCPC_EVENT_DISABLED);
	int type;

	if (IS_ERR(event))
		return PTR_ERR(event);
	type = vcpc_event_is_hw(event) ? (int)event->pmu->type : -ENOENT;
	perf_event_release_kernel(event);
	return type;
}

/**
 * vcpc_hardware_init() - find the PMUs of the CPUs' cores, and how much they count
 *
 * Context: sleeps; at load.
 */
void vcpc_hardware_init(void)
{
	int cpu, type;

	for_each_online_cpu(cpu) {
		type = core_type(cpu);
		if (type >= 0 && !is_core(type) && nr_cores < MAX_CORES)
			cores[nr_cores++] = type;
	}
	vcpc_hardware_saw(vcpc_hardware_try_slots());
}

/**
 * vcpc_hardware_try_slots() - how many counters a set can have on this CPU
 *
 * Found by taking counters for the calling thread until there are no more, so
 * it is what others leave.
 *
 * Context: sleeps.
 * Return: the number; 0 if there is no PMU.
 */
unsigned int vcpc_hardware_try_slots(void)
{
	const struct vcpc_place here = { .task = current, .cpu = -1 };
	struct perf_event *event[MAX_SLOTS];
	unsigned int nr, found = 0;

	for (nr = 0; nr < MAX_SLOTS && found == nr; nr++) {
		event[nr] = vcpc_event_open(&cycles, &here, NULL, 0);
		if (IS_ERR(event[nr]))
			break;
		if (vcpc_event_state(event[nr]) == PERF_EVENT_STATE_ACTIVE)
			found++;
	}
	while (nr)
		perf_event_release_kernel(event[--nr]);
	return found;
}

/* Generic events say in the upper half which kind of core is meant. */
static bool generic_offered(const struct vcpc_request *req)
{
	u32 core = req->config >> PERF_PMU_TYPE_SHIFT;

	return !core || is_core(core);
}

static bool software_offered(const struct vcpc_request *req)
{
	return req->config < PERF_COUNT_SW_MAX && req->config != PERF_COUNT_SW_BPF_OUTPUT;
}

static bool is_offered(const struct vcpc_request *req)
{
	switch (req->type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		return generic_offered(req);
	case PERF_TYPE_SOFTWARE:
		return software_offered(req);
	case PERF_TYPE_RAW:
		return true;
	default:
		return is_core(req->type);
	}
}

/**
 * vcpc_hardware_check() - can this be counted here at all?
 * @req: the request; the caller has checked that it is allowed
 *
 * Context: sleeps.
 * Return: 0, -EOPNOTSUPP for events that are not offered, or the PMU's error.
 */
int vcpc_hardware_check(const struct vcpc_request *req)
{
	const struct vcpc_place here = { .task = current, .cpu = -1 };
	struct perf_event *event;
	int ret;

	if (!is_offered(req))
		return -EOPNOTSUPP;
	/* Trying would tell nothing, and the first event of its kind is dear to all CPUs. */
	if (req->type == PERF_TYPE_SOFTWARE)
		return 0;
	event = vcpc_event_open(req, &here, NULL, VCPC_EVENT_DISABLED);
	if (IS_ERR(event))
		return PTR_ERR(event);
	ret = vcpc_event_check(event, req->type);
	perf_event_release_kernel(event);
	return ret;
}

/**
 * struct rehearsal - a try whether hardware events fit together
 * @reqs: which events
 * @nr: how many
 * @bad: set to the first that found no room
 * @ret: what came of it
 */
struct rehearsal {
	const struct vcpc_request *reqs;
	unsigned int nr;
	int *bad;
	int ret;
};

/* One after the other, until one finds no room: no more than the PMU has, and one. */
static void try_each(struct rehearsal *r, struct perf_event **events, unsigned int *nr)
{
	const struct vcpc_place here = { .task = current, .cpu = -1 };
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < r->nr && *nr < MAX_SLOTS; i++) {
		if (r->reqs[i].type == PERF_TYPE_SOFTWARE)
			continue;
		event = vcpc_event_open(&r->reqs[i], &here, NULL, 0);
		if (IS_ERR(event)) {
			r->ret = PTR_ERR(event);
		} else {
			events[(*nr)++] = event;
			if (vcpc_event_state(event) == PERF_EVENT_STATE_ERROR)
				r->ret = -ENOSPC;
		}
		if (r->ret) {
			*r->bad = i;
			return;
		}
	}
}

static void rehearse(void *arg)
{
	struct rehearsal *r = arg;
	struct perf_event *events[MAX_SLOTS];
	unsigned int nr = 0;

	try_each(r, events, &nr);
	while (nr)
		perf_event_release_kernel(events[--nr]);
}

static bool any_hardware(const struct vcpc_request *reqs, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (reqs[i].type != PERF_TYPE_SOFTWARE)
			return true;
	return false;
}

/**
 * vcpc_hardware_rehearse() - see whether requests fit on the CPU together
 * @reqs: the requests
 * @nr: how many
 * @bad: on failure set to the first request that found no room
 *
 * For threads that do not run or will start later, whose counters cannot tell
 * yet.  A kernel thread that has no counters of its own plays their part.  Software always
 * finds room, so this takes no longer than the PMU has counters.
 *
 * Context: sleeps; the caller sees to it that each user does this once at a time.
 * Return: 0, -ENOSPC, or the PMU's error.
 */
int vcpc_hardware_rehearse(const struct vcpc_request *reqs, unsigned int nr, int *bad)
{
	struct rehearsal r = { .reqs = reqs, .nr = nr, .bad = bad };

	if (!any_hardware(reqs, nr))
		return 0;
	vcpc_deferred_for_caller(rehearse, &r);
	return r.ret;
}

/**
 * vcpc_hardware_mixed() - are there different kinds of core?
 *
 * Return: true if a thread may come to a CPU that does not have its events.
 */
bool vcpc_hardware_mixed(void)
{
	return nr_cores > 1;
}

/**
 * vcpc_hardware_slots() - hardware counters found so far
 *
 * Return: the number; 0 if there is no PMU.
 */
unsigned int vcpc_hardware_slots(void)
{
	return atomic_read(&slots);
}

/**
 * vcpc_hardware_saw() - so many hardware counters were in use together
 * @nr: the number
 */
void vcpc_hardware_saw(unsigned int nr)
{
	int old = atomic_read(&slots);

	while (old < (int)nr && !atomic_try_cmpxchg(&slots, &old, nr))
		;
}
