// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc events: list the events that can be counted here, and parse the lists of -e. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "kinds.h"
#include "options.h"
#include "vcpc.h"

#define TURN	4000000		/* ns that an event group counts before the next one is enabled */

/* The default events.  Events that do not exist on this machine are skipped. */
static const char *const usual[] = {
	"task-clock", "context-switches", "cpu-migrations", "page-faults",
	"cycles", "instructions", "branches", "branch-misses",
};

/* Like strsep() with a comma, but PMU/TERM,TERM/ is one name */
static char *next_name(char **rest)
{
	char *name = *rest;
	bool inside = false;
	char *at;

	if (!name)
		return NULL;
	for (at = name; *at && (*at != ',' || inside); at++)
		inside ^= *at == '/';
	*rest = *at ? at + 1 : NULL;
	*at = '\0';
	return name;
}

/*
 * Remove the braces of a group from a name.  Return false if they do not match, or if a mode
 * follows them.  All events of a set are counted at the same time, so groups are not treated
 * differently.
 */
static bool take_braces(struct vcpc_events *events, char **name, bool *inside)
{
	size_t len;

	if (**name == '{') {
		if (*inside)
			return false;
		events->grouped = *inside = true;
		++*name;
	}
	len = strlen(*name);
	if (len && (*name)[len - 1] == '}') {
		if (!*inside)
			return false;
		*inside = false;
		(*name)[len - 1] = '\0';
	}
	return !strpbrk(*name, "{}");
}

/**
 * vcpc_events_add() - add events to count
 * @events: zero at first
 * @list: comma-separated names
 *
 * Return: 0, or an exit status after printing a message.
 */
int vcpc_events_add(struct vcpc_events *events, const char *list)
{
	char *text = strdup(list);
	char *rest = text;
	bool inside = false;
	char *name;

	if (!text)
		return vcpc_fail(ENOMEM, "events");
	if (events->n == SHIM_SET_MAX) {
		free(text);
		return vcpc_usage("too many events (at most %d)", SHIM_SET_MAX);
	}
	events->text[events->n] = text;
	while ((name = next_name(&rest)) != NULL) {
		if (!take_braces(events, &name, &inside))
			return vcpc_usage("invalid event group '%s' (example: {cycles:u,instructions:u})", list);
		if (!*name)
			return vcpc_usage("'%s' contains an empty event name", list);
		if (events->n == SHIM_SET_MAX)
			return vcpc_usage("too many events (at most %d)", SHIM_SET_MAX);
		events->names[events->n++] = name;
	}
	return inside ? vcpc_usage("'%s' has a group without a closing brace", list) : 0;
}

void vcpc_events_free(struct vcpc_events *events)
{
	for (unsigned int i = 0; i < SHIM_SET_MAX; i++) {
		free(events->text[i]);
		free(events->made[i]);
	}
}

/* More events that perf stat -d counts; each additional "d" adds the next list. */
static const char *const detailed[][7] = {
	{ "L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads", "LLC-load-misses" },
	{ "L1-icache-loads", "L1-icache-load-misses", "dTLB-loads", "dTLB-load-misses", "iTLB-loads",
	  "iTLB-load-misses" },
	{ "L1-dcache-prefetches", "L1-dcache-prefetch-misses" },
};

static int count_pmu(void *n, const char *name, const char *cpus)
{
	(void)name;
	(void)cpus;
	++*(unsigned int *)n;
	return 0;
}

static unsigned int count_pmus(void)
{
	unsigned int n = 0;

	shim_pmus_walk(count_pmu, &n);	/* vcpc_kinds_split() reports an error */
	return n;
}

/*
 * Add an event that the user did not name.  If this machine lacks the event, add it only if the
 * output has a line to report that.
 */
static void add_default(struct shim_handle *handle, struct vcpc_events *events, const char *name)
{
	struct shim_set *set;

	if (events->n == SHIM_SET_MAX)
		return;
	if (!events->by_kind || count_pmus() > 1) {
		if (shim_set_create(handle, &name, 1, NULL, &set))
			return;
		shim_set_destroy(set);
	}
	events->names[events->n++] = name;
}

static void add_detailed(struct shim_handle *handle, struct vcpc_events *events)
{
	for (unsigned int d = 0; d < events->detailed && d < sizeof(detailed) / sizeof(detailed[0]); d++)
		for (unsigned int i = 0; detailed[d][i]; i++)
			add_default(handle, events, detailed[d][i]);
}

static void add_usual(struct shim_handle *handle, struct vcpc_events *events)
{
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		add_default(handle, events, usual[i]);
}

