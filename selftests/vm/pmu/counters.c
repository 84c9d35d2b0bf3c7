// SPDX-License-Identifier: GPL-2.0
/* The synthetic core PMUs' events and counters */
#include <asm/apic.h>
#include <asm/irq_regs.h>
#include <asm/nmi.h>
#include <asm/ptrace.h>
#include <linux/module.h>
#include <linux/sched/clock.h>

#include "synthetic_pmu.h"

#define MASK		GENMASK_ULL(WIDTH - 1, 0)
#define MAX_PERIOD	(BIT_ULL(WIDTH - 1) - 1)
#define FIXED_INDEX	BIT(30)

/* Work is performed in steps of this many ticks.  Overflows are handled after each step. */
#define STEP		BIT_ULL(36)

/* Maximum time until the timer expires, in ns */
#define LONGEST		(3600 * NSEC_PER_SEC)

/* The counters that an event can use: any programmable counter, or a fixed one */
#define ANY		GENMASK(PROGRAMMABLE - 1, 0)
#define FIX(n)		BIT(PROGRAMMABLE + (n))

static const struct synth_event {
	u16 code;
	int generic;
	unsigned long counters;
	u8 rate[KINDS];		/* per tick; 0 if this kind of core does not have the event */
	bool noisy;		/* the rate changes at random by a factor between 1 and NOISE */
} events[] = {
	{ 0x003c, PERF_COUNT_HW_CPU_CYCLES, ANY | FIX(1), { 4, 2 } },
	{ 0x00c0, PERF_COUNT_HW_INSTRUCTIONS, ANY | FIX(0), { 6, 1 } },
	{ 0x0300, PERF_COUNT_HW_REF_CPU_CYCLES, FIX(2), { 1, 1 } },
	{ 0x00c4, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, ANY, { 2, 1 } },
	{ 0x00c5, PERF_COUNT_HW_BRANCH_MISSES, BIT(0) | BIT(1), { 1, 1 } },
	{ 0x4f2e, PERF_COUNT_HW_CACHE_REFERENCES, ANY, { 3, 1 } },
	{ 0x412e, PERF_COUNT_HW_CACHE_MISSES, BIT(3), { 1, 2 } },
	{ 0x00d0, -1, ANY, { 5, 0 } },
	{ 0x00d1, -1, ANY, { 0, 5 } },
	/*
	 * These events count the same.  The first two share a counter, so they are multiplexed; the
	 * third has its own.
	 */
	{ 0x00d2, -1, BIT(2), { 1, 2 }, true },
	{ 0x00d3, -1, BIT(2), { 1, 2 }, true },
	{ 0x00d4, -1, BIT(1), { 1, 2 }, true },
};

/*
 * In each epoch of EPOCH ticks, an event with rate 1 occurs a random number of times per tick, 1 to
 * NOISE.  noise[i] is the sum of these numbers over the first i epochs.
 */
#define NOISE		16
#define EPOCH		BIT_ULL(20)
#define EPOCHS		1024
static u32 noise[EPOCHS + 1];

void synth_make_noise(void)
{
	u32 random = 1;

	for (int i = 0; i < EPOCHS; i++) {
		random = random * 1664525 + 1013904223;
		noise[i + 1] = noise[i] + 1 + (random >> 16) % NOISE;
	}
}

static u64 noise_until(u64 ticks)
{
	u64 epoch = ticks / EPOCH, at = epoch % EPOCHS;

	return (epoch / EPOCHS * noise[EPOCHS] + noise[at]) * EPOCH +
	       (noise[at + 1] - noise[at]) * (ticks % EPOCH);
}

DEFINE_PER_CPU(struct synth_cpu, synth_cpus);

static enum synth_kind kind_of(const struct perf_event *event)
{
	return container_of(event->pmu, struct synth_pmu, pmu)->kind;
}

static bool is_on(enum synth_kind kind, int cpu)
{
	return synth_one || kind == (cpu ? ATOM : CORE);
}

static bool is_ours(const struct pmu *pmu)
{
	return pmu == &synth_pmus[CORE].pmu || pmu == &synth_pmus[ATOM].pmu;
}

static const struct synth_event *synth_of(const struct perf_event *event)
{
	return &events[event->hw.config];
}

static u64 rate_of(const struct perf_event *event)
{
	return synth_of(event)->rate[kind_of(event)];
}

/*
 * Return the PMU's time.  It stops while the PMU is disabled, so that all counters stop at the same
 * time, and then catches up, as perf's running time does.
 */
