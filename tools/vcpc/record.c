// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc record: run a command, and record its counts and all transactions into an archive. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "pack.h"
#include "record_lost.h"
#include "record_name.h"
#include "record_options.h"
#include "record_tracing.h"
#include "record_why.h"
#include "with.h"

#define COUNTS			8	/* maximum number of events counted in transactions */

/*
 * A recording in progress.  @sets contains @n sets: one for each target, one for the command, or
 * none.
 */
struct recording {
	struct record_job *job;
	struct shim_recorder *rec;
	uint64_t before;	/* records in archives that have ended */
	pid_t pid;		/* process ID of the command */
	struct vcpc_with *with;	/* NULL without --with */
	struct shim_set *sets[VCPC_TARGETS];
	unsigned int n;
	int missing;	/* first reason why values were omitted */
	int broken;	/* the error that ended the recording */
	bool full;	/* the archive has reached its maximum size */
	bool traced;	/* transactions are recorded */
	struct record_tracing tracing;	/* with --trace */
	struct record_why why;
	struct vcpc_packer packer;
	int unpacked;	/* first reason why an archive remained uncompressed */
};

/* Return whether the archive has reached --max-size.  If so, print a message. */
static bool is_full(const struct record_job *job)
{
	if (job->max_size <= 0 || vcpc_archive_size(job->archive) < job->max_size)
		return false;
	vcpc_fail(0, "recording stops: %s has reached the limit of --max-size", job->archive);
	return true;
}

/* Reject an event that was requested twice, because both would be the same metric. */
static int check_twice(const struct shim_set *set)
{
	for (unsigned int i = 0; i < shim_set_size(set); i++)
		for (unsigned int j = 0; j < i; j++)
			if (!strcmp(shim_set_event(set, i), shim_set_event(set, j)))
				return vcpc_fail(0, "event '%s' is specified twice",
						 shim_set_event(set, i));
	return 0;
}

/*
 * Name the command as the kernel names its process after execve.  The process still executes this
 * program when its set is added.
 */
static int add_command(struct shim_recorder *rec, struct shim_set *set, pid_t pid, const char *command)
{
	char name[32];

	snprintf(name, sizeof(name), "%06d %.15s", (int)pid, basename(command));
	return shim_record_add_named(rec, set, pid, name);
}

static int add_set(const struct record_job *job, struct recording *r, unsigned int i, pid_t pid)
{
	const struct vcpc_targets *targets = &job->counting.targets;
	char name[32];

	if (targets->kind == VCPC_NO_TARGETS)
		return add_command(r->rec, r->sets[i], pid, job->counting.argv[0]);
	if (targets->kind != VCPC_CPUS)
		return shim_record_add_set(r->rec, r->sets[i], targets->ids[i]);
	snprintf(name, sizeof(name), "cpu%d", (int)targets->ids[i]);
	return shim_record_add_named(r->rec, r->sets[i], targets->ids[i], name);
}

/*
 * Add the sources of values.  @pid is the command's process; @traced is set if transactions must be
 * recorded.  Return 0; -ECANCELED after printing a message; or -errno, and set @what to the message.
 */
static int add_sources(const struct record_job *job, struct recording *r, pid_t pid, int traced,
		       const char **what)
{
	int ret = 0;

	*what = "cannot record";
	for (unsigned int i = 0; i < r->n && !ret; i++)
		ret = add_set(job, r, i, pid);
	if (ret)
		return ret;
	if (r->with && vcpc_with_add(r->with, r->rec))
		return -ECANCELED;
	*what = "cannot record transactions";
	ret = traced ? shim_record_add_trace(r->rec) : 0;
	if (ret == -EPERM && !job->trace && !job->why) {
		vcpc_fail(ret, "transactions are not recorded");
		return 0;
	}
	return ret;
}

/* Open the next archive, and write a record into it.  Return 0 or -errno. */
static int open_next(struct recording *r, const char *path, struct shim_recorder **next)
{
	const struct shim_record_options options = { .size = sizeof(options), .after = r->rec };
	struct shim_recorder *present = r->rec;
	int tracing = r->traced ? 1 : shim_trace_status();
	bool traced = tracing > 0;
	const char *what;
	int ret = tracing < 0 && tracing != -EPERM ? tracing : shim_record_open(path, &options, next);

	if (ret)
		return ret;
	r->rec = *next;
	if (r->job->changes)
		ret = shim_record_changes(*next);
	if (!ret)
		ret = add_sources(r->job, r, r->pid, traced, &what);
	if (!ret)
		ret = shim_record_tick(*next);
	/*
	 * If no record could be written to the next archive, drop it and continue with the current
	 * one.
	 */
	if (!ret && !shim_record_count(*next))
		ret = -ENODATA;
	r->rec = present;
	if (!ret)
		r->traced = traced;
	if (ret) {
		if (r->with)
			vcpc_with_end(r->with, *next);
		shim_record_discard(*next);
	}
	return ret;
}

