/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Divide counted CPUs into parts for output: each CPU, or each core. */
#ifndef VCPC_PARTS_H
#define VCPC_PARTS_H

#include "target.h"

enum vcpc_apart { VCPC_TOGETHER, VCPC_EACH_CPU, VCPC_EACH_CORE };

/*
 * struct vcpc_part - targets whose counts are added up
 * @label: "CPU0", or "S0-D0-C0" as in perf stat; "" if all targets are added up
 * @cpus: number of CPUs of a core, otherwise 0
 */
struct vcpc_part {
	char label[48];
	unsigned int cpus;
};

/* @of: for each target, the index of its part among the @n in @part */
struct vcpc_parts {
	unsigned int n;
	struct vcpc_part part[VCPC_TARGETS];
	unsigned int of[VCPC_TARGETS];
};

void vcpc_parts_divide(struct vcpc_parts *parts, enum vcpc_apart apart, const struct vcpc_targets *targets);

#endif /* VCPC_PARTS_H */
