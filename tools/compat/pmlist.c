// SPDX-License-Identifier: GPL-2.0-or-later
/* pmlist: list the events, groups, sets and derived metrics that this machine can count. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hpm/hpm.h"
#include "written.h"

static struct {
	pm_info2_t info;
	pm_groups_info_t groups;
	bool describe;
	char format;	/* t for text, c for comma-separated, x for XML */
	bool failed;
} it = { .format = 't' };

static void usage(FILE *f)
{
	fputs("usage: pmlist {-s | -l | -e name | -c counter[,event] | -g group | -S set |\n"
	      "               -D metric | -m metric_group | -V variable}\n"
	      "              [-d] [-o t|c|x] [-f v,u,c] [-p type]\n"
	      "  -s    summary: counters, groups, sets\n"
	      "  -l    processors\n"
	      "  -e    an event by name, on all counters\n"
	      "  -c    the events of a counter, or one of them\n"
	      "  -g    a group of events, by number or name\n"
	      "  -S    an event set, from 1\n"
	      "  -D    a derived metric\n"
	      "  -m    a group of derived metrics\n"
	      "  -V    a variable that derived metrics use\n"
	      "        -1 selects all; counters are numbered from 1\n"
	      "  -d    also print descriptions\n"
	      "  -o    output format: t text, c comma-separated, x XML\n"
	      "  -f    list only verified (v), unverified (u) or caveat (c) events\n"
	      "  -p    a processor type; -1 is the type of this machine\n", f);
}

/* Print a text in quotes, escaped as the format requires. */
static void put_quoted(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		if (it.format == 'c' && *s == '"')
			fputs("\"\"", stdout);
		else if (it.format == 'x' && strchr("<>&\"", *s))
			printf("&#%d;", *s);
		else
			putchar(*s);
	}
	putchar('"');
}

struct field {
	const char *name;
	const char *value;
};

/* Print one entry in the chosen format. The last field, a description, is printed only with -d. */
static void put(const char *what, const struct field *fields, int n)
{
	if (it.format == 'x')
		printf("  <%s", what);
	for (int i = 0; i < n; i++) {
		if (i == n - 1 && (!it.describe || !fields[i].name))
			break;
		if (it.format == 'x')
			printf(" %s=", fields[i].name);
		else if (it.format == 'c' && i)
			putchar(',');
		if (it.format != 't')
			put_quoted(fields[i].value);
		else if (i == n - 1)
			printf("\n        %s", fields[i].value);
		else
			printf("%s%s: %s", i ? ", " : "", fields[i].name, fields[i].value);
	}
	puts(it.format == 'x' ? "/>" : "");
}

static const char *class_of(const pm_events2_t *e)
{
	return e->status.b.verified ? "verified" : e->status.b.caveat ? "caveat" : "unverified";
}

static void put_event(int counter, const pm_events2_t *e)
{
	char number[16], id[16];
	struct field fields[] = {
		{ "counter", number }, { "id", id }, { "name", e->short_name },
		{ "status", class_of(e) }, { "long_name", e->long_name },
		{ "description", e->description },
	};

	snprintf(number, sizeof(number), "%d", counter + 1);
	snprintf(id, sizeof(id), "%d", e->event_id);
	put("event", fields, 6);
}

static void missing(const char *what, const char *name)
{
	fprintf(stderr, "pmlist: no %s %s\n", what, name);
	it.failed = true;
}

static void list_counter(int c, const char *event)
{
	bool all = !event || !strcmp(event, "-1");
	char *end;
	long id = event ? strtol(event, &end, 10) : 0;
	bool named = !all && *end, found = all;

	for (int i = 0; i < it.info.maxevents[c]; i++) {
		const pm_events2_t *e = &it.info.list_events[c][i];

		if (!all && (named ? strcmp(e->short_name, event) : e->event_id != id))
			continue;
		put_event(c, e);
		found = true;
	}
	if (!found)
		missing("event", event);
}

