// SPDX-License-Identifier: GPL-2.0-or-later
/* Use derived metrics and fetch groups on an archive while system calls fail. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "fail/shared/sample.h"
#include "fail/shared/sweep.h"

static const char *const expressions[][2] = {
	{ "d.sum", "demo.m2 + 1" },
	{ "d.rate", "rate(demo.m3)" },
	{ "d.part", "demo.m1[left] * 2" },
	{ "d.all", "matchinst(/^[lm]/, demo.m5)" },
	{ "d.choice", "demo.m2 > 50 ? demo.m2 : demo.m2 * 2" },
};

#define DERIVED	5

static void prepare(void)
{
	FILE *f;

	sample_make("a", 0, 24, 8);
	f = fopen("derived.conf", "w");
	for (int i = 0; i < DERIVED; i++)
		fprintf(f, "c%s = %s\n", expressions[i][0], expressions[i][1]);
	fprintf(f, "cd.sum(oneline) = a sum\ncd.sum(helptext) = all of it\n");
	fclose(f);
}

static int open_archive(void)
{
	int context = (int)TRY(pmNewContext(PM_CONTEXT_ARCHIVE, "a"));

	say("context %d\n", context >= 0);
	return context;
}

static void show(const pmResult *r, const int *types)
{
	for (int i = 0; i < r->numpmid; i++) {
		const pmValueSet *set = r->vset[i];

		say(" |%d", set->numval);
		for (int k = 0; k < set->numval; k++) {
			pmAtomValue v = { 0 };

			say(" %ld", TRY(pmExtractValue(set->valfmt, &set->vlist[k], types[i], &v,
						       PM_TYPE_DOUBLE)));
			say("=%g", v.d);
		}
	}
	say("\n");
}

static void fetches(const char *const *names, int mode)
{
	struct timeval start = { SAMPLE_START, 0 };
	int types[DERIVED];
	pmID ids[DERIVED];

	say("names %ld\n", TRY(pmLookupName(DERIVED, (const char **)names, ids)));
	for (int i = 0; i < DERIVED; i++) {
		pmDesc desc = { 0 };

		say("desc %ld", TRY(pmLookupDesc(ids[i], &desc)));
		say(" %d %d\n", desc.type, desc.sem);
		types[i] = desc.type;
	}
	say("mode %ld\n", TRY(pmSetMode(mode, &start, mode == PM_MODE_INTERP ? 1500 : 0)));
	for (int i = 0; i < 6; i++) {
		pmResult *r = NULL;

		say("fetch %ld", TRY(pmFetch(DERIVED, ids, &r)));
		if (!r)
			continue;
		show(r, types);
		pmFreeResult(r);
	}
}

/* Return 0, or -1 if the call returned NULL or the position of an error. */
static long registered(const char *name, const char *expr)
{
	char *message = NULL;
	int err = pmRegisterDerivedMetric(name, expr, &message);

	free(message);
	return err;
}

/* Allocate the thread's buffer for error messages, which is kept until the thread exits. */
static void warm(void)
{
	say("%ld", TRY(registered("d.twice", "1")));
	say(" %ld\n", TRY_UNLESS(registered("d.twice", "1"), true));
}

static void run_register(void)
{
	const char *names[DERIVED];
	int context;

	warm();
	for (int i = 0; i < DERIVED; i++) {
		names[i] = expressions[i][0];
		say("register %ld\n", TRY(registered(names[i], expressions[i][1])));
	}
	context = open_archive();
	fetches(names, PM_MODE_INTERP);
	fetches(names, PM_MODE_FORW);
	pmDestroyContext(context);
}

static void see(const char *name)
{
	say(" %s", name);
}

static void run_names(void)
{
	char **names = NULL;
	int context, n;

	warm();
	say("sum %ld", TRY(registered("demo.sum", "demo.m2 + 1")));
	say(" part %ld\n", TRY(registered("demo.m.part", "demo.m1[left]")));
	context = open_archive();
	n = (int)TRY(pmGetChildren("demo", &names));
	for (int i = 0; i < n; i++)
		say(" %s", names[i]);
	free(names);
	say("\n");
	/*
	 * The library passes names on only after it has found all of them, so a repeated call does
	 * not repeat names.
	 */
	say("%ld\n", TRY(pmTraversePMNS("demo", see)));
	say("%ld\n", TRY(pmTraversePMNS("", see)));
	pmDestroyContext(context);
}

static void run_config(void)
{
	static const char *const names[DERIVED] = {
		"cd.sum", "cd.rate", "cd.part", "cd.all", "cd.choice"
	};
	int context;
	char *text;
	pmID id;

	warm();
	/*
	 * Print only whether this succeeds, because the number depends on the definitions of
	 * earlier attempts.
	 */
	say("load %d\n", TRY(pmLoadDerivedConfig("derived.conf")) >= 0);
	context = open_archive();
	fetches(names, PM_MODE_FORW);
	say("name %ld", TRY(pmLookupName(1, (const char **)names, &id)));
	text = NULL;
	say(" text %ld", TRY(pmLookupText(id, PM_TEXT_ONELINE, &text)));
	say(" %s\n", text ? text : "?");
	free(text);
	pmDestroyContext(context);
}

