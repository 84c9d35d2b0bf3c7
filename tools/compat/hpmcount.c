// SPDX-License-Identifier: GPL-2.0-or-later
/* hpmcount: run a program, and count events in it and in all processes that it starts. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hpm/hpm.h"
#include "written.h"

#define MAX_VALUES	(HPM_MAX_SETS * MAX_COUNTERS)

struct options {
	FILE *out;
	const char *file;	/* its name, NULL for standard output */
	const char *metrics;	/* comma-separated lists; NULL for all */
	const char *metric_groups;
	bool detail;
	bool exact;
	int slice;
};

/* An event's count, and the count extrapolated to the whole time; negative: not measured */
struct value {
	const pm_events2_t *event;
	double whole;
	long long raw;
	int set;
};

struct run {
	struct options opt;
	pm_info2_t info;
	pm_groups_info_t groups;
	struct hpm_choice choice;
	struct value values[MAX_VALUES];
	int nvalues;
	double set_seconds[HPM_MAX_SETS];
	double seconds;		/* elapsed time */
	double cpu_seconds;	/* counted CPU time */
	int rounds;
};

static void usage(FILE *f)
{
	fputs("usage: hpmcount [options] command [arguments]\n"
	      "  -s set,...      event sets, numbered from 1; 0 selects all\n"
	      "  -g group,...    groups of events, by number or name (pmlist -g -1 lists them)\n"
	      "  -e event,...    events, one per counter\n"
	      "                  Several sets or groups are multiplexed.\n"
	      "                  Each set, group, event or metric can end in a mode: :u, :k or :h.\n"
	      "  --slice=ms      length of a multiplex slot, 10 to 30000 (default: 100)\n"
	      "  -D metric,...   print derived metrics; without -s, -g and -e, count the events they require\n"
	      "  -m group,...    print groups of derived metrics in the same way\n"
	      "  -d              print the counts and the counting time of each set\n"
	      "  -x              print raw counts, not extrapolated to the whole time\n"
	      "  -k              also count in the kernel\n"
	      "  -H              ignored (hypervisor)\n"
	      "  -b tb           time base; only 0 is supported\n"
	      "  -a              ignored: counts are always totals of all tasks\n"
	      "  -o file         write to a file instead of standard output\n", f);
}

static double seconds(timebasestruct_t t)
{
	return ((double)t.tb_high * 4294967296.0 + t.tb_low) * 1e-9;
}

/* Return the events of a set, indexed by counter. */
static const int *events_of(const struct run *run, int k)
{
	const pm_prog_t *set = &run->choice.sets[k];

	return set->mode.b.is_group ? run->groups.event_groups[set->events[0]].events :
				      set->events;
}

static void keep(struct run *run, int k, const long long *accu, double factor)
{
	const int *events = events_of(run, k);

	for (int c = 0; c < run->info.maxpmcs; c++) {
		if (events[c] == COUNT_NOTHING)
			continue;
		run->values[run->nvalues++] = (struct value) {
			.event = hpm_event(&run->info, c, NULL, events[c]),
			.raw = accu[c],
			.whole = factor < 0 ? -1 : accu[c] * factor,	/* avoids -0.0 */
			.set = k,
		};
	}
}

static void get_one(struct run *run)
{
	pm_accu_time_t times;
	pm_data_t data;
	int ret = pm_get_Tdata(&data, &times);

	if (ret)
		hpm_die("pm_get_Tdata", ret);
	run->cpu_seconds = run->set_seconds[0] = seconds(times.accu_timebase);
	keep(run, 0, data.accu, 1);
}

