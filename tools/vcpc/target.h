/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets to count instead of a command: existing processes, threads and CPUs. */
#ifndef VCPC_TARGET_H
#define VCPC_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <shim/shim.h>

#include "vcpc.h"

#define VCPC_TARGETS	1024

/* All targets are of the same kind, which the first requested target determines. */
enum vcpc_target_kind { VCPC_NO_TARGETS, VCPC_PROCESSES, VCPC_THREADS, VCPC_CPUS };

/*
 * @ids: @n different process, thread or CPU numbers
 * @cgroup: with CPUs: count only the processes of this control group; or NULL
 */
struct vcpc_targets {
	enum vcpc_target_kind kind;
	unsigned int n;
	const char *cgroup;
	pid_t ids[VCPC_TARGETS];
};

/*
 * Add targets.  @list contains comma-separated numbers and, for CPUs, ranges such as 0-3.  Return
 * 0, or an exit status after printing a message.
 */
int vcpc_targets_add(struct vcpc_targets *targets, enum vcpc_target_kind kind, const char *list);
/* Add all CPUs that are online. */
int vcpc_targets_add_all(struct vcpc_targets *targets);
/* Count target @i from now on.  Return 0, or an exit status after printing a message. */
int vcpc_targets_bind(const struct vcpc_targets *targets, unsigned int i, struct shim_set *set);
/*
 * Write a description such as "process 12 (make)", "CPUs 0, 1" or "control group user.slice on CPUs
 * 0, 1".
 */
void vcpc_targets_text(const struct vcpc_targets *targets, char *buf, size_t size);

/*
 * Wait until a signal interrupts, @duration ns (0: no limit) have passed, or all processes or
 * threads have ended.  Report each that has ended.  @delay is the time until the first @tick, which
 * is as for vcpc_child_wait().  Return 0, or an exit status after printing a message.
 */
int vcpc_targets_wait(const struct vcpc_targets *targets, uint64_t delay, uint64_t interval,
		      uint64_t duration, vcpc_tick_fn *tick, void *arg);

#endif /* VCPC_TARGET_H */
