/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The core PMUs of this machine: one, or one for each kind of core. */
#ifndef SHIM_CORE_PMUS_H
#define SHIM_CORE_PMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/vcpc.h>

#define SHIM_PMUS_MAX	8	/* kinds of core */
#define SHIM_PMU_NAME	32
#define SHIM_PMU_CPUS	4096	/* CPUs with higher numbers belong to no PMU */

/* In struct vcpc_request.reserved[0]: the event is of the PMU of its type, not of every core PMU. */
#define SHIM_REQ_ONE_PMU	1

/**
 * struct shim_pmu - a core PMU
 * @name: the kernel's
 * @type: perf's number of it
 * @nr_cpus: how many CPUs it has; 0 if the kernel does not list them, because it has all
 * @list: of CPUs, as the kernel writes it; cut if it is longer; "" if it has all
 * @cpus: a bit for each CPU
 */
struct shim_pmu {
	char name[SHIM_PMU_NAME];
	__u32 type;
	unsigned int nr_cpus;
	char list[128];
	__u64 cpus[SHIM_PMU_CPUS / 64];
};

/* In the order of their names in the kernel's folder */
struct shim_pmus {
	unsigned int n;
	struct shim_pmu pmu[SHIM_PMUS_MAX];
};

int shim_pmus__read(const char *devices, struct shim_pmus *out);
int shim_pmus__load(void);
const struct shim_pmus *shim_pmus__get(void);
const struct shim_pmus *shim_pmus__several(void);
int shim_pmus__of(const struct shim_pmus *pmus, const struct vcpc_request *req);
bool shim_pmus__make(const struct shim_pmus *pmus, unsigned int kind,
		     const struct vcpc_request *req, struct vcpc_request *out);
const char *shim_pmus__names(char *buf, size_t size);
int shim_pmus__kind(const struct vcpc_request *req);
bool shim_pmus__has_cpu(const struct shim_pmu *pmu, unsigned int cpu);

/* What shim_pmus__of() returns but the number of a PMU */
#define SHIM_PMUS_ALL	-1	/* an event of every core PMU */
#define SHIM_PMUS_NONE	-2	/* of no core PMU, such as a software event */

#endif /* SHIM_CORE_PMUS_H */
