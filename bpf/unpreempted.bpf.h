/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Run the programs of probes with preemption disabled on kernels that support it. */
#ifndef VCPC_BPF_UNPREEMPTED_H
#define VCPC_BPF_UNPREEMPTED_H

#include <bpf/bpf_helpers.h>

/*
 * Programs that use these calls must not be preempted, because they change a CPU's rows in place.
 * While the program of a tracepoint is preempted, it also misses the events of other threads.
 * Since Linux 6.13 a program with more than 64 bytes of stack has one stack per CPU, so a preempted
 * uprobe program shares its stack with that of another thread, and Linux 7.3 panics.  On older
 * kernels, which lack these calls, preemption corrupts at most one event per row.
 */
extern void bpf_preempt_disable(void) __ksym __weak;
extern void bpf_preempt_enable(void) __ksym __weak;

/* @body may use the stack.  The attached function, which calls it, must use almost no stack. */
#define VC_UNPREEMPTED(body) do {						\
	if (bpf_preempt_disable && bpf_preempt_enable) {			\
		bpf_preempt_disable();						\
		body;								\
		bpf_preempt_enable();						\
	} else {								\
		body;								\
	}									\
} while (0)

#endif /* VCPC_BPF_UNPREEMPTED_H */