/* Extrapolate counts to the time of all sets.  A set that was never measured has no counts. */
static void get_many(struct run *run)
{
	pm_data_mx_t data;
	int ret = pm_get_data_mx(&data);

	if (ret)
		hpm_die("pm_get_data_mx", ret);
	run->rounds = data.nb_mx_round;
	for (int k = 0; k < data.nb_accu_mx; k++) {
		run->set_seconds[k] = seconds(data.accu_set[k].accu_time);
		run->cpu_seconds += run->set_seconds[k];
	}
	for (int k = 0; k < data.nb_accu_mx; k++)
		keep(run, k, data.accu_set[k].accu_data,
		     run->set_seconds[k] > 0 ? run->cpu_seconds / run->set_seconds[k] : -1);
	free(data.accu_set);
}

static void set_program(struct run *run)
{
	pm_prog_mm_t many = { .slice_duration = run->opt.slice, .nb_set_prog = run->choice.n,
			      .prog_set = run->choice.sets };
	int ret = run->choice.n == 1 ? pm_set_program(&run->choice.sets[0]) : pm_set_program_mm(&many);

	if (ret)
		hpm_die("pm_set_program", ret);
}

/* Start the program.  If it cannot be executed, the child writes into the pipe @failure. */
static pid_t fork_command(char **argv, const int *failure)
{
	pid_t pid = fork();
	ssize_t n;

	if (pid < 0)
		hpm_die("fork", errno);
	if (pid)
		return pid;
	execvp(argv[0], argv);
	fprintf(stderr, "hpmcount: %s: %s\n", argv[0], strerror(errno));
	n = write(failure[1], "", 1);
	_exit(n == 1 ? 127 : 1);
}