/* Wait until the previous archive is compressed, because it may be removed next. */
static void wait_for_packer(struct recording *r)
{
	int err = vcpc_packer_wait(&r->packer);

	if (!r->unpacked)
		r->unpacked = err;
}

/*
 * Begin the next archive before the current one ends, so that nothing is lost if that fails.  After
 * a failure, recording continues in the current archive, and the next tick tries again.  Only the
 * first failure prints a message.
 */
static int rotate(struct recording *r)
{
	struct vcpc_rotate *rotate = &r->job->rotate;
	struct shim_recorder *next = NULL;
	char path[PATH_MAX], ended[PATH_MAX];
	int ret = vcpc_rotate_name(r->job->archive, path), kept;

	if (!ret)
		ret = open_next(r, path, &next);
	if (ret) {
		if (!rotate->refused)
			vcpc_fail(ret, "--rotate: cannot start a new archive in %s; recording continues in %s", r->job->archive,
				  rotate->archive);
		rotate->refused = ret;
		return 0;
	}
	rotate->refused = 0;
	r->before += shim_record_count(r->rec);
	if (r->with)
		vcpc_with_end(r->with, r->rec);
	if (!r->missing)
		r->missing = shim_record_missing(next);
	ret = shim_record_close(r->rec);
	r->rec = next;
	memcpy(ended, rotate->archive, sizeof(ended));
	record_why_write(&r->why, ended);
	vcpc_rotate_begin(rotate, path);
	wait_for_packer(r);
	kept = vcpc_rotate_prune(rotate, r->job->archive);
	if (kept)
		fprintf(stderr, "vcpc record: --keep: cannot remove an old archive in %s: %s\n",
			r->job->archive, strerror(-kept));
	if (r->job->compress && !ret)
		vcpc_packer_start(&r->packer, ended);
	return ret;
}

/* Record the current values.  A nonzero result ends the ticks. */
static int record_tick(void *arg, uint64_t missed)
{
	struct recording *r = arg;

	record_why_tick(&r->why);
	shim_record_missed(r->rec, missed);
	r->broken = shim_record_tick(r->rec);
	if (r->broken)
		return r->broken;
	if (!r->missing)
		r->missing = shim_record_missing(r->rec);
	if (vcpc_rotate_wanted(&r->job->rotate) && shim_record_count(r->rec) &&
	    vcpc_rotate_due(&r->job->rotate))
		r->broken = rotate(r);
	r->full = is_full(r->job);
	return r->broken ? r->broken : r->full;
}

static int nothing_recorded(const struct record_job *job)
{
	return vcpc_fail(0, "nothing was counted, and no program made a trace call, so archive %s was not created\n"
			 "%s: programs mark transactions with pmtracebegin() and pmtraceend(), see libshim-trace(3)",
			 job->archive, program_invocation_name);
}

/* Remove the directory of --rotate if this command created it and it is empty. */
static void remove_folder(const struct record_job *job)
{
	if (job->rotate.made)
		rmdir(job->archive);
}

/* Return the archive that is being written. */
static const char *current(const struct record_job *job)
{
	return vcpc_rotate_wanted(&job->rotate) ? job->rotate.archive : job->archive;
}

static void compress_last(const struct record_job *job, struct recording *r)
{
	wait_for_packer(r);
	vcpc_packer_start(&r->packer, current(job));
	wait_for_packer(r);
}

static int conclude(const struct record_job *job, struct recording *r, int status)
{
	uint64_t records = r->before + shim_record_count(r->rec);
	int ret = shim_record_close(r->rec);

	if (!r->broken && ret == -ENODATA && !records) {
		remove_folder(job);
		ret = nothing_recorded(job);
		return status ? status : ret;
	}
	record_why_write(&r->why, current(job));
	if (r->with && !r->missing)
		r->missing = vcpc_with_missing(r->with);
	if (!r->broken && ret != -ENODATA)
		r->broken = ret;
	vcpc_fail(0, "%" PRIu64 " record%s in %s", records, records == 1 ? "" : "s", job->archive);
	if (job->archive == job->chosen)
		vcpc_fail(0, "to show it: vcpc replay %s", job->archive);
	if (job->compress && !r->broken)
		compress_last(job, r);
	if (r->broken)
		ret = vcpc_fail(r->broken, "cannot write %s", current(job));
	else if (r->unpacked)
		ret = EXIT_FAILURE;
	else if (r->missing)
		ret = vcpc_fail_counters(r->missing, "some values are missing from the archive");
	return status ? status : ret;
}

