/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Set the fields of a PMU's event codes by name. */
#ifndef SHIM_CORE_FORMAT_H
#define SHIM_CORE_FORMAT_H

#include <stddef.h>
#include <linux/vcpc.h>

/* The directory in which the kernel lists its PMUs */
#define SHIM_FORMAT_DEVICES	"/sys/bus/event_source/devices"

struct shim_pmu_format;

int shim_pmu_format__open(const char *devices, struct shim_pmu_format **out);
int shim_pmu_format__open_of(const char *devices, const char *pmu, struct shim_pmu_format **out);
void shim_pmu_format__close(struct shim_pmu_format *format);
const char *shim_pmu_format__pmu(const struct shim_pmu_format *format);
const char *shim_pmu_format__name(const struct shim_pmu_format *format, size_t i);
int shim_pmu_format__set(const struct shim_pmu_format *format, const char *name, __u64 value,
			 struct vcpc_request *req);

#endif /* SHIM_CORE_FORMAT_H */
