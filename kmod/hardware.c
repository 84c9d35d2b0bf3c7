// SPDX-License-Identifier: GPL-2.0
/*
 * What this machine can count: which events are offered, and how many at a time.  Found by
 * trying.
 *
 * Only events of the CPU's core and of software are offered.  Other PMUs (tracepoints, probes,
 * breakpoints, tracing hardware, memory controllers) see more than one thread's user-mode work,
 * or do more than count.
 *
 * Locking: none; all is written at load only, except for the anchors, by one worker.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/workqueue.h>

#include "counter.h"
#include "hardware.h"
#include "internals.h"

/* Kinds of core in one machine */
#define MAX_CORES	8
/* No known PMU has more counters than this. */
#define MAX_SLOTS	64

static u32 cores[MAX_CORES];
static unsigned int nr_cores;
static unsigned int slots;

/*
 * The first event of a kind, and the end of the last one, interrupt all CPUs: software's patch the
 * kernel's text, and some core PMUs change all CPUs' tables.  So the module keeps one of each kind
 * from the first set to unload, which does not count: users cause that once.  A worker opens them,
 * because events belong to their creator's pid namespace, and perf asks for CAP_PERFMON on a CPU.
 */
static struct perf_event *anchors[PERF_COUNT_SW_MAX + 1];
static atomic_t anchored = ATOMIC_INIT(0);

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

static struct perf_event *open_dormant(u32 type, u64 config, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config = config,
		.disabled = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
}

/* Without one, counting is only dearer. */
static void open_anchors(struct work_struct *work)
{
	int cpu = cpumask_first(cpu_online_mask);
	unsigned int i;

	for (i = 0; i < PERF_COUNT_SW_MAX; i++)
		anchors[i] = open_dormant(PERF_TYPE_SOFTWARE, i, cpu);
	anchors[i] = open_dormant(cycles.type, cycles.config, cpu);
}

static DECLARE_WORK(anchor_work, open_anchors);

/**
 * vcpc_hardware_exit() - give the anchors back; at unload
 */
void vcpc_hardware_exit(void)
{
	unsigned int i;

	flush_work(&anchor_work);
	for (i = 0; i < ARRAY_SIZE(anchors); i++)
		if (!IS_ERR_OR_NULL(anchors[i]))
			perf_event_release_kernel(anchors[i]);
}

/* The type of a CPU's core's PMU, as in struct perf_event_attr, or a negative errno */
static int core_type(int cpu)
{
	struct perf_event *event = open_dormant(cycles.type, cycles.config, cpu);
	int type;

	if (IS_ERR(event))
		return PTR_ERR(event);
	type = vcpc_event_is_hw(event) ? (int)event->pmu->type : -ENOENT;
	perf_event_release_kernel(event);
	return type;
}

/* How many counters there are for the calling thread beside what others have taken */
static unsigned int try_slots(void)
{
	struct perf_event *event[MAX_SLOTS];
	unsigned int nr, found = 0;

	for (nr = 0; nr < MAX_SLOTS && found == nr; nr++) {
		event[nr] = vcpc_event_open(&cycles, 0, NULL, NULL, false);
		if (IS_ERR(event[nr]))
			break;
		if (vcpc_event_state(event[nr]) == PERF_EVENT_STATE_ACTIVE)
			found++;
	}
	while (nr)
		perf_event_release_kernel(event[--nr]);
	return found;
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
	slots = try_slots();
}

static bool is_offered(const struct vcpc_request *req)
{
	/* Generic events name the kind of core in their upper half. */
	u32 core = req->config >> PERF_PMU_TYPE_SHIFT;

	switch (req->type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		return !core || is_core(core);
	case PERF_TYPE_SOFTWARE:
		return req->config < PERF_COUNT_SW_MAX &&
		       req->config != PERF_COUNT_SW_BPF_OUTPUT;
	case PERF_TYPE_RAW:
		return true;
	default:
		return is_core(req->type);
	}
}

/**
 * vcpc_hardware_check() - whether an event can be counted here at all
 * @req: the request; the caller has checked that it is allowed
 *
 * Context: sleeps.
 * Return: 0, -EOPNOTSUPP for events that are not offered, or the PMU's error.
 */
int vcpc_hardware_check(const struct vcpc_request *req)
{
	struct perf_event *event;
	int ret;

	if (!is_offered(req))
		return -EOPNOTSUPP;
	if (unlikely(!atomic_read(&anchored)) && !atomic_xchg(&anchored, 1))
		schedule_work(&anchor_work);
	if (req->type == PERF_TYPE_SOFTWARE)
		return 0;
	event = vcpc_event_open(req, 0, NULL, NULL, true);
	if (IS_ERR(event))
		return PTR_ERR(event);
	/* Other PMUs count what several threads do, or do more than count. */
	ret = vcpc_event_is_hw(event) ? 0 : -EOPNOTSUPP;
	perf_event_release_kernel(event);
	return ret;
}

/**
 * vcpc_hardware_slots() - how many hardware counters a set can have
 *
 * Return: the number that was found at load; 0 if there is no PMU.
 */
unsigned int vcpc_hardware_slots(void)
{
	return slots;
}