/*
 * Return whether an error of shim_trace_count() is a failure.  It is not a failure if events cannot
 * be counted in transactions, if another user has requested other events, or if only root may
 * request them and this process did not turn tracing on.
 */
static bool is_failure(const struct record_job *job, int err)
{
	return err && err != -EOPNOTSUPP && err != -EINVAL && err != -ENOENT && err != -EBUSY &&
	       (err != -EPERM || job->trace);
}

/*
 * Request that all traced threads count the first events in their transactions, because counters
 * cannot be added to running programs from outside.  Return whether the request was granted:
 * another user may have requested other events, or the request may require root.
 */
static int want_counts(const struct record_job *job, struct recording *r)
{
	const char *names[COUNTS];
	unsigned int n = 0;
	int err;

	if (!r->n || job->counting.targets.kind == VCPC_CPUS ||
	    job->counting.targets.kind == VCPC_NO_TARGETS)
		return 0;
	while (n < COUNTS && n < shim_set_size(r->sets[0])) {
		names[n] = shim_set_event(r->sets[0], n);
		n++;
	}
	err = shim_trace_count(names, n, NULL);
	if (err && err != -EBUSY)
		fprintf(stderr, "vcpc record: transactions are recorded without counts: %s\n", strerror(-err));
	if (is_failure(job, err))
		r->missing = err;
	return !err;
}

/* Write the first record, whose values are the baseline of the run's counts. */
static int baseline(void *arg, pid_t pid)
{
	struct recording *r = arg;
	const char *what;
	int ret = 0;

	r->pid = pid;
	if (r->job->changes)
		ret = shim_record_changes(r->rec);
	if (!ret && r->job->counting.argv[0])
		ret = record_label(r->rec, r->job->counting.argv);
	if (!ret)
		ret = add_sources(r->job, r, pid, r->traced, &what);
	if (ret < 0)
		ret = ret == -ECANCELED ? VCPC_EXIT_FAILURE : vcpc_fail(ret, "%s", what);
	if (!ret && record_tick(r, 0) && r->broken)
		ret = vcpc_fail(r->broken, "cannot write %s", r->job->archive);
	return ret;
}

/*
 * Bind the sets to the targets, or start the command, and write the first record before they count.
 * Return 0, or an exit status after printing a message.
 */
static int record_begin(const struct record_job *job, struct recording *r, struct vcpc_child *child)
{
	const struct vcpc_targets *targets = &job->counting.targets;
	char what[1024];
	int ret = 0;

	if (targets->kind == VCPC_NO_TARGETS)
		return vcpc_child_start(child, r->n ? r->sets[0] : NULL, job->counting.argv);
	for (unsigned int i = 0; i < r->n && !ret; i++)
		ret = vcpc_targets_bind(targets, i, r->sets[i]);
	if (!ret)
		ret = baseline(r, 0);
	if (ret || *job->counting.argv || job->counting.duration)
		return ret;
	vcpc_targets_text(targets, what, sizeof(what));
	vcpc_fail(0, "recording %s in %s; stop with Ctrl-C", what, job->archive);
	return 0;
}

/* Wait for the end of the recording.  If @ticks is set, record at each tick. */
static int record_wait(const struct record_job *job, struct recording *r, struct vcpc_child *child,
		       bool ticks)
{
	if (job->counting.targets.kind == VCPC_NO_TARGETS)
		return vcpc_child_wait(child, ticks ? job->counting.interval : 0, record_tick, r);
	return ticks ? vcpc_counting_wait(&job->counting, record_tick, r) : 0;
}

/* Open the archive, or with --rotate the first one in the directory.  Return 0 or -errno. */
static int open_first(struct recording *r)
{
	struct record_job *job = r->job;
	char path[PATH_MAX];
	int ret;

	if (!vcpc_rotate_wanted(&job->rotate))
		return shim_record_open(job->archive, NULL, &r->rec);
	ret = vcpc_rotate_folder(&job->rotate, job->archive);
	if (!ret)
		ret = vcpc_rotate_name(job->archive, path);
	if (!ret)
		ret = shim_record_open(path, NULL, &r->rec);
	if (ret)
		remove_folder(job);
	else
		vcpc_rotate_begin(&job->rotate, path);
	return ret;
}

static int record_run(const struct record_job *job, struct recording *r)
{
	/* If tracing is on, also record the counts of the command's transactions. */
	struct vcpc_child child = {
		.flags = r->traced ? SHIM_BIND_TRACE : 0, .ready = baseline, .arg = r,
	};
	int status;
	int ret = open_first(r);

	if (ret == -EBUSY)
		return vcpc_fail(0, "another process is writing the archive '%s'", job->archive);
	if (ret)
		return vcpc_fail(ret, "cannot create archive '%s'", job->archive);
	ret = record_begin(job, r, &child);
	if (ret) {
		shim_record_discard(r->rec);
		remove_folder(job);
		return ret;
	}
	status = record_wait(job, r, &child, !r->full);
	if (!r->broken && !r->full)
		record_tick(r, 0);
	return conclude(job, r, status);
}

