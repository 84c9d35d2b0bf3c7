/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_SCHED_PMU_H
#define VCPC_SCHED_PMU_H

struct perf_event;
struct task_struct;
struct vcpc_sched;

/**
 * struct vcpc_sched_ops - what a thread is watched for
 * @arrives: it comes to a CPU
 * @leaves: in the thread: it leaves its CPU, and its counters are off the PMU
 *
 * Both under the scheduler's locks, or perf's, with interrupts off.
 */
struct vcpc_sched_ops {
	void (*arrives)(struct vcpc_sched *sched);
	void (*leaves)(struct vcpc_sched *sched);
};

/**
 * struct vcpc_sched - who watches a thread
 * @ops: how
 * @event: of the PMU; NULL if nothing is watched
 */
struct vcpc_sched {
	const struct vcpc_sched_ops *ops;
	struct perf_event *event;
};

int vcpc_sched_open(struct vcpc_sched *sched, struct task_struct *task);
void vcpc_sched_close(struct vcpc_sched *sched);
void vcpc_sched_exit(void);

#endif
