/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations shared by the two files of the synthetic core PMUs */
#ifndef SYNTHETIC_PMU_H
#define SYNTHETIC_PMU_H

#include <linux/bitops.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

#define PROGRAMMABLE	4
#define FIXED		3
#define COUNTERS	(PROGRAMMABLE + FIXED)
#define WIDTH		48

enum synth_kind { CORE, ATOM, KINDS };

struct synth_pmu {
	struct pmu pmu;
	enum synth_kind kind;
	bool registered;
};

/**
 * struct synth_cpu - a CPU's counters
 * @ticks: the PMU's time
 * @last: local_clock() at the last update
 * @disabled: depth of pmu_disable()
 * @latched: ticks stop while a group is read
 * @manual: ticks come from writes to "work"
 * @pending: an interrupt was requested
 * @event: the event on each counter
 * @timer: expires when the next counter overflows
 * @work: the interrupt, handled outside the NMI
 */
struct synth_cpu {
	u64 ticks;
	u64 last;
	int disabled;
	bool latched;
	bool manual;
	bool pending;
	struct perf_event *event[COUNTERS];
	struct hrtimer timer;
	struct irq_work work;
};

typedef int synth_overflow_fn(struct perf_event *event, struct perf_sample_data *data,
			      struct pt_regs *regs);

extern bool synth_one, synth_nmi;
extern synth_overflow_fn *synth_overflow;
extern struct synth_pmu synth_pmus[KINDS];
DECLARE_PER_CPU(struct synth_cpu, synth_cpus);

void synth_make_noise(void);
u64 synth_now(struct synth_cpu *cpu);
void synth_arm(struct synth_cpu *cpu);
void synth_work(u64 ticks);
int synth_on_nmi(unsigned int type, struct pt_regs *regs);
void synth_init_cpu(struct synth_cpu *cpu, bool manual);
struct pmu synth_describe(void);

#endif /* SYNTHETIC_PMU_H */
