// SPDX-License-Identifier: GPL-2.0-or-later
/* Choose the events to count, from the lists of sets, groups and events on a command line. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "hpm.h"

/* Print the library's message for an error number, and any advice. */
void hpm_fail(const char *what, int error)
{
	const char *hint = device_hint(error);

	fprintf(stderr, "%s: %s\n", program_invocation_short_name, pm_strerror(what, error));
	if (hint)
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, hint);
}

/* Print a message, with the library's text if @error is not 0, and exit. */
void hpm_die(const char *what, int error)
{
	if (error)
		hpm_fail(what, error);
	else
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	exit(1);
}

/* Print a message about an argument of @len bytes, and exit. */
void hpm_die_about(const char *what, const char *argument, size_t len)
{
	fprintf(stderr, "%s: %s: %.*s\n", program_invocation_short_name, what, (int)len, argument);
	exit(1);
}

/* Print that a file cannot be opened or read, and exit. */
void hpm_die_reading(const char *path)
{
	fprintf(stderr, "%s: cannot read %s: %s\n", program_invocation_short_name, path, strerror(errno));
	exit(1);
}

/* Parse a mode's letters up to the end or a comma; any other letter ends the program. */
int hpm_mode(const char *letters)
{
	int mode = 0;
	const char *c;

	for (c = letters; *c && *c != ','; c++) {
		if (!strchr("ukh", *c))
			hpm_die("invalid mode (use the letters u, k and h)", 0);
		mode |= *c == 'u' ? PM_USER : *c == 'k' ? PM_KERNEL : 0;
	}
	if (c == letters)
		hpm_die("invalid mode (use the letters u, k and h)", 0);
	return mode;
}

/* Remove the mode from NAME:MODE and return it, or return @otherwise if there is none. */
static int take_mode(char *name, int otherwise)
{
	char *colon = strchr(name, ':');

	if (!colon)
		return otherwise;
	*colon = '\0';
	return hpm_mode(colon + 1);
}

pm_prog_t *hpm_new_set(struct hpm_choice *choice, int mode)
{
	pm_prog_t *set;

	if (choice->n == HPM_MAX_SETS)
		hpm_die("too many sets", 0);
	set = &choice->sets[choice->n++];
	set->mode.w = mode | PM_PROCTREE;
	for (int c = 0; c < MAX_COUNTERS; c++)
		set->events[c] = COUNT_NOTHING;
	return set;
}

static void add_group(struct hpm_choice *choice, int group, int mode)
{
	pm_prog_t *set = hpm_new_set(choice, mode);

	set->mode.b.is_group = 1;
	set->events[0] = group;
}

void hpm_choose_sets(struct hpm_choice *choice, char *list)
{
	char *save;

	for (char *s = strtok_r(list, ",", &save); s; s = strtok_r(NULL, ",", &save)) {
		int mode = take_mode(s, choice->mode);
		int n, first, last;

		if (!hpm_number(s, &n))
			hpm_die_about("event sets must be numbers", s, strlen(s));
		first = n ? n : 1;
		last = n ? n : hpm_sets(choice->groups);
		for (int i = first; i <= last; i++) {
			int group = hpm_set(choice->groups, i);

			if (group < 0)
				hpm_die_about("no such event set", s, strlen(s));
			add_group(choice, group, mode);
		}
	}
}

void hpm_choose_groups(struct hpm_choice *choice, char *list)
{
	char *save;

	for (char *s = strtok_r(list, ",", &save); s; s = strtok_r(NULL, ",", &save)) {
		int mode = take_mode(s, choice->mode);
		int group = hpm_group(choice->groups, s);

		if (group < 0)
			hpm_die_about("no such group", s, strlen(s));
		add_group(choice, group, mode);
	}
}

/*
 * Put an event on a free counter that can count it.  If there are several, choose the one that can
 * count the fewest events.  An event that the set already contains is not added again.  Return
 * false if there is no free counter for it.
 */
bool hpm_place(const struct hpm_choice *choice, pm_prog_t *set, const char *name)
{
	const pm_events2_t *event = NULL;
	int best = -1;

	for (int c = 0; c < choice->info->maxpmcs; c++) {
		const pm_events2_t *e = hpm_event(choice->info, c, name, 0);

		if (e && set->events[c] == e->event_id)
			return true;
		if (!e || set->events[c] != COUNT_NOTHING ||
		    (event && choice->info->maxevents[c] >= choice->info->maxevents[best]))
			continue;
		event = e;
		best = c;
	}
	if (event)
		set->events[best] = event->event_id;
	return event;
}

/*
 * Return the set with this mode among those from @first on, or a new one.  The events of a list
 * that have the same mode share a set.
 */
static pm_prog_t *set_of_mode(struct hpm_choice *choice, int first, int mode)
{
	for (int k = first; k < choice->n; k++)
		if (choice->sets[k].mode.w == (mode | PM_PROCTREE))
			return &choice->sets[k];
	return hpm_new_set(choice, mode);
}

void hpm_choose_events(struct hpm_choice *choice, char *list)
{
	int first = choice->n;
	char *save;

	for (char *s = strtok_r(list, ",", &save); s; s = strtok_r(NULL, ",", &save)) {
		int mode = take_mode(s, choice->mode);

		if (!hpm_event(choice->info, 0, s, 0))
			hpm_die_about("no such event", s, strlen(s));
		if (!hpm_place(choice, set_of_mode(choice, first, mode), s))
			hpm_die_about("more events than counters", s, strlen(s));
	}
}

/* Choose the default: the file libHPM_events, otherwise the environment, otherwise set 1. */
void hpm_choose_default(struct hpm_choice *choice)
{
	char *sets = hpm_variable_copy("HPM_EVENT_SET");
	char *groups = hpm_variable_copy("HPM_EVENT_GROUP");
	char *metrics = hpm_variable_copy("HPM_PMD_GROUP");
	FILE *f = fopen("libHPM_events", "re");
	char line[256], event[256];
	int counter;

	if (!f && errno != ENOENT)
		hpm_die_reading("libHPM_events");
	if (f) {
		pm_prog_t *set = NULL;

		while (fgets(line, sizeof(line), f)) {
			const pm_events2_t *e;

			if (sscanf(line, "%d %255s", &counter, event) != 2) {
				if (sscanf(line, "%255s", event) == 1)
					hpm_choose_groups(choice, event);
				continue;
			}
			if (counter < 1 || counter > choice->info->maxpmcs)
				hpm_die_about("libHPM_events: no such counter", line, strcspn(line, "\n"));
			e = hpm_event(choice->info, counter - 1, event, 0);
			if (!e)
				hpm_die_about("libHPM_events: no such event", event, strlen(event));
			if (!set)
				set = hpm_new_set(choice, choice->mode);
			if (set->events[counter - 1] != COUNT_NOTHING)
				hpm_die_about("libHPM_events: counter is used twice", line,
					      strcspn(line, "\n"));
			set->events[counter - 1] = e->event_id;
		}
		if (ferror(f))
			hpm_die_reading("libHPM_events");
		fclose(f);
	} else if (sets) {
		hpm_choose_sets(choice, sets);
	} else if (groups) {
		hpm_choose_groups(choice, groups);
	} else if (metrics) {
		hpm_choose_metrics(choice, NULL, metrics);
	}
	if (!choice->n)
		add_group(choice, hpm_set(choice->groups, 1), choice->mode);
	free(sets);
	free(groups);
	free(metrics);
}