static void list_name(const char *name)
{
	bool found = false;

	if (!strcmp(name, "-1")) {
		for (int c = 0; c < it.info.maxpmcs; c++)
			list_counter(c, NULL);
		return;
	}
	for (int c = 0; c < it.info.maxpmcs; c++) {
		const pm_events2_t *e = hpm_event(&it.info, c, name, 0);

		if (e)
			put_event(c, e);
		found = found || e;
	}
	if (!found)
		missing("event", name);
}

/* In text, print only the number and the name. */
static void list_processor(void)
{
	struct field fields[] = { { "id", "-1" }, { "name", it.info.proc_name }, { NULL, NULL } };

	if (it.format == 't')
		printf("%d: %s\n", PM_CURRENT, it.info.proc_name);
	else
		put("processor", fields, 3);
}

static void list_counters(char *arg)
{
	char *comma = strchr(arg, ',');
	int n;

	if (comma)
		*comma++ = '\0';
	if (!hpm_number(arg, &n) || (n != -1 && (n < 1 || n > it.info.maxpmcs))) {
		missing("counter", arg);
		return;
	}
	for (int c = 0; c < it.info.maxpmcs; c++)
		if (n == -1 || n == c + 1)
			list_counter(c, comma);
}

static void put_group(const char *what, int number, int g)
{
	const pm_groups_t *group = &it.groups.event_groups[g];
	char id[16], events[1024] = "";
	struct field fields[] = {
		{ what, id }, { "name", group->short_name }, { "events", events },
		{ "description", group->long_name },
	};

	snprintf(id, sizeof(id), "%d", number);
	for (int c = 0; c < it.info.maxpmcs; c++) {
		const pm_events2_t *e = hpm_event(&it.info, c, NULL, group->events[c]);
		size_t len = strlen(events);

		if (e)
			snprintf(events + len, sizeof(events) - len, "%s%s", len ? " " : "",
				 e->short_name);
	}
	put(what, fields, 4);
}

static void list_group(const char *arg)
{
	int g = hpm_group(&it.groups, arg);

	if (strcmp(arg, "-1")) {
		if (g < 0)
			missing("group", arg);
		else
			put_group("group", g, g);
		return;
	}
	for (g = 0; g < it.groups.maxgroups; g++)
		put_group("group", g, g);
}

static void list_set(const char *arg)
{
	int n;

	if (!hpm_number(arg, &n) || (n != -1 && hpm_set(&it.groups, n) < 0)) {
		missing("event set", arg);
		return;
	}
	for (int i = 1; i <= hpm_sets(&it.groups); i++)
		if (n == -1 || n == i)
			put_group("set", i, hpm_set(&it.groups, i));
}

static void list_metric(const char *arg, bool group)
{
	bool found = false;

	for (size_t i = 0; i < hpm_nmetrics; i++) {
		const struct hpm_metric *m = &hpm_metrics[i];
		char formula[128];
		struct field fields[] = {
			{ "metric", m->id }, { "group", m->group }, { "formula", formula },
			{ "description", m->title },
		};

		if (strcmp(arg, "-1") && strcmp(arg, group ? m->group : m->id))
			continue;
		found = true;
		snprintf(formula, sizeof(formula), "%g * %s%s%s / %s", m->scale, m->part,
			 m->variable ? " * " : "", m->variable ? m->variable : "", m->over);
		put("metric", fields, 4);
	}
	if (!found)
		missing(group ? "metric group" : "metric", arg);
}

static void put_variable(const char *name)
{
	const char *value = hpm_variable(name);
	char metrics[256] = "";
	struct field fields[] = {
		{ "variable", name }, { "value", value ? value : "" },
		{ "metrics", metrics },
	};

	for (size_t i = 0; i < hpm_nmetrics; i++) {
		const struct hpm_metric *m = &hpm_metrics[i];
		size_t len = strlen(metrics);

		if (m->variable && !strcmp(m->variable, name))
			snprintf(metrics + len, sizeof(metrics) - len, "%s%s", len ? " " : "", m->id);
	}
	put("variable", fields, 3);
}

