/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The core PMUs of this machine: one, or one for each kind of core. */
#ifndef SHIM_CORE_PMUS_H
#define SHIM_CORE_PMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/vcpc.h>

#define SHIM_PMUS_MAX	8	/* kinds of core */
#define SHIM_PMU_NAME	32
#define SHIM_PMU_CPUS	4096	/* CPUs with higher numbers are ignored */

/*
 * In struct vcpc_request.reserved[0]: the event is for the PMU of its type, not for all core PMUs.
 */
#define SHIM_REQ_ONE_PMU	1

/**
 * struct shim_pmu - a core PMU
 * @name: the kernel's name
 * @type: the PMU's perf type
 * @nr_cpus: number of its CPUs; 0 if the kernel does not list them because the PMU counts on
 *   all CPUs
 * @list: list of its CPUs in the kernel's format, possibly truncated; "" for all CPUs
 * @cpus: a bit for each CPU
 */
struct shim_pmu {
	char name[SHIM_PMU_NAME];
	__u32 type;
	unsigned int nr_cpus;
	char list[128];
	__u64 cpus[SHIM_PMU_CPUS / 64];
};

/* All core PMUs, in descending order of their names */
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

/* Results of shim_pmus__of() that are not the index of a PMU */
#define SHIM_PMUS_ALL	-1	/* an event of every core PMU */
#define SHIM_PMUS_NONE	-2	/* an event of no core PMU, such as a software event */

#endif /* SHIM_CORE_PMUS_H */
