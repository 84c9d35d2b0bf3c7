/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event sets and derived metrics, for hpmcount and pmlist */
#ifndef HPM_H
#define HPM_H

#include <stdbool.h>
#include <stddef.h>

#include "aix/pmapi.h"

#define HPM_ANY		(PM_VERIFIED | PM_UNVERIFIED | PM_CAVEAT | PM_GET_GROUPS)

/*
 * A metric's value is @scale * @part / @over, multiplied by the value of @variable if there is one.
 */
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
char *hpm_variable_copy(const char *name);
bool hpm_variable_known(const char *name);
double hpm_factor(const struct hpm_metric *metric);

int hpm_set(const pm_groups_info_t *groups, int n);
int hpm_sets(const pm_groups_info_t *groups);
int hpm_group(const pm_groups_info_t *groups, const char *name);
const pm_events2_t *hpm_event(const pm_info2_t *info, int counter, const char *name, int id);
bool hpm_number(const char *text, int *n);

#define HPM_MAX_SETS	64

/* Sets to count, each with its mode; @mode applies to sets without their own mode. */
struct hpm_choice {
	const pm_info2_t *info;
	const pm_groups_info_t *groups;
	int mode;
	pm_prog_t sets[HPM_MAX_SETS];
	int n;
};

void hpm_fail(const char *what, int error);
void hpm_die(const char *what, int error);
void hpm_die_about(const char *what, const char *argument, size_t len);
void hpm_die_reading(const char *path);
void hpm_choose_sets(struct hpm_choice *choice, char *list);
void hpm_choose_groups(struct hpm_choice *choice, char *list);
void hpm_choose_events(struct hpm_choice *choice, char *list);
void hpm_choose_default(struct hpm_choice *choice);
pm_prog_t *hpm_new_set(struct hpm_choice *choice, int mode);
bool hpm_place(const struct hpm_choice *choice, pm_prog_t *set, const char *name);
int hpm_mode(const char *letters);

bool hpm_listed(const char *list, const char *name, int *mode);
void hpm_check_metrics(const char *list, bool group);
void hpm_choose_metrics(struct hpm_choice *choice, const char *metrics, const char *groups);

#endif /* HPM_H */