/*
 * With --why, watch the threads that are in transactions.  Return 0, or an exit status after a
 * message.
 */
static int record_watch(const struct record_job *job, struct recording *r)
{
	if (!r->traced)
		return vcpc_fail(0, "--why explains transactions, but tracing is off (add --trace)");
	return record_why_open(&r->why, vcpc_rotate_wanted(&job->rotate) ? NULL : job->archive);
}

/* Find out whether tracing is on.  Return 0, or an exit status after printing a message. */
static int find_traced(const struct record_job *job, struct recording *r)
{
	int tracing = shim_trace_status();

	/*
	 * Users other than root may lack the permission to find out.  They record counts without
	 * transactions.
	 */
	if (tracing < 0 && (tracing != -EPERM || job->trace))
		return vcpc_fail(tracing, "cannot determine whether tracing is on");
	r->traced = tracing > 0;
	if (!r->traced && *job->counting.argv && vcpc_makes_trace_calls(job->counting.path))
		vcpc_fail(0, "'%s' marks transactions, but tracing is off, so they are not recorded (add --trace)",
			  *job->counting.argv);
	return 0;
}

static int record_traced(const struct record_job *job, struct recording *r)
{
	struct record_lost lost = { 0 };
	int counts = r->traced && want_counts(job, r);
	int ret = job->why ? record_watch(job, r) : 0, status;

	if (r->traced)
		lost = record_lost_read();
	if (!ret)
		ret = record_run(job, r);
	status = r->traced ? record_lost_report(&lost) : 0;
	ret = ret ? ret : status;
	status = record_why_close(&r->why);
	ret = ret ? ret : status;
	status = job->trace && record_tracing_leave(&r->tracing) ? 0 :
		 counts ? shim_trace_count(NULL, 0, NULL) : 0;
	if (status)
		status = vcpc_fail(status, "cannot stop counting events in transactions (as root: vcpc trace off)");
	return ret ? ret : status;
}

/* With --trace, turn tracing on to record, and off after the last of several recordings. */
static int run_traced(const struct record_job *job, struct recording *r)
{
	int ret = job->trace ? record_tracing_on(&r->tracing) : 0, undo;

	if (ret)
		return vcpc_fail_tracing(ret, "cannot turn tracing on");
	ret = find_traced(job, r);
	if (!ret)
		ret = record_traced(job, r);
	undo = job->trace ? record_tracing_off(&r->tracing) : 0;
	if (undo)
		return vcpc_fail(undo, "cannot turn tracing off again; as root: vcpc trace off");
	return ret;
}

static int nothing_counts(void)
{
	struct shim_handle *handle;
	int ret = shim_open(&handle);

	if (!ret)
		shim_close(handle);
	return ret == -ENODEV || (ret == -EACCES && access("/dev/vcpc", F_OK));
}

/*
 * Open a set for each target, so that each becomes an instance.  Without targets, open one for the
 * command.
 */
static int open_each(struct record_job *job, struct recording *r)
{
	unsigned int n = job->counting.targets.n ? job->counting.targets.n : 1;
	int ret = 0;

	while (r->n < n && !ret) {
		ret = vcpc_events_open(&job->counting.events, &r->sets[r->n]);
		r->n += !ret;
	}
	return ret ? ret : check_twice(r->sets[0]);
}

/*
 * Open the sets.  If this machine cannot count, and neither events nor targets were requested,
 * continue without sets as long as transactions or metrics of --with can be recorded.
 */
static int open_sets(struct record_job *job, struct recording *r)
{
	bool asked = job->counting.events.n || job->counting.targets.n;

	if (asked || (!job->trace && !job->others && shim_trace_status() <= 0) || !nothing_counts())
		return open_each(job, r);
	fprintf(stderr, "vcpc record: neither the vcpc module nor perf_event_open(2) can count events here; only transactions are recorded\n");
	return 0;
}

int vcpc_cmd_record(int argc, char **argv)
{
	struct record_job job = { 0 };
	struct recording recording = { .job = &job };
	int ret = record_parse(argc, argv, &job);
	bool wants_help = ret < 0;

	if (!ret && job.others)
		ret = vcpc_with_open(job.others, &recording.with);
	if (!ret)
		ret = open_sets(&job, &recording);
	if (!ret)
		ret = run_traced(&job, &recording);
	for (unsigned int i = 0; i < recording.n; i++)
		shim_set_destroy(recording.sets[i]);
	vcpc_with_close(recording.with);
	vcpc_events_free(&job.counting.events);
	return wants_help ? record_help() : ret;
}