u64 synth_now(struct synth_cpu *cpu)
{
	u64 clock = local_clock();

	if (cpu->disabled || cpu->latched)
		return cpu->ticks;
	if (!cpu->manual && clock > cpu->last)
		cpu->ticks += clock - cpu->last;
	cpu->last = clock;
	return cpu->ticks;
}

/* Return the value of the event's counter.  It was config_base at the time event_base. */
static u64 counter_of(struct synth_cpu *cpu, const struct perf_event *event)
{
	const struct hw_perf_event *hwc = &event->hw;

	u64 from = hwc->event_base, to = synth_now(cpu);

	if (synth_of(event)->noisy) {
		from = noise_until(from);
		to = noise_until(to);
	}
	return (hwc->config_base + (to - from) * rate_of(event)) & MASK;
}

static void update(struct synth_cpu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 new, old, delta;

	if (hwc->state & PERF_HES_STOPPED)
		return;
	new = counter_of(cpu, event);
	old = local64_xchg(&hwc->prev_count, new);
	delta = (new - old) & MASK;
	local64_add(delta, &event->count);
	local64_sub(delta, &hwc->period_left);
}

/* Start the counter at minus the number of events left in the period. */
static void set_period(struct synth_cpu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left), period = hwc->sample_period;

	if (left <= -period) {
		left = period;
		hwc->last_period = period;
	} else if (left <= 0) {
		left += period;
		hwc->last_period = period;
	}
	local64_set(&hwc->period_left, left);
	if (left > (s64)MAX_PERIOD)
		left = MAX_PERIOD;
	hwc->config_base = -left & MASK;
	hwc->event_base = synth_now(cpu);
	local64_set(&hwc->prev_count, hwc->config_base);
	perf_event_update_userpage(event);
}

/* Assign the events in @list to counters in @at, those with the fewest choices first. */
static bool assign(struct perf_event *const *list, int n, struct perf_event **at)
{
	unsigned long used = 0;

	memset(at, 0, COUNTERS * sizeof(*at));
	for (int weight = 1; weight <= COUNTERS; weight++)
		for (int i = 0; i < n; i++) {
			unsigned long may = synth_of(list[i])->counters;

			if (hweight_long(may) != weight)
				continue;
			/* Exclude counters that are already in use. */
			may &= ~used;
			if (!may)
				return false;
			at[__fls(may)] = list[i];
			used |= BIT(__fls(may));
		}
	return true;
}

static int index_of(int counter)
{
	return counter < PROGRAMMABLE ? counter : counter - PROGRAMMABLE + FIXED_INDEX;
}

static int list_events(const struct synth_cpu *cpu, struct perf_event **list)
{
	int n = 0;

	for (int i = 0; i < COUNTERS; i++)
		if (cpu->event[i])
			list[n++] = cpu->event[i];
	return n;
}

static void synth_start(struct perf_event *event, int flags)
{
	struct synth_cpu *cpu = this_cpu_ptr(&synth_cpus);

	if (WARN_ON_ONCE(!(event->hw.state & PERF_HES_STOPPED)))
		return;
	event->hw.state = 0;
	set_period(cpu, event);
}

