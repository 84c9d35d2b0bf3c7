// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of derived metrics, and look-ups of sets, groups and events by name */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "hpm.h"

const struct hpm_metric hpm_metrics[] = {
	{ "PMD_MIPS", "General", "Million instructions per second", "seconds", "PM_INST_CMPL",
	  1e-6, "MIPS", NULL },
	{ "PMD_MCPS", "General", "Million cycles per second", "seconds", "PM_CYC", 1e-6, "", NULL },
	{ "PMD_INST_PER_CYC", "General", "Instructions per cycle", "PM_CYC", "PM_INST_CMPL",
	  1, "", NULL },
	{ "PMD_CPI", "cpi_breakdown", "Cycles per instruction", "PM_INST_CMPL", "PM_CYC", 1, "", NULL },
	{ "PMD_STALL_FRONT", "cpi_breakdown", "Cycles stalled for instructions", "PM_CYC",
	  "PM_STALLED_CYCLES_FRONTEND", 100, "%", NULL },
	{ "PMD_STALL_BACK", "cpi_breakdown", "Cycles stalled in execution", "PM_CYC",
	  "PM_STALLED_CYCLES_BACKEND", 100, "%", NULL },
	{ "PMD_BR_MPRED_RATE", "Branch", "Branches mispredicted", "PM_BR_CMPL",
	  "PM_BR_MPRED", 100, "%", NULL },
	{ "PMD_BR_RATE", "Branch", "Branches per instruction", "PM_INST_CMPL", "PM_BR_CMPL",
	  100, "%", NULL },
	{ "PMD_L1_LD_MISS_RATE", "Memory", "Loads that missed the first level", "PM_LD_REF_L1",
	  "PM_LD_MISS_L1", 100, "%", NULL },
	{ "PMD_LLC_MISS_RATE", "Memory", "Accesses that missed the last level",
	  "PM_CACHE_REFERENCES", "PM_CACHE_MISSES", 100, "%", NULL },
	{ "PMD_LD_MISS_L1_COST", "Latency", "Cycles lost to loads that missed the first level",
	  "PM_CYC", "PM_LD_MISS_L1", 100, "%", "HPM_L2_LATENCY" },
	{ "PMD_MEM_COST", "Latency", "Cycles lost to memory accesses", "PM_CYC",
	  "PM_CACHE_MISSES", 100, "%", "HPM_MEM_LATENCY" },
	{ "PMD_TLB_COST", "Latency", "Cycles lost to address translation", "PM_CYC",
	  "PM_DTLB_LOAD_MISSES", 100, "%", "HPM_TLB_LATENCY" },
	{ "PMD_FAULT_RATE", "System", "Page faults per second", "seconds", "PM_PAGE_FAULTS", 1, "", NULL },
};

const size_t hpm_nmetrics = sizeof(hpm_metrics) / sizeof(hpm_metrics[0]);

/* Return the group number of event set @n, the n-th group (from 1) named pm_hpmcount..., or -1. */
int hpm_set(const pm_groups_info_t *groups, int n)
{
	for (int g = 0; g < groups->maxgroups; g++)
		if (!strncmp(groups->event_groups[g].short_name, "pm_hpmcount", 11) && !--n)
			return g;
	return -1;
}

int hpm_sets(const pm_groups_info_t *groups)
{
	int n = 0;

	while (hpm_set(groups, n + 1) >= 0)
		n++;
	return n;
}

/* Return a group by its number or name, or -1. */
int hpm_group(const pm_groups_info_t *groups, const char *name)
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

/*
 * Return a counter's event by its mnemonic or, if @name is NULL, by its number; NULL if there is
 * none.
 */
const pm_events2_t *hpm_event(const pm_info2_t *info, int counter, const char *name, int id)
{
	for (int i = 0; i < info->maxevents[counter]; i++) {
		const pm_events2_t *e = &info->list_events[counter][i];

		if (name ? !strcmp(e->short_name, name) : e->event_id == id)
			return e;
	}
	return NULL;
}

/* Parse an integer.  Return false if the text contains anything else. */
bool hpm_number(const char *text, int *n)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (!*text || *end || value < INT_MIN || value > INT_MAX)
		return false;
	*n = (int)value;
	return true;
}