static void list_variables(const char *arg)
{
	if (strcmp(arg, "-1") && !hpm_variable_known(arg))
		missing("variable", arg);
	for (size_t i = 0; i < hpm_nvariables; i++)
		if (!strcmp(arg, "-1") || !strcmp(arg, hpm_variables[i]))
			put_variable(hpm_variables[i]);
}

static void put_fact(const char *name, const char *value)
{
	const struct field fields[] = { { "name", name }, { "value", value }, { NULL, NULL } };

	if (it.format == 't')
		printf("%s: %s\n", name, value);
	else
		put("summary", fields, 3);
}

static void put_number(const char *name, long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", value);
	put_fact(name, text);
}

static void summary(void)
{
	char text[40];

	put_fact("Processor", it.info.proc_name);
	put_number("Counters", it.info.maxpmcs);
	for (int c = 0; c < it.info.maxpmcs; c++) {
		snprintf(text, sizeof(text), "Events on counter %d", c + 1);
		put_number(text, it.info.maxevents[c]);
	}
	put_number("Groups", it.groups.maxgroups);
	put_number("Event sets", hpm_sets(&it.groups));
	put_number("Derived metrics", (long)hpm_nmetrics);
	snprintf(text, sizeof(text), "%d, %d, %d", it.info.thresholdmult, it.info.hthresholdmult,
		 it.info.Hthresholdmult);
	put_fact("Threshold multipliers", text);
	put_fact("Hypervisor mode", it.info.proc_feature.b.hypervisor ? "yes" : "no");
	put_fact("Run latch mode", it.info.proc_feature.b.runlatch ? "yes" : "no");
}

static int filter_of(const char *list)
{
	int filter = 0;

	for (; *list; list++) {
		if (!strchr("vuc,", *list)) {
			usage(stderr);
			exit(1);
		}
		filter |= *list == 'v' ? PM_VERIFIED : *list == 'u' ? PM_UNVERIFIED :
			  *list == 'c' ? PM_CAVEAT : 0;
	}
	return filter;
}

static void list(int what, char *arg)
{
	switch (what) {
	case 's': summary(); break;
	case 'l': list_processor(); break;
	case 'e': list_name(arg); break;
	case 'c': list_counters(arg); break;
	case 'g': list_group(arg); break;
	case 'S': list_set(arg); break;
	case 'D': list_metric(arg, false); break;
	case 'm': list_metric(arg, true); break;
	case 'V': list_variables(arg); break;
	}
}

int main(int argc, char **argv)
{
	int c, ret, what = 0, filter = HPM_ANY & ~PM_GET_GROUPS, type = PM_CURRENT;
	char *arg = NULL;

	while ((c = getopt(argc, argv, "sle:c:g:S:D:m:V:p:do:f:h")) != -1) {
		switch (c) {
		case 'd': it.describe = true; break;
		case 'f': filter = filter_of(optarg); break;
		case 'p':
			if (!hpm_number(optarg, &type))
				type = -2;
			break;
		case 'h': usage(stdout); return written("pmlist", stdout, NULL);
		case 'o':
			it.format = *optarg;
			break;
		case '?': usage(stderr); return 1;
		default: what = c; arg = optarg; break;
		}
	}
	if (!what || optind != argc || !strchr("tcx", it.format)) {
		usage(stderr);
		return 1;
	}
	ret = pm_initialize(filter | PM_GET_GROUPS, &it.info, &it.groups, type);
	if (ret) {
		hpm_fail("pm_initialize", ret);
		return 1;
	}
	if (it.format == 'x')
		puts("<pmlist>");
	list(what, arg);
	if (it.format == 'x')
		puts("</pmlist>");
	return written("pmlist", stdout, NULL) || it.failed;
}
