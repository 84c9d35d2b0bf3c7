// SPDX-License-Identifier: GPL-2.0
/*
 * Determine by trial which events this machine can count, and how many at the same time.
 *
 * Only core PMU events and software events are offered.  Other PMUs (tracepoints, probes,
 * breakpoints, tracing hardware, memory controllers) count more than one thread's user-mode work,
 * or do more than count.
 *
 * Locking: none.  One worker writes the anchors; everything else is written only at load time.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/workqueue.h>

#include "counter.h"
#include "hardware.h"
#include "internals.h"

/* Maximum number of core types in one machine */
#define MAX_CORES	8
/* No known PMU has more counters than this. */
#define MAX_SLOTS	64

static u32 cores[MAX_CORES];
static unsigned int nr_cores;
static unsigned int slots;

/*
 * Opening the first event of a kind and closing the last one interrupt all CPUs: software events
 * patch the kernel's text, and some core PMUs change tables of all CPUs.  To prevent users from
 * causing these interrupts repeatedly, the module keeps one disabled event of each kind open from
 * the first set until it is unloaded.  A worker opens them, because an event belongs to its
 * creator's PID namespace, and perf requires CAP_PERFMON for CPU events.
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

/* Ignore failures: without an anchor, counting only costs more. */
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
 * vcpc_hardware_exit() - close the anchors at unload
 */
void vcpc_hardware_exit(void)
{
	unsigned int i;

	flush_work(&anchor_work);
	for (i = 0; i < ARRAY_SIZE(anchors); i++)
		if (!IS_ERR_OR_NULL(anchors[i]))
			perf_event_release_kernel(anchors[i]);
}

/* Return the type of a CPU's core PMU, as in struct perf_event_attr, or a negative errno. */
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

/* Count the hardware counters that are free for the calling thread. */
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
 * vcpc_hardware_init() - find the core PMUs and count their free counters
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
	/* The upper half of a generic event's config is the type of the core PMU. */
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
 * vcpc_hardware_check() - check whether this machine can count an event
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
	/* Other PMUs count several threads together, or do more than count. */
	ret = vcpc_event_is_hw(event) ? 0 : -EOPNOTSUPP;
	perf_event_release_kernel(event);
	return ret;
}

/**
 * vcpc_hardware_slots() - get the maximum number of hardware counters per set
 *
 * Return: the number found at load time; 0 if there is no PMU.
 */
unsigned int vcpc_hardware_slots(void)
{
	return slots;
}
