// SPDX-License-Identifier: GPL-2.0-or-later
/* Find the requested derived metrics, their modes, and the events that they need. */
#include <string.h>

#include "hpm.h"

/*
 * Find a name, optionally followed by ":MODE", in a comma-separated list.  Return the position
 * after it, or NULL.
 */
static const char *find(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += len)
		if ((at == list || at[-1] == ',') && (!at[len] || strchr(",:", at[len])))
			return at + len;
	return NULL;
}

/*
 * Return whether a list contains a name.  A NULL list contains all names.  Set @mode if the list
 * specifies one.
 */
bool hpm_listed(const char *list, const char *name, int *mode)
{
	const char *behind = list ? find(list, name) : NULL;

	if (behind && *behind == ':')
		*mode = hpm_mode(behind + 1);
	return !list || behind;
}

static bool is_known(const char *name, size_t len, bool group)
{
	for (size_t i = 0; i < hpm_nmetrics; i++) {
		const char *known = group ? hpm_metrics[i].group : hpm_metrics[i].id;

		if (strlen(known) == len && !strncmp(known, name, len))
			return true;
	}
	return false;
}

/* Check a list: exit if a name or mode does not exist. */
void hpm_check_metrics(const char *list, bool group)
{
	while (list && *list) {
		size_t all = strcspn(list, ","), len = strcspn(list, ",:");

		if (!is_known(list, len, group))
			hpm_die_about(group ? "no such group of metrics" : "no such metric", list,
				      len);
		if (len < all)
			hpm_mode(list + len + 1);
		list += all + (list[all] == ',');
	}
}

static bool is_here(const struct hpm_choice *choice, const char *event)
{
	return !strcmp(event, "seconds") || hpm_event(choice->info, 0, event, 0);
}

/* Put both of a metric's events into one set, so that they are counted over the same time. */
static bool put(const struct hpm_choice *choice, pm_prog_t *set, const struct hpm_metric *m)
{
	const char *const events[] = { m->part, m->over };

	for (int i = 0; i < 2; i++)
		if (strcmp(events[i], "seconds") && !hpm_place(choice, set, events[i]))
			return false;
	return true;
}

static void choose_one(struct hpm_choice *choice, const struct hpm_metric *m, int mode)
{
	for (int k = 0; k < choice->n; k++) {
		pm_prog_t tried = choice->sets[k];

		if (tried.mode.w == (mode | PM_PROCTREE) && put(choice, &tried, m)) {
			choice->sets[k] = tried;
			return;
		}
	}
	if (!put(choice, hpm_new_set(choice, mode), m))
		hpm_die_about("the counters cannot count all events of a metric at the same time",
			      m->id, strlen(m->id));
}

/*
 * Choose the sets that the listed metrics need.  If this machine lacks a metric's events, omit the
 * metric if only its group was listed; otherwise exit.
 */
void hpm_choose_metrics(struct hpm_choice *choice, const char *metrics, const char *groups)
{
	for (size_t i = 0; i < hpm_nmetrics; i++) {
		const struct hpm_metric *m = &hpm_metrics[i];
		int mode = -1;

		if (!hpm_listed(groups, m->group, &mode) || !hpm_listed(metrics, m->id, &mode))
			continue;
		if (is_here(choice, m->part) && is_here(choice, m->over))
			choose_one(choice, m, mode < 0 ? choice->mode : mode);
		else if (metrics)
			hpm_die_about("this machine cannot count the events of a metric", m->id,
				      strlen(m->id));
	}
	if (!choice->n)
		hpm_die("this machine cannot count the events of any of these metrics", 0);
}