/* The file that the environment variable names is read when the first context is opened. */
static void run_variable(void)
{
	static const char *const names[DERIVED] = {
		"cd.sum", "cd.rate", "cd.part", "cd.all", "cd.choice"
	};
	int context;

	say("%ld\n", TRY(setenv("PCP_DERIVED_CONFIG", "derived.conf", 1)));
	warm();
	context = open_archive();
	fetches(names, PM_MODE_FORW);
	pmDestroyContext(context);
}

/* Without reading the file, this call would not find the metric. */
static void run_text(void)
{
	say("%ld\n", TRY(setenv("PCP_DERIVED_CONFIG", "derived.conf", 1)));
	warm();
	say("text %ld\n", TRY(pmAddDerivedText("cd.rate", PM_TEXT_ONELINE, "a rate")));
}

/* A removal that fails removes nothing, so the repeated call returns the same number. */
static void run_remove(void)
{
	int first = open_archive(), second = open_archive();
	char *message = NULL;

	warm();
	say("global %ld\n", TRY(registered("d.both", "demo.m2 + 1")));
	say("own %ld", TRY(pmAddDerivedMetric("d.own", "demo.m2 + 1", &message)));
	say(" %ld\n", TRY(registered("d.later", "demo.m2 + 2")));
	free(message);
	say("removed %ld", TRY(pmUnregisterDerived("d.both")));
	say(" %ld", TRY(pmUnregisterDerived("d.own")));
	say(" %ld\n", TRY_UNLESS(pmUnregisterDerived("d.own"), result_ == PM_ERR_NAME));
	pmDestroyContext(second);
	pmDestroyContext(first);
}

/* A failure can be in an item's own status.  To repeat the fetch, the program must seek back. */
static long fetch_group(pmFG fg, const struct timespec *ts, const int *sts, const int *all)
{
	struct timeval again;
	int err = pmFetchGroup(fg);

	if (err < 0 || (sts[0] != -ENOMEM && sts[1] != -ENOMEM && *all != -ENOMEM))
		return err;
	again = (struct timeval){ ts->tv_sec, ts->tv_nsec / 1000 };
	pmUseContext(pmGetFetchGroupContext(fg));
	pmSetMode(PM_MODE_FORW, &again, 0);
	return -ENOMEM;
}

static void run_group(void)
{
	pmAtomValue item = { 0 }, text = { 0 }, values[3] = { { 0 } };
	int sts[2] = { 0 }, stss[3], codes[3], all = 0;
	struct timespec ts = { 0 };
	long err;
	char *names[3] = { NULL };
	unsigned int n = 0;
	pmFG fg = NULL;

	say("group %ld\n", TRY(pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, "a")));
	say("item %ld\n", TRY(pmExtendFetchGroup_item(fg, "demo.m2", NULL, "instant", &item,
						      PM_TYPE_DOUBLE, &sts[0])));
	say("text %ld\n", TRY(pmExtendFetchGroup_item(fg, "demo.m4", NULL, NULL, &text,
						      PM_TYPE_STRING, &sts[1])));
	say("set %ld\n", TRY(pmExtendFetchGroup_indom(fg, "demo.m1", NULL, codes, names, values,
						      PM_TYPE_DOUBLE, stss, 3, &n, &all)));
	say("time %ld\n", TRY(pmExtendFetchGroup_timespec(fg, &ts)));
	for (int i = 0; i < 6; i++) {
		err = TRY_UNLESS(fetch_group(fg, &ts, sts, &all), result_ == PM_ERR_EOL);
		say("fetch %ld", err);
		say(" %ld %g %d %s %d %u", (long)ts.tv_sec, item.d, sts[0], text.cp, sts[1], n);
		for (unsigned int k = 0; k < n; k++)
			say(" %d %s %g %d", codes[k], names[k], values[k].d, stss[k]);
		say("\n");
	}
	say("end %ld\n", TRY(pmDestroyFetchGroup(fg)));
}

static const struct sweep_case cases[] = {
	/* regcomp() leaks a block if memory runs out, and pmprintf() keeps a buffer. */
	{ .name = "derived", .prepare = prepare, .run = run_register, .left = 1 },
	{ .name = "derived names", .prepare = prepare, .run = run_names, .left = 1 },
	{ .name = "derived config", .prepare = prepare, .run = run_config, .left = 2 },
	/* A file without read permission is reported and skipped. */
	{ .name = "derived variable", .prepare = prepare, .run = run_variable, .without = "open-EACCES", .left = 2 },
	{ .name = "derived text", .prepare = prepare, .run = run_text, .without = "open-EACCES", .left = 2 },
	{ .name = "derived remove", .prepare = prepare, .run = run_remove, .left = 1 },
	{ .name = "fetch group", .prepare = prepare, .run = run_group },
};

int main(void)
{
	/* A run takes milliseconds, so fail all calls: what a failure does also depends on the state. */
	setenv("FAIL_POINTS", "0", 0);
	return sweep(cases, sizeof(cases) / sizeof(cases[0]));
}