/**
 * say_backend() - print on stderr which backend is used and why, or why none is
 * @handle: from shim_open(), or NULL if that failed
 */
static void say_backend(struct shim_handle *handle)
{
	char why[SHIM_WHY_MAX];

	if (shim_backend_why(handle, why, sizeof(why)))
		return;
	if (handle)
		fprintf(stderr, "%s: counting through %s: %s\n", program_invocation_name,
			shim_backend(handle), why);
	else
		fprintf(stderr, "%s: %s\n", program_invocation_name, why);
}

/*
 * Report that no back end is available, and why.  -ENODEV means that the module is not loaded and
 * perf_event_open(2) is blocked or does not exist, unless SHIM_BACKEND selects the module.
 */
static int fail_backend(int err)
{
	const char *selected = getenv("SHIM_BACKEND");
	bool blocked = err == -ENODEV && (!selected || !*selected);

	if (blocked)
		err = access("/proc/sys/kernel/perf_event_paranoid", F_OK) ? -ENOSYS : -EPERM;
	vcpc_fail_counters(err, "cannot count");
	say_backend(NULL);
	return VCPC_EXIT_FAILURE;
}

static int create(struct shim_handle *handle, const struct vcpc_events *events, unsigned int *bad,
		  struct shim_set **set)
{
	if (events->in_turn)
		return shim_set_create_turns(handle, events->names, events->n, TURN, bad, set);
	return shim_set_create(handle, events->names, events->n, bad, set);
}

/* Return whether this is a known event that this machine cannot count, and not a mistyped one. */
static bool is_unsupported(struct shim_handle *handle, const char *event)
{
	struct shim_set *set;
	char known[SHIM_EVENT_MAX];
	unsigned int bad;
	int ret = shim_set_create(handle, &event, 1, &bad, &set);

	if (!ret)
		shim_set_destroy(set);
	return (ret == -ENOENT || ret == -EOPNOTSUPP) && !strchr(event, '/') &&
	       !shim_event_suggest(event, known, sizeof(known)) &&
	       !strncasecmp(known, event, strlen(known));
}

/*
 * Omit the events that this machine cannot count, so that the same list works on machines with and
 * without a PMU.  Report each in its line of output if there is one, otherwise in a message if
 * other events remain.  On machines with several kinds of core, vcpc_kinds_explain() gives more
 * details.
 */
static void drop_unsupported(struct shim_handle *handle, struct vcpc_events *events)
{
	unsigned int supported[SHIM_SET_MAX], n = 0, dropped = 0;

	if (count_pmus() > 1)
		return;
	for (unsigned int i = 0; i < events->n; i++)
		if (!is_unsupported(handle, events->names[i]))
			supported[n++] = i;
	if (n == events->n || (!n && !events->by_kind))
		return;
	for (unsigned int i = 0, k = 0; events->by_kind && i < events->n; i++) {
		events->lacking[i] = k == n || supported[k] != i;
		k += !events->lacking[i];
	}
	if (events->by_kind)
		return;
	fprintf(stderr, "%s: skipping events that this machine does not support:", program_invocation_name);
	for (unsigned int i = 0; i < events->n; i++) {
		if (i - dropped < n && supported[i - dropped] == i)
			continue;
		fprintf(stderr, "%s %s", dropped++ ? "," : "", events->names[i]);
	}
	fputs(" (see 'vcpc doctor')\n", stderr);
	for (unsigned int i = 0; i < n; i++)
		events->names[i] = events->names[supported[i]];
	events->n = n;
}

/* Count only a control group.  Return 0, or an exit status after printing a message. */
static int limit(const char *cgroup, struct shim_set *set)
{
	int ret = shim_set_cgroup(set, cgroup);

	switch (ret) {
	case 0:
		return 0;
	case -ENOENT:
		return vcpc_fail(0, "control group '%s' does not exist; /proc/PID/cgroup shows the group of a process", cgroup);
	case -ENODEV:
		return vcpc_fail(0, "control groups are not mounted; as root: mount -t cgroup2 cgroup2 /sys/fs/cgroup");
	default:
		return vcpc_fail(ret, "cannot count control group '%s'", cgroup);
	}
}

/**
 * vcpc_events_open() - create a set of the events
 * @events: if empty, the default events are added.  Events that this machine cannot count are
 *	removed; unless @by_kind is set, at least one must remain.
 * @set: for shim_set_destroy()
 *
 * Return: 0, or an exit status after printing a message.
 */