static void synth_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	update(this_cpu_ptr(&synth_cpus), event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int synth_add(struct perf_event *event, int flags)
{
	struct synth_cpu *cpu = this_cpu_ptr(&synth_cpus);
	struct perf_event *list[COUNTERS + 1], *at[COUNTERS];
	int n = list_events(cpu, list);

	if (WARN_ON_ONCE(!is_on(kind_of(event), smp_processor_id())))
		return -ENOENT;
	list[n++] = event;
	if (n > COUNTERS || !assign(list, n, at))
		return -EAGAIN;
	/* An event that moves to another counter keeps its value. */
	memcpy(cpu->event, at, sizeof(at));
	for (int i = 0; i < COUNTERS; i++) {
		if (!at[i] || at[i]->hw.idx == index_of(i))
			continue;
		at[i]->hw.idx = index_of(i);
		perf_event_update_userpage(at[i]);
	}
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		synth_start(event, flags);
	return 0;
}

static void synth_del(struct perf_event *event, int flags)
{
	struct synth_cpu *cpu = this_cpu_ptr(&synth_cpus);

	synth_stop(event, flags);
	for (int i = 0; i < COUNTERS; i++)
		if (cpu->event[i] == event)
			cpu->event[i] = NULL;
	event->hw.idx = -1;
	perf_event_update_userpage(event);
}

static void synth_read(struct perf_event *event)
{
	update(this_cpu_ptr(&synth_cpus), event);
}

static int synth_event_idx(struct perf_event *event)
{
	return event->hw.idx < 0 ? 0 : event->hw.idx + 1;
}

static int find_event(const struct perf_event *event, enum synth_kind kind)
{
	bool generic = event->attr.type == PERF_TYPE_HARDWARE;

	for (int i = 0; i < ARRAY_SIZE(events); i++) {
		if (!events[i].rate[kind])
			continue;
		if (generic ? events[i].generic == (int)event->attr.config :
			      events[i].code == event->attr.config)
			return i;
	}
	return generic ? -ENOENT : -EINVAL;
}

/* Return whether the event's group, including the event, fits on the counters. */
static bool group_fits(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	struct perf_event *list[COUNTERS], *at[COUNTERS];
	int n = 0;

	list[n++] = event;
	if (is_ours(leader->pmu) && leader != event)
		list[n++] = leader;
	if (leader == event)
		return true;
	for_each_sibling_event(sibling, leader) {
		if (!is_ours(sibling->pmu))
			continue;
		if (n == COUNTERS)
			return false;
		list[n++] = sibling;
	}
	return assign(list, n, at);
}

static int synth_event_init(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	int i;

	if (event->attr.type != event->pmu->type && event->attr.type != PERF_TYPE_HARDWARE)
		return -ENOENT;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	i = find_event(event, kind_of(event));
	if (i < 0)
		return i;
	if (event->cpu >= 0 && !is_on(kind_of(event), event->cpu))
		return -ENOENT;
	hwc->config = i;
	hwc->idx = -1;
	if (!hwc->sample_period) {
		hwc->sample_period = MAX_PERIOD;
		hwc->last_period = hwc->sample_period;
		local64_set(&hwc->period_left, hwc->sample_period);
	}
	return group_fits(event) ? 0 : -EINVAL;
}

/* Set the timer to the time of the next overflow. */
void synth_arm(struct synth_cpu *cpu)
{
	u64 soonest = LONGEST;
	bool any = false;

	for (int i = 0; i < COUNTERS; i++) {
		struct perf_event *event = cpu->event[i];
		u64 left;

		if (!event || event->hw.state & PERF_HES_STOPPED)
			continue;
		any = true;
		left = (BIT_ULL(WIDTH) - counter_of(cpu, event)) / rate_of(event) + 1;
		if (synth_of(event)->noisy)
			left = left / NOISE + 1;
		soonest = min(soonest, left);
	}
	if (any && !cpu->manual)
		hrtimer_start(&cpu->timer, ns_to_ktime(soonest), HRTIMER_MODE_REL_PINNED_HARD);
	else
		hrtimer_try_to_cancel(&cpu->timer);
}

static void overflow(struct synth_cpu *cpu, struct perf_event *event, struct pt_regs *regs)
{
	struct perf_sample_data data;
	u64 period = event->hw.last_period;

	update(cpu, event);
	if (local64_read(&event->hw.prev_count) & BIT_ULL(WIDTH - 1))
		return;
	set_period(cpu, event);
	if (!event->attr.sample_period && !event->attr.freq)
		return;
	perf_sample_data_init(&data, 0, period);
	if (synth_overflow(event, &data, regs))
		synth_stop(event, 0);
}

/* Handle the interrupt or NMI. */
static void handle(struct synth_cpu *cpu, struct pt_regs *regs)
{
	if (cpu->disabled)
		return;
	for (int i = 0; i < COUNTERS; i++)
		if (cpu->event[i] && !(cpu->event[i]->hw.state & PERF_HES_STOPPED))
			overflow(cpu, cpu->event[i], regs);
}

/* Raise the interrupt on this CPU. */
static void request(struct synth_cpu *cpu)
{
	WRITE_ONCE(cpu->pending, true);
	if (synth_nmi)
		apic->send_IPI(smp_processor_id(), NMI_VECTOR);
	else
		irq_work_queue(&cpu->work);
}

int synth_on_nmi(unsigned int type, struct pt_regs *regs)
{
	struct synth_cpu *cpu = this_cpu_ptr(&synth_cpus);

	if (!READ_ONCE(cpu->pending))
		return NMI_DONE;
	WRITE_ONCE(cpu->pending, false);
	handle(cpu, regs);
	/* Arm the timer again outside the NMI. */
	irq_work_queue(&cpu->work);
	return NMI_HANDLED;
}

static void on_irq_work(struct irq_work *work)
{
	struct synth_cpu *cpu = container_of(work, struct synth_cpu, work);
	struct pt_regs *regs = get_irq_regs();
	unsigned long flags;

	local_irq_save(flags);
	if (!synth_nmi && READ_ONCE(cpu->pending)) {
		WRITE_ONCE(cpu->pending, false);
		handle(cpu, regs ? regs : task_pt_regs(current));
	}
	synth_arm(cpu);
	local_irq_restore(flags);
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	request(container_of(timer, struct synth_cpu, timer));
	return HRTIMER_NORESTART;
}

static void synth_disable(struct pmu *pmu)
{
	struct synth_cpu *cpu = this_cpu_ptr(&synth_cpus);

	synth_now(cpu);
	cpu->disabled++;
	barrier();
}

static void synth_enable(struct pmu *pmu)
{
	struct synth_cpu *cpu = this_cpu_ptr(&synth_cpus);

	barrier();
	if (!--cpu->disabled)
		synth_arm(cpu);
}

/*
 * Stop the PMU's time while perf reads a group, so that all of its events are read at the same
 * time. Disable the PMU during other transactions.
 */
static void synth_start_txn(struct pmu *pmu, unsigned int flags)
{
	struct synth_cpu *cpu = this_cpu_ptr(&synth_cpus);

	synth_now(cpu);
	if (flags == PERF_PMU_TXN_READ)
		cpu->latched = true;
	else
		synth_disable(pmu);
}

static void end_txn(struct pmu *pmu)
{
	struct synth_cpu *cpu = this_cpu_ptr(&synth_cpus);

	if (cpu->latched)
		cpu->latched = false;
	else
		synth_enable(pmu);
}

static int synth_commit_txn(struct pmu *pmu)
{
	end_txn(pmu);
	return 0;
}

static void synth_cancel_txn(struct pmu *pmu)
{
	end_txn(pmu);
}

#ifdef HAVE_FILTER_MATCH
static int synth_filter_match(struct perf_event *event)
{
	return is_on(kind_of(event), smp_processor_id());
}
#else
static bool synth_filter(struct pmu *pmu, int cpu)
{
	return !is_on(container_of(pmu, struct synth_pmu, pmu)->kind, cpu);
}
#endif

static void do_step(u64 ticks)
{
	struct synth_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&synth_cpus);
	cpu->ticks += ticks;
	for (int i = 0; i < COUNTERS; i++)
		if (cpu->event[i] && !(cpu->event[i]->hw.state & PERF_HES_STOPPED) &&
		    !(counter_of(cpu, cpu->event[i]) & BIT_ULL(WIDTH - 1))) {
			request(cpu);
			break;
		}
	local_irq_restore(flags);
}

