// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Build the table of events: AIX's mnemonics where the meaning is the same, then all events that
 * perf and libpfm support on this machine.
 *
 * An event's number is its index in the table, which has only countable events. The number does not
 * change unless the machine or libpfm changes.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/vec.h"
#include "core/event.h"
#include "core/pfm.h"
#include "core/pmus.h"
#include "table.h"

/* Mnemonics for perf's events; each event is shown under the first one. */
static const struct {
	const char *name;
	const char *event;
} aliases[] = {
	{ "PM_CYC", "cycles" },
	{ "PM_INST_CMPL", "instructions" },
	{ "PM_RUN_CYC", "cycles" },
	{ "PM_BR_CMPL", "branches" },
	{ "PM_BR_MPRED", "branch-misses" },
	{ "PM_LD_REF_L1", "L1-dcache-loads" },
	{ "PM_LD_MISS_L1", "L1-dcache-load-misses" },
	{ "PM_ST_REF_L1", "L1-dcache-stores" },
};

struct build {
	struct shim_session *session;
	struct shim_aix_table *table;
	size_t room;
	int class;
};

/**
 * shim_aix_table__find() - find an event by its mnemonic
 * @table: the table
 * @name: PM_...
 *
 * Return: the event's number, or -1.
 */
int shim_aix_table__find(const struct shim_aix_table *table, const char *name)
{
	for (int i = 0; i < table->nevents; i++)
		if (!strcmp(table->events[i].name, name))
			return i;
	return -1;
}

static char *mnemonic(const char *name)
{
	char *out = malloc(strlen(name) + 4);

	if (!out)
		return NULL;
	strcpy(out, "PM_");
	for (size_t i = 0; ; i++) {
		out[i + 3] = isalnum((unsigned char)name[i]) ? toupper((unsigned char)name[i]) : '_';
		if (!name[i]) {
			out[i + 3] = '\0';
			return out;
		}
	}
}

static int append(struct build *b, const struct shim_aix_event *event)
{
	if (shim_vec__room(b->table->events, &b->room, b->table->nevents))
		return -ENOMEM;
	b->table->events[b->table->nevents++] = *event;
	return 0;
}

/* Add an event, unless it cannot be counted here or its name is already in the table. */
static int event_add(struct build *b, const char *name, const char *shown, const char *desc)
{
	struct shim_aix_event event = { .class = b->class };
	int ret;

	if (shim_aix_table__find(b->table, name) >= 0)
		return 0;
	ret = shim_event__parse(shown, &event.req);
	if (!ret)
		ret = shim_event__probe(b->session, &event.req);
	if (ret)
		return shim_event__is_trouble(ret) ? ret : 0;
	event.name = strdup(name);
	event.shown = strdup(shown);
	event.desc = strdup(desc ? desc : shown);
	if (!event.name || !event.shown || !event.desc)
		ret = -ENOMEM;
	if (!ret)
		ret = append(b, &event);
	if (ret) {
		free(event.name);
		free(event.shown);
		free(event.desc);
	}
	return ret;
}

static const struct shim_event_name *perf_event(const char *name)
{
	for (const struct shim_event_name *e = shim_event__names; e->name; e++)
		if (!strcmp(e->name, name))
			return e;
	return NULL;
}

static int add_aliases(struct build *b)
{
	int ret = 0;

	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]) && !ret; i++)
		ret = event_add(b, aliases[i].name, aliases[i].event,
				perf_event(aliases[i].event)->desc);
	return ret;
}

/*
 * Return whether an event is in the table under another name, because perf has several names for
 * some events.
 */
static bool is_there(const struct build *b, const struct shim_event_name *e)
{
	for (int i = 0; i < b->table->nevents; i++)
		if (b->table->events[i].req.type == e->type &&
		    b->table->events[i].req.config == e->config)
			return true;
	return false;
}

static int add_named(void *arg, const char *name, const char *desc)
{
	char *upper = mnemonic(name);
	int ret = upper ? event_add(arg, upper, name, desc) : -ENOMEM;

	free(upper);
	return ret;
}

static int add_perf(struct build *b)
{
	int ret = 0;

	for (const struct shim_event_name *e = shim_event__names; e->name && !ret; e++)
		if (!is_there(b, e))
			ret = add_named(b, e->name, e->desc);
	return ret;
}

static int name_cpu(struct shim_aix_table *table)
{
	char several[128];
	const char *cpu = shim_pmus__names(several, sizeof(several));
	int ret = cpu ? 0 : shim_pfm__cpu(&cpu);
	struct utsname name;

	if (ret)
		return ret;
	if (!cpu)
		cpu = uname(&name) ? "unknown" : name.machine;
	table->cpu = strdup(cpu);
	return table->cpu ? 0 : -ENOMEM;
}

/**
 * shim_aix_table__make() - find out which events this machine can count
 * @session: the back end
 * @table: filled in; to be released with shim_aix_table__free()
 *
 * Return: 0 or a core error.
 */
int shim_aix_table__make(struct shim_session *session, struct shim_aix_table *table)
{
	struct build b = { .session = session, .table = table, .class = PM_VERIFIED };
	int ret;

	*table = (struct shim_aix_table) { 0 };
	ret = name_cpu(table);
	if (!ret)
		ret = add_aliases(&b);
	if (!ret)
		ret = add_perf(&b);
	b.class = PM_UNVERIFIED;
	if (!ret)
		ret = shim_pfm__walk(add_named, &b);
	if (!ret)
		ret = shim_aix_pmcs__find(session, table);
	if (!ret)
		ret = shim_aix_groups__make(session, table);
	if (ret)
		shim_aix_table__free(table);
	return ret;
}

void shim_aix_table__free(struct shim_aix_table *table)
{
	for (int i = 0; i < table->nevents; i++) {
		free(table->events[i].name);
		free(table->events[i].shown);
		free(table->events[i].desc);
	}
	free(table->events);
	free(table->groups);
	free(table->cpu);
	*table = (struct shim_aix_table) { 0 };
}