int vcpc_events_open(struct vcpc_events *events, struct shim_set **set)
{
	struct shim_handle *handle;
	unsigned int bad;
	int ret = shim_open(&handle);

	if (ret)
		return fail_backend(ret);
	if (events->verbose)
		say_backend(handle);
	if (!events->n)
		add_usual(handle, events);
	if (!events->rows.n)
		add_detailed(handle, events);
	if (!events->rows.n)
		drop_unsupported(handle, events);
	if (events->by_kind) {
		ret = vcpc_kinds_split(handle, events);
		if (ret) {
			shim_close(handle);
			return ret;
		}
	}
	/* A set needs at least one event, even if none of the requested events exists. */
	if (!events->n)
		events->names[events->n++] = "dummy";
	ret = create(handle, events, &bad, set);
	shim_close(handle);
	if (!ret && events->cgroup) {
		ret = limit(events->cgroup, *set);
		if (ret) {
			shim_set_destroy(*set);
			*set = NULL;
		}
		return ret;
	}
	if (!ret)
		return 0;
	return bad < events->n ? vcpc_fail_event(ret, events->names[bad]) :
				 vcpc_fail_counters(ret, "cannot count these events");
}

static int events_help(void)
{
	printf("Usage: vcpc events [PATTERN]\n\n"
	       "Lists the events that can be counted here, or only those with PATTERN in their name or\n"
	       "description.  A suffix selects the mode: :u (user mode) or :k (kernel).\n"
	       "rNNN is a raw code in hexadecimal.\n"
	       "GROUP:NAME, such as sched:sched_switch, is a tracepoint.  Tracepoints are not listed; see\n"
	       "/sys/kernel/tracing/events.\n"
	       "PMU/EVENT/ and PMU/FIELD=VALUE,.../ are events of one PMU, as in perf.  If the machine\n"
	       "has several kinds of core, cpu_core/cycles/ and libpfm's adl_glc::INST_RETIRED:ANY_P\n"
	       "count on one of them only.\n");
	return 0;
}

struct listing {
	const char *pattern;
	unsigned int n;
};

static int event_print(void *arg, const char *name, const char *desc)
{
	struct listing *listing = arg;
	const char *p = listing->pattern;

	if (p && !strcasestr(name, p) && !strcasestr(desc, p))
		return 0;
	listing->n++;
	return printf("%-32s %s\n", name, desc) < 0 ? -EIO : 0;
}

/* The core PMUs of a machine that has several */
struct cores {
	unsigned int n;
	char text[1024];
};

static int note_cores(void *arg, const char *name, const char *cpus)
{
	struct cores *cores = arg;
	size_t length = strlen(cores->text);

	cores->n++;
	snprintf(cores->text + length, sizeof(cores->text) - length, "%-32s core PMU of CPUs %s\n",
		 name, cpus);
	return 0;
}

static int print_cores(void)
{
	struct cores cores = { 0 };

	int ret = shim_pmus_walk(note_cores, &cores);

	if (ret || cores.n < 2)
		return ret;
	return printf("%sEVENT is counted on all of these PMUs; PMU/EVENT/ and PMU::EVENT are counted on one.\n\n", cores.text) < 0 ? -EIO : 0;
}

static int list(const char *pattern)
{
	struct listing listing = { .pattern = pattern };
	struct shim_handle *handle = NULL;
	int ret = shim_open(&handle);
	/*
	 * It is a valid result that nothing can be counted.  An error that leaves this unknown is a
	 * failure.
	 */
	bool unknown = ret && ret != -ENODEV && ret != -EACCES && ret != -EPROTONOSUPPORT;

	if (ret) {
		vcpc_fail(ret, "cannot determine which events can be counted here; all known names are listed");
		handle = NULL;
	}
	say_backend(handle);
	ret = pattern ? 0 : print_cores();
	if (!ret)
		ret = shim_events_walk(handle, event_print, &listing);
	if (handle)
		shim_close(handle);
	if (ret || fflush(stdout))
		return vcpc_fail(ret ? ret : errno, "cannot write");
	if (listing.n && unknown)
		return VCPC_EXIT_FAILURE;
	if (!listing.n)
		return vcpc_fail(0, "no event has '%s' in its name or description", pattern);
	return 0;
}

int vcpc_cmd_events(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = vcpc_getopt(argc, argv, "+h", options)) != -1) {
		if (c == 'h')
			return events_help();
		return vcpc_usage(NULL);
	}
	if (argc - optind > 1)
		return vcpc_usage("at most one PATTERN is allowed");
	return list(argv[optind]);
}