/* Advance this CPU's time by the given number of ticks. */
void synth_work(u64 ticks)
{
	for (; ticks > STEP; ticks -= STEP)
		do_step(STEP);
	do_step(ticks);
}

#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
/*
 * Old kernels require this flag of each task PMU except the first, even after the first one has
 * been unregistered.
 */
#define ALL_KINDS	PERF_PMU_CAP_HETEROGENEOUS_CPUS
#else
#define ALL_KINDS	0
#endif

struct pmu synth_describe(void)
{
	return (struct pmu) {
		.module = THIS_MODULE,
		.task_ctx_nr = perf_hw_context,
		.capabilities = PERF_PMU_CAP_EXTENDED_HW_TYPE | ALL_KINDS,
		.pmu_enable = synth_enable,
		.pmu_disable = synth_disable,
		.event_init = synth_event_init,
		.add = synth_add,
		.del = synth_del,
		.start = synth_start,
		.stop = synth_stop,
		.read = synth_read,
		.start_txn = synth_start_txn,
		.commit_txn = synth_commit_txn,
		.cancel_txn = synth_cancel_txn,
		.event_idx = synth_event_idx,
#ifdef HAVE_FILTER_MATCH
		.filter_match = synth_filter_match,
#else
		.filter = synth_filter,
#endif
	};
}

void synth_init_cpu(struct synth_cpu *cpu, bool manual)
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(&cpu->timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
#else
	hrtimer_init(&cpu->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	cpu->timer.function = on_timer;
#endif
	cpu->work = IRQ_WORK_INIT_HARD(on_irq_work);
	cpu->manual = manual;
}
