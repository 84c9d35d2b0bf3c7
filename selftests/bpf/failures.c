// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read this machine's transactions while calls fail: from the maps, as metrics, and with the
 * recorder.  No failing call of bpf(2) may cause a tag or a count to be omitted.
 */
#include <pcp/pmapi.h>
#include <pcp/trace.h>
#include <shim/shim.h>
#include <shim/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail/shared/sweep.h"

#define TAGS	5
#define ROUNDS	4

static int transact(void)
{
	char tag[8] = "tag0";
	int err = 0;

	for (int i = 0; i < ROUNDS * TAGS && !err; i++) {
		tag[3] = '0' + i % TAGS;
		err = pmtracebegin(tag);
		if (!err)
			err = pmtraceend(tag);
		if (!err)
			err = pmtracepoint("point");
	}
	/* The map is full, so this tag is counted as lost. */
	if (!err)
		err = pmtracebegin("more");
	return err ? err : pmtraceend("more");
}

static int transact_apart(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(transact() ? 1 : 0);
	return pid < 0 || waitpid(pid, &status, 0) != pid ? -1 : status;
}

static void say_processes(struct shim_trace *trace)
{
	size_t n = 0;

	say("processes %ld", TRY(shim_trace_processes_get(trace, &n)));
	for (size_t i = 0; i < n; i++)
		say(" %s %lu", shim_trace_process_at(trace, i)->stat.name,
		    (unsigned long)shim_trace_process_at(trace, i)->stat.count);
	say("\n");
}

static void reading(void)
{
	struct shim_trace_drops drops = { 0 };
	struct shim_trace *trace = NULL;
	size_t n = 0;

	say("open %ld\n", TRY(shim_trace_open(&trace)));
	if (!trace)
		return;
	for (int i = 0; i < 2; i++) {
		say("stats %ld", TRY(shim_trace_stats_get(trace, &n)));
		for (size_t k = 0; k < n; k++)
			say(" %s %lu", shim_trace_stat_at(trace, k)->name,
			    (unsigned long)shim_trace_stat_at(trace, k)->count);
		say("\ncounts %ld", TRY(shim_trace_counts_get(trace, &n)));
		say(" %zu\n", n);
	}
	say_processes(trace);
	say("drops %ld", TRY(shim_trace_drops_get(trace, &drops)));
	say(" %lu\n", (unsigned long)(drops.tag_full + drops.stat_full));
	shim_trace_close(trace);
}

static pmID ids[3];

static void show(const pmResult *r)
{
	for (int i = 0; i < r->numpmid; i++) {
		say(" |%d", r->vset[i]->numval);
		for (int k = 0; k < r->vset[i]->numval; k++) {
			pmAtomValue v = { 0 };

			if (!TRY(pmExtractValue(r->vset[i]->valfmt, &r->vset[i]->vlist[k], PM_TYPE_U64, &v,
						PM_TYPE_DOUBLE)))
				say(" %g", v.d);
		}
	}
	say("\n");
}

/* Fetch.  Return the error of the call, or of the first metric with an error (its numval). */
static int fetch(pmResult **r)
{
	int err = pmFetch(2, ids, r);

	for (int i = 0; !err && i < 2; i++)
		if ((*r)->vset[i]->numval < 0)
			err = (*r)->vset[i]->numval;
	if (err && *r) {
		pmFreeResult(*r);
		*r = NULL;
	}
	return err;
}

static void metrics(void)
{
	const char *names[] = { "trace.transact.count", "trace.point.count" };
	long context = TRY(pmNewContext(PM_CONTEXT_LOCAL, NULL));

	say("context %d\n", context >= 0);
	say("ids %ld\n", TRY(pmLookupName(2, names, ids)));
	for (int i = 0; i < 2; i++) {
		pmResult *r = NULL;

		say("fetch %ld", TRY(fetch(&r)));
		if (r) {
			show(r);
			pmFreeResult(r);
		}
	}
	pmDestroyContext((int)context);
}

static void remove_record(void)
{
	unlink("out.0");
	unlink("out.meta");
	unlink("out.index");
}

static void recording(void)
{
	struct shim_recorder *rec = NULL;

	say("open %ld\n", TRY(shim_record_open("out", NULL, &rec)));
	if (!rec)
		return;
	say("add %ld\n", TRY(shim_record_add_trace(rec)));
	for (int i = 0; i < 3; i++)
		say("tick %ld\n", TRY(shim_record_tick(rec)));
	say("close %ld\n", LAST(shim_record_close(rec)));
}

/* Read the last record that the recorder has written. */
static void read_back(void)
{
	const char *name = "trace.transact.count";
	struct timeval end = { 0x7fffffff, 0 };
	int context = pmNewContext(PM_CONTEXT_ARCHIVE, "out");
	pmResult *r = NULL;

	if (context >= 0 && pmLookupName(1, &name, ids) == 1 && !pmFetchArchive(&r))
		pmFreeResult(r);
	pmSetMode(PM_MODE_BACK, &end, 0);
	r = NULL;
	say("back %d:", pmFetch(1, ids, &r));
	if (r) {
		show(r);
		pmFreeResult(r);
	}
	pmDestroyContext(context);
}

/* Create the list of counted events, a file that each process can read. */
static void count_nothing(void)
{
	unsigned int bad;

	shim_trace_count(NULL, 0, &bad);
}

static void counting(void)
{
	static const char *const events[] = { "page-faults", "context-switches" };
	unsigned int bad;

	say("count %ld\n", TRY(shim_trace_count(events, 2, &bad)));
}

static void look_at_events(void)
{
	struct stat st = { 0 };

	say("file %d", stat("/run/vcpc/trace-counts", &st));
	say(" %o %ld\n", st.st_mode, (long)st.st_size);
}

static const struct sweep_case cases[] = {
	{ .name = "reading", .run = reading, .most = 12 },
	/* libbpf keeps a buffer for its messages */
	{ .name = "metrics", .run = metrics, .most = 12, .left = 1 },
	{ .name = "counting", .before = count_nothing, .run = counting, .after = look_at_events,
	  .most = 12, .left = 1 },
	{ .name = "recording", .before = remove_record, .run = recording, .after = read_back,
	  .most = 12, .left = 1 },
};

int main(void)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .flags = SHIM_TRACE_F_PROCESSES, .max_tags = TAGS + 1,
	};
	int err;

	umask(077);	/* Users other than root must still be able to read the list of events. */
	shim_trace_off();
	err = shim_trace_on(&options);
	if (err) {
		printf("1..0 # SKIP tracing cannot be turned on here: %s\n", strerror(-err));
		return 4;
	}
	err = transact_apart() ? 2 : sweep(cases, sizeof(cases) / sizeof(cases[0]));
	shim_trace_off();
	return err;
}