/* Run the program.  Return its exit status, and exit if it cannot be executed. */
static int execute(struct run *run, char **argv, struct rusage *usage, pid_t *pid)
{
	timebasestruct_t start, stop;
	int status, ret, failure[2];
	char byte;

	fflush(NULL);
	if (pipe2(failure, O_CLOEXEC))
		hpm_die("pipe", errno);
	ret = pm_tstart(&start);
	if (ret)
		hpm_die("pm_tstart", ret);
	*pid = fork_command(argv, failure);
	while (wait4(*pid, &status, 0, usage) < 0 && errno == EINTR)
		;
	ret = pm_tstop(&stop);
	if (ret)
		hpm_die("pm_tstop", ret);
	close(failure[1]);
	if (read(failure[0], &byte, 1) == 1)
		exit(127);
	close(failure[0]);
	run->seconds = seconds(stop) - seconds(start);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void print_resources(FILE *out, const struct rusage *u)
{
	const struct {
		const char *label;
		long value;
	} rows[] = {
		{ "Maximum resident set size", u->ru_maxrss },
		{ "Average shared memory use in text segment", u->ru_ixrss },
		{ "Average unshared memory use in data segment", u->ru_idrss },
		{ "Number of page faults without I/O activity", u->ru_minflt },
		{ "Number of page faults with I/O activity", u->ru_majflt },
		{ "Number of times process was swapped out", u->ru_nswap },
		{ "Number of times file system performed INPUT", u->ru_inblock },
		{ "Number of times file system performed OUTPUT", u->ru_oublock },
		{ "Number of IPC messages sent", u->ru_msgsnd },
		{ "Number of IPC messages received", u->ru_msgrcv },
		{ "Number of signals delivered", u->ru_nsignals },
		{ "Number of voluntary context switches", u->ru_nvcsw },
		{ "Number of involuntary context switches", u->ru_nivcsw },
	};

	fputs("\n########  Resource Usage Statistics  ########\n\n", out);
	fprintf(out, " %-50s : %.6f seconds\n", "Total amount of time in user mode",
		u->ru_utime.tv_sec + u->ru_utime.tv_usec * 1e-6);
	fprintf(out, " %-50s : %.6f seconds\n", "Total amount of time in system mode",
		u->ru_stime.tv_sec + u->ru_stime.tv_usec * 1e-6);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		fprintf(out, " %-50s : %ld\n", rows[i].label, rows[i].value);
	fputs("\n#######  End of Resource Statistics  ########\n\n", out);
}

static void print_mode(const struct run *run, int k)
{
	pm_mode_t mode = run->choice.sets[k].mode;

	fprintf(run->opt.out, " Counting mode: %s%s\n", mode.b.user ? "user" : "",
		!mode.b.kernel ? "" : mode.b.user ? "+kernel" : "kernel");
}

static void print_value(const struct run *run, const struct value *v, bool raw)
{
	FILE *out = run->opt.out;

	fprintf(out, "  %-24s (%-40.40s) : ", v->event->short_name, v->event->description);
	if (raw)
		fprintf(out, "%20lld\n", v->raw);
	else if (v->whole < 0)
		fprintf(out, "%20s\n", "not measured");
	else
		fprintf(out, "%20.0f\n", v->whole);
}

/* Explain zeros: the kernel switches and migrates tasks in kernel mode. */
static void print_note(const struct run *run, const struct value *v)
{
	static const char *const names[] = { "PM_CONTEXT_SWITCHES", "PM_CPU_MIGRATIONS" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!run->choice.sets[v->set].mode.b.kernel && !strcmp(v->event->short_name, names[i]))
			fprintf(run->opt.out, "  %s: these events occur in kernel mode (use -k to count them)\n",
				names[i]);
}

static void print_values(const struct run *run)
{
	for (int k = 0; k < run->choice.n; k++) {
		if (run->choice.n > 1 && run->opt.detail)
			fprintf(run->opt.out, "\n Set: %d\n Counting duration: %.6f seconds\n", k + 1,
				run->set_seconds[k]);
		if (!k || run->opt.detail)
			print_mode(run, k);
		for (int i = 0; i < run->nvalues; i++)
			if (run->values[i].set == k)
				print_value(run, &run->values[i], run->opt.exact || run->opt.detail);
	}
	for (int i = 0; i < run->nvalues; i++)
		print_note(run, &run->values[i]);
	if (run->choice.n > 1)
		fprintf(run->opt.out, "\n Sets were multiplexed: %d rounds, %.6f seconds in total\n",
			run->rounds, run->cpu_seconds);
}

static bool is_of_mode(const struct run *run, int set, int mode)
{
	return mode < 0 || (run->choice.sets[set].mode.w & (PM_USER | PM_KERNEL)) == mode;
}

/*
 * Return the extrapolated value of an event in the set of that mode that was measured longest, or
 * -1.
 */
static double value_of(const struct run *run, const char *name, int mode)
{
	const struct value *best = NULL;

	if (!strcmp(name, "seconds"))
		return run->seconds;
	for (int i = 0; i < run->nvalues; i++) {
		const struct value *v = &run->values[i];

		if (!strcmp(v->event->short_name, name) && v->whole >= 0 &&
		    is_of_mode(run, v->set, mode) &&
		    (!best || run->set_seconds[v->set] > run->set_seconds[best->set]))
			best = v;
	}
	return best ? best->whole : -1;
}

static void print_metrics(const struct run *run)
{
	const char *heading = "";

	for (size_t i = 0; i < hpm_nmetrics; i++) {
		const struct hpm_metric *m = &hpm_metrics[i];
		double factor = hpm_factor(m), part, over;
		int mode = -1;

		if (!hpm_listed(run->opt.metric_groups, m->group, &mode) ||
		    !hpm_listed(run->opt.metrics, m->id, &mode))
			continue;
		part = value_of(run, m->part, mode);
		over = value_of(run, m->over, mode);
		if (part < 0 || over <= 0 || factor < 0)
			continue;
		if (strcmp(heading, m->group))
			fprintf(run->opt.out, "\n Derived metric group: %s\n\n", m->group);
		heading = m->group;
		fprintf(run->opt.out, "   %-50s : %15.3f %s\n", m->title, factor * m->scale * part / over,
			m->unit);
	}
}

static const struct option long_options[] = {
	{ "slice", required_argument, NULL, 'S' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

/*
 * Lists from the command line.  They are parsed after all options, because the default mode depends
 * on -k.
 */
struct lists {
	char *sets, *groups, *events;
	bool asked;	/* metrics were requested */
};

static void one_option(struct run *run, struct lists *lists, int c)
{
	struct options *opt = &run->opt;

	switch (c) {
	case 's': lists->sets = optarg; break;
	case 'g': lists->groups = optarg; break;
	case 'e': lists->events = optarg; break;
	case 'S':
		if (!hpm_number(optarg, &opt->slice) || opt->slice < 10 || opt->slice > 30000)
			hpm_die("--slice requires a number of milliseconds, 10 to 30000", 0);
		break;
	case 'D': opt->metrics = optarg; lists->asked = true; break;
	case 'm': opt->metric_groups = optarg; lists->asked = true; break;
	case 'd': opt->detail = true; break;
	case 'x': opt->exact = true; break;
	case 'k': run->choice.mode |= PM_KERNEL; break;
	case 'H': case 'a': break;
	case 'h': usage(stdout); exit(written("hpmcount", stdout, NULL));
	case 'b':
		if (strcmp(optarg, "0") && strcmp(optarg, "timebase"))
			hpm_die("-b: this machine has only time base 0", 0);
		break;
	case 'o':
		opt->file = optarg;
		opt->out = fopen(optarg, "we");
		if (!opt->out) {
			fprintf(stderr, "hpmcount: cannot write %s: %s\n", optarg, strerror(errno));
			exit(1);
		}
		break;
	default: usage(stderr); exit(1);
	}
}

static void parse(struct run *run, struct lists *lists, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "+ab:dD:e:g:Hhkm:o:s:x", long_options, NULL)) != -1)
		one_option(run, lists, c);
	if (optind == argc) {
		usage(stderr);
		exit(1);
	}
}

