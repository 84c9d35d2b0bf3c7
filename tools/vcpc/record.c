// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc record: run a command, and record its counts and all transactions into an archive. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counting.h"

#define DEFAULT_INTERVAL	1000000000ULL

struct job {
	const char *archive;
	int trace;
	struct vcpc_counting counting;
};

/* A recording under way */
struct recording {
	struct shim_recorder *rec;
	unsigned int records;
	int missing;	/* the first reason why values are left out */
	int broken;	/* the error that ended it */
};

static int help(void)
{
	printf("Usage: vcpc record -o ARCHIVE [-i INTERVAL] [-e EVENTS] [--trace] [--]\n"
	       "                   COMMAND [ARGUMENT...]\n\n"
	       "Runs COMMAND and records into a PCP archive, at each INTERVAL and at its end, what\n"
	       "it and all it started have counted, and, if tracing is on ('vcpc trace on'), the\n"
	       "machine's transactions.  Exits with COMMAND's exit status.\n\n"
	       "  -o, --output ARCHIVE   ARCHIVE.meta, .index and .0 are made; they must not exist\n"
	       "  -i, --interval TIME    with a unit: 100ms, 2s, 1min (without: 1s)\n"
	       "  -e, --events LIST      events, with commas between; may be given again\n"
	       "                         (without: the usual ones that exist here; none, where\n"
	       "                         the module is not loaded, but transactions can be traced)\n"
	       "  -t, --trace            turn tracing on for this time, if it is off\n");
	return 0;
}

static int tick(void *arg)
{
	struct recording *r = arg;

	r->broken = shim_record_tick(r->rec);
	if (r->broken)
		return r->broken;
	r->records++;
	if (!r->missing)
		r->missing = shim_record_missing(r->rec);
	return 0;
}

/* Two of the same name would be one metric. */
static int check_twice(const struct shim_set *set)
{
	for (unsigned int i = 0; i < shim_set_size(set); i++)
		for (unsigned int j = 0; j < i; j++)
			if (!strcmp(shim_set_event(set, i), shim_set_event(set, j)))
				return vcpc_fail(0, "event '%s' is given twice",
						 shim_set_event(set, i));
	return 0;
}

static int add_sources(struct recording *r, struct shim_set *set, pid_t pid, int traced)
{
	int ret = set ? shim_record_add_set(r->rec, set, pid) : 0;

	if (ret)
		return vcpc_fail(ret, "cannot record");
	ret = traced ? shim_record_add_trace(r->rec) : 0;
	if (ret)
		vcpc_fail(ret, "transactions are not recorded");
	return 0;
}

static int conclude(const struct job *job, struct recording *r, int status)
{
	int ret = shim_record_close(r->rec);

	if (!r->broken)
		r->broken = ret;
	fprintf(stderr, "vcpc record: %u records in %s\n", r->records, job->archive);
	if (r->broken)
		ret = vcpc_fail(0, "cannot write %s: %s", job->archive, strerror(-r->broken));
	else if (r->missing)
		ret = vcpc_fail(r->missing, "some values are missing");
	return status ? status : ret;
}

static int run(const struct job *job, struct shim_set *set, int traced)
{
	struct recording r = { 0 };
	/* What the command's transactions count is part of what is traced. */
	struct vcpc_child child = { .flags = traced ? SHIM_BIND_TRACE : 0 };
	int status;
	int ret = shim_record_open(job->archive, NULL, &r.rec);

	if (ret == -EBUSY)
		return vcpc_fail(0, "archive '%s' is being written by somebody else", job->archive);
	if (ret)
		return vcpc_fail(ret, "cannot make archive '%s'", job->archive);
	ret = vcpc_child_start(&child, set, job->counting.argv);
	if (ret) {
		shim_record_discard(r.rec);
		return ret;
	}
	ret = add_sources(&r, set, child.pid, traced);
	if (!ret)
		tick(&r);
	status = vcpc_child_wait(&child, ret || r.broken ? 0 : job->counting.interval, tick, &r);
	if (ret) {
		shim_record_discard(r.rec);
		return status ? status : ret;
	}
	if (!r.broken)
		tick(&r);
	return conclude(job, &r, status);
}

/* With tracing on, if that is wanted; off again only if it was off. */
static int run_traced(const struct job *job, struct shim_set *set)
{
	int ours = 0;
	int ret;

	if (job->trace) {
		ret = shim_trace_on(NULL);
		if (ret && ret != -EEXIST)
			return vcpc_fail(ret, "cannot turn tracing on");
		ours = !ret;
	}
	ret = run(job, set, shim_trace_status() > 0);
	if (ours)
		shim_trace_off();
	return ret;
}

static bool own_option(int letter, void *arg)
{
	struct job *job = arg;

	if (letter == 'o')
		job->archive = optarg;
	else if (letter == 't')
		job->trace = 1;
	else
		return false;
	return true;
}

/* As vcpc_counting_parse() */
static int parse(int argc, char **argv, struct job *job)
{
	static const struct option names[] = {
		VCPC_COUNTING_LONG,
		{ "output", required_argument, NULL, 'o' },
		{ "trace", no_argument, NULL, 't' },
		{ NULL, 0, NULL, 0 }
	};
	static const struct vcpc_counting_options options = {
		.letters = VCPC_COUNTING_SHORT "o:t", .names = names, .own = own_option,
	};
	int ret = vcpc_counting_parse(argc, argv, &options, &job->counting, job);

	if (!ret && !job->archive)
		ret = vcpc_usage("-o ARCHIVE is missing");
	return ret ? ret : vcpc_counting_command(&job->counting);
}

static int nothing_counts(void)
{
	struct shim_handle *handle;
	int ret = shim_open(&handle);

	if (!ret)
		shim_close(handle);
	return ret == -ENODEV || (ret == -EACCES && access("/dev/vcpc", F_OK));
}

/* Without the module, there is nothing but what is traced; no set, if that is all that was asked for. */
static int open_set(struct job *job, struct shim_set **set)
{
	int ret;

	*set = NULL;
	if (!job->counting.events.n && (job->trace || shim_trace_status() > 0) && nothing_counts()) {
		fprintf(stderr, "vcpc record: the vcpc module is not loaded: transactions, but no counts\n");
		return 0;
	}
	ret = vcpc_events_open(&job->counting.events, set);
	return ret ? ret : check_twice(*set);
}

int vcpc_cmd_record(int argc, char **argv)
{
	struct job job = { .counting.interval = DEFAULT_INTERVAL };
	struct shim_set *set = NULL;
	int ret = parse(argc, argv, &job);
	bool wants_help = ret < 0;

	if (!ret)
		ret = open_set(&job, &set);
	if (!ret)
		ret = run_traced(&job, set);
	shim_set_destroy(set);
	vcpc_events_free(&job.counting.events);
	return wants_help ? help() : ret;
}
