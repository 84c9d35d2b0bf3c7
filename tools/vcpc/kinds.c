// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events on machines with several kinds of core: each is counted on each kind of core, and printed
 * for each kind and as a sum, as in perf stat.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"

/* The core PMUs of this machine */
struct pmus {
	unsigned int n;
	char names[VCPC_KINDS_MAX][32];
};

static int kind_note(void *arg, const char *name, const char *cpus)
{
	struct pmus *pmus = arg;

	(void)cpus;
	if (pmus->n < VCPC_KINDS_MAX && strlen(name) < sizeof(pmus->names[0]))
		strcpy(pmus->names[pmus->n++], name);
	return 0;
}

static bool counts_here(struct shim_handle *handle, const char *name)
{
	struct shim_set *set;

	if (shim_set_create(handle, &name, 1, NULL, &set))
		return false;
	shim_set_destroy(set);
	return true;
}

/*
 * Get an event's names on the kinds of core that have it.  The caller frees them.  Return their
 * number.
 */
static unsigned int find_kinds(struct shim_handle *handle, const struct pmus *pmus,
			       const char *name, char **on)
{
	char buf[SHIM_EVENT_MAX];
	unsigned int n = 0;

	for (unsigned int k = 0; k < pmus->n; k++) {
		if (shim_event_on_pmu(name, pmus->names[k], buf, sizeof(buf)) ||
		    !counts_here(handle, buf))
			continue;
		on[n] = strdup(buf);
		n += on[n] != NULL;
	}
	return n;
}

static void add_row(struct vcpc_event_rows *rows, const char *sum, unsigned int first, unsigned int n)
{
	rows->row[rows->n].sum = sum;
	rows->row[rows->n].first = first;
	rows->row[rows->n++].n = n;
}

static bool is_full(const struct vcpc_events *events, const struct vcpc_event_rows *rows, unsigned int more)
{
	return events->n + more > SHIM_SET_MAX || rows->n + more + 1 > SHIM_SET_MAX;
}

/*
 * Add an event, or one for each kind of core.  Return 0, or an exit status after printing a
 * message.
 */
static int kind_add(struct shim_handle *handle, const struct pmus *pmus, const char *name,
		    struct vcpc_events *to)
{
	struct vcpc_event_rows *rows = &to->rows;
	char *on[VCPC_KINDS_MAX];
	unsigned int n = find_kinds(handle, pmus, name, on);

	if (is_full(to, rows, n ? n : 1)) {
		while (n--)
			free(on[n]);
		return vcpc_usage("too many events (at most %d, each counted once for each of %u kinds of core)",
				  SHIM_SET_MAX, pmus->n);
	}
	/* Compute no sum if one kind of core lacks the event. */
	if (n && n == pmus->n)
		add_row(rows, name, to->n, n);
	for (unsigned int k = 0; k < (n ? n : 1); k++) {
		add_row(rows, NULL, to->n, 1);
		to->made[to->n] = n ? on[k] : NULL;
		to->names[to->n++] = n ? on[k] : name;
	}
	return 0;
}

int vcpc_kinds_split(struct shim_handle *handle, struct vcpc_events *events)
{
	struct vcpc_events split = { .n = 0 };
	struct pmus pmus = { 0 };
	int ret;

	if (events->rows.n)
		return 0;
	ret = shim_pmus_walk(kind_note, &pmus);
	if (ret)
		return vcpc_fail(ret, "cannot read the list of PMUs");
	if (pmus.n < 2)
		pmus.n = 0;
	for (unsigned int i = 0; i < events->n && !ret; i++)
		if (events->lacking[i])
			add_row(&split.rows, events->names[i], 0, 0);
		else
			ret = kind_add(handle, &pmus, events->names[i], &split);
	memcpy(events->names, split.names, sizeof(split.names));
	memcpy(events->made, split.made, sizeof(split.made));
	events->rows = split.rows;
	events->n = split.n;
	return ret;
}

/*
 * Write an event's name: for a sum, the requested name with the modes that were added to its parts.
 */
void vcpc_event_row_name(const struct vcpc_event_rows *rows, unsigned int i, const struct shim_set *set,
		   char *buf, size_t size)
{
	const struct vcpc_event_row *row = &rows->row[i];
	const char *part = shim_set_event(set, row->first);
	const char *modes = row->n ? strrchr(part, ':') : NULL;

	if (!row->sum)
		snprintf(buf, size, "%s", part);
	else
		snprintf(buf, size, "%s%s", row->sum, modes && !strchr(row->sum, ':') ? modes : "");
}

int vcpc_kinds_explain(const char *event)
{
	struct shim_handle *handle;
	struct pmus pmus = { 0 };
	char *on[VCPC_KINDS_MAX];
	const char *slash = strchr(event, '/');
	unsigned int n = 0;
	int ret = 0;

	if (slash)
		return vcpc_fail(0, "event '%s': there is no PMU '%.*s', or it has no such event or field; see /sys/bus/event_source/devices",
				 event, (int)(slash - event), event);
	/* Print nothing on errors, because this only explains another message. */
	if (shim_pmus_walk(kind_note, &pmus) || pmus.n < 2 || shim_open(&handle))
		return 0;
	n = find_kinds(handle, &pmus, event, on);
	shim_close(handle);
	if (n)
		ret = vcpc_fail(0, "only some kinds of core have the event '%s', so it has no total; count it as '%s'",
				event, on[0]);
	while (n--)
		free(on[n]);
	return ret;
}