static void choose(struct run *run, const struct lists *lists)
{
	struct hpm_choice *choice = &run->choice;

	choice->info = &run->info;
	choice->groups = &run->groups;
	if (lists->sets)
		hpm_choose_sets(choice, lists->sets);
	if (lists->groups)
		hpm_choose_groups(choice, lists->groups);
	if (lists->events)
		hpm_choose_events(choice, lists->events);
	if (!choice->n && (lists->sets || lists->groups || lists->events))
		hpm_die("-s, -g and -e require at least one name or number", 0);
	if (!choice->n && lists->asked)
		hpm_choose_metrics(choice, run->opt.metrics, run->opt.metric_groups);
	if (!choice->n)
		hpm_choose_default(choice);
}

int main(int argc, char **argv)
{
	static struct run run = { .choice.mode = PM_USER };
	struct lists lists = { NULL };
	struct rusage usage;
	int ret, status;
	pid_t pid;

	run.opt.out = stdout;
	run.opt.metric_groups = hpm_variable_copy("HPM_PMD_GROUP");
	parse(&run, &lists, argc, argv);
	hpm_check_metrics(run.opt.metrics, false);
	hpm_check_metrics(run.opt.metric_groups, true);
	ret = pm_initialize(HPM_ANY, &run.info, &run.groups, PM_CURRENT);
	if (ret)
		hpm_die("pm_initialize", ret);
	choose(&run, &lists);
	set_program(&run);
	status = execute(&run, argv + optind, &usage, &pid);
	if (run.choice.n == 1)
		get_one(&run);
	else
		get_many(&run);
	fprintf(run.opt.out, "Workload: %s (pid %d)\n", argv[optind], (int)pid);
	fprintf(run.opt.out, "Execution time (wall clock time): %.6f seconds\n", run.seconds);
	print_resources(run.opt.out, &usage);
	print_values(&run);
	print_metrics(&run);
	pm_delete_program();
	return written("hpmcount", run.opt.out, run.opt.file) ? 1 : status;
}
