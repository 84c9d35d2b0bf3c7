/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event sets and derived metrics, which hpmcount counts and pmlist lists. */
#ifndef HPM_H
#define HPM_H

#include <stdlib.h>
#include <string.h>

#include "aix/pmapi.h"

#define HPM_ANY		(PM_VERIFIED | PM_UNVERIFIED | PM_CAVEAT | PM_GET_GROUPS)

/* Metrics are a times the first over b times the second. */
struct hpm_metric {
	const char *id;
	const char *group;
	const char *title;
	const char *over;	/* an event, or "seconds", or NULL: a part of @part */
	const char *part;
	double scale;
	const char *unit;
};

static const struct hpm_metric hpm_metrics[] = {
	{ "PMD_MIPS", "General", "Million instructions per second", "seconds", "PM_INST_CMPL",
	  1e-6, "MIPS" },
	{ "PMD_MCPS", "General", "Million cycles per second", "seconds", "PM_CYC", 1e-6, "" },
	{ "PMD_INST_PER_CYC", "General", "Instructions per cycle", "PM_CYC", "PM_INST_CMPL",
	  1, "" },
	{ "PMD_CPI", "cpi_breakdown", "Cycles per instruction", "PM_INST_CMPL", "PM_CYC", 1, "" },
	{ "PMD_STALL_FRONT", "cpi_breakdown", "Cycles stalled for instructions", "PM_CYC",
	  "PM_STALLED_CYCLES_FRONTEND", 100, "%" },
	{ "PMD_STALL_BACK", "cpi_breakdown", "Cycles stalled in execution", "PM_CYC",
	  "PM_STALLED_CYCLES_BACKEND", 100, "%" },
	{ "PMD_BR_MPRED_RATE", "Branch", "Branches predicted wrongly", "PM_BR_CMPL",
	  "PM_BR_MPRED", 100, "%" },
	{ "PMD_BR_RATE", "Branch", "Branches per instruction", "PM_INST_CMPL", "PM_BR_CMPL",
	  100, "%" },
	{ "PMD_L1_LD_MISS_RATE", "Memory", "Loads that missed the first level", "PM_LD_REF_L1",
	  "PM_LD_MISS_L1", 100, "%" },
	{ "PMD_LLC_MISS_RATE", "Memory", "Accesses that missed the last level",
	  "PM_CACHE_REFERENCES", "PM_CACHE_MISSES", 100, "%" },
	{ "PMD_FAULT_RATE", "System", "Page faults per second", "seconds", "PM_PAGE_FAULTS", 1, "" },
};

#define HPM_METRICS	(sizeof(hpm_metrics) / sizeof(hpm_metrics[0]))

/* Set n, from 1, is the n-th group that is made for it; its number, or -1 */
static inline int hpm_set(const pm_groups_info_t *groups, int n)
{
	for (int g = 0; g < groups->maxgroups; g++)
		if (!strncmp(groups->event_groups[g].short_name, "pm_hpmcount", 11) && !--n)
			return g;
	return -1;
}

static inline int hpm_sets(const pm_groups_info_t *groups)
{
	int n = 0;

	while (hpm_set(groups, n + 1) >= 0)
		n++;
	return n;
}

/* A group by its number or name, or -1 */
static inline int hpm_group(const pm_groups_info_t *groups, const char *name)
{
	char *end;
	long n = strtol(name, &end, 10);

	if (*name && !*end)
		return n >= 0 && n < groups->maxgroups ? (int)n : -1;
	for (int g = 0; g < groups->maxgroups; g++)
		if (!strcmp(groups->event_groups[g].short_name, name))
			return g;
	return -1;
}

/* An event of a counter by its number or mnemonic */
static inline const pm_events2_t *hpm_event(const pm_info2_t *info, int counter, const char *name,
					    int id)
{
	for (int i = 0; i < info->maxevents[counter]; i++) {
		const pm_events2_t *e = &info->list_events[counter][i];

		if (name ? !strcmp(e->short_name, name) : e->event_id == id)
			return e;
	}
	return NULL;
}

#endif /* HPM_H */
