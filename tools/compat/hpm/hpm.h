/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event sets and derived metrics, which hpmcount counts and pmlist lists. */
#ifndef HPM_H
#define HPM_H

#include <stdbool.h>
#include <stddef.h>

#include "aix/pmapi.h"

#define HPM_ANY		(PM_VERIFIED | PM_UNVERIFIED | PM_CAVEAT | PM_GET_GROUPS)

/* Metrics are @scale times @part over @over, and times the value of @variable if there is one. */
struct hpm_metric {
	const char *id;
	const char *group;
	const char *title;
	const char *over;	/* an event, or "seconds" */
	const char *part;
	double scale;
	const char *unit;
	const char *variable;	/* or NULL */
};

extern const struct hpm_metric hpm_metrics[];
extern const size_t hpm_nmetrics;

/* Variables of derived metrics */
extern const char *const hpm_variables[];
extern const size_t hpm_nvariables;
const char *hpm_variable(const char *name);
bool hpm_variable_known(const char *name);
double hpm_factor(const struct hpm_metric *metric);

int hpm_set(const pm_groups_info_t *groups, int n);
int hpm_sets(const pm_groups_info_t *groups);
int hpm_group(const pm_groups_info_t *groups, const char *name);
const pm_events2_t *hpm_event(const pm_info2_t *info, int counter, const char *name, int id);
bool hpm_number(const char *text, int *n);

#endif /* HPM_H */
