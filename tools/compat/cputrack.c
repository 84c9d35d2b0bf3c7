// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cputrack command: count events in each thread of a process, and print them as a table over
 * time.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpc/command.h"

/*
 * struct lwp - a thread, and its counters
 * @used: the entry is in use
 * @cur: index of the bound set
 * @meter: its sets
 * @total: the thread's counts, for each event set
 */
struct lwp {
	int used;
	int cur;
	struct meter meter;
	cpc_buf_t *total[COMMAND_SPECS];
};

/*
 * struct track - the command
 * @file: output file, from -o
 * @specs: event sets
 * @total: counts of ended and current threads
 * @zero: all zero, the counts of a new thread
 * @lwp: the threads, indexed by number
 * @failed: counters were lost or could not be bound, or output is lost
 */
struct track {
	cpc_t *cpc;
	FILE *out;
	const char *file;
	struct specs specs;
	cpc_buf_t *total[COMMAND_SPECS];
	cpc_buf_t *zero;
	struct lwp *lwp;
	size_t room;
	hrtime_t start;
	double interval;
	unsigned int count;
	int exec, fork, header, tick, verbose;
	pid_t pid;
	int failed;
};

static cpc_t *to_terminate;

static void on_signal(int unused)
{
	(void)unused;
	cpc_terminate(to_terminate);
}

static const struct command self = {
	.name = "cputrack",
	.usage = "Usage:\n\tcputrack [-T secs] [-N count] [-Defhntv] [-o file]\n"
		 "\t\t-c events [cmd [args...] | -p pid]\n\n"
		 "\t-T secs\t  seconds between samples, default 1; 0: no samples\n"
		 "\t-N count  number of samples, default unlimited\n"
		 "\t-D\t  name the function that reported an error\n"
		 "\t-e\t  follow exec(2)\n"
		 "\t-f\t  follow fork(2)\n"
		 "\t-h\t  print this help and the events of this machine\n"
		 "\t-n\t  omit the header\n"
		 "\t-t\t  add a column with the counting time in nanoseconds\n"
		 "\t-v\t  print lines when threads start and end\n"
		 "\t-o file\t  write to a file\n"
		 "\t-c events\n\t\t  event set; if repeated, the sets are counted alternately\n"
		 "\t-p pid\t  a running process\n",
};

static void begin_line(struct track *t, hrtime_t when, pid_t pid, id_t lwpid, const char *event)
{
	fprintf(t->out, "%7.3f ", when ? (double)(when - t->start) / NS_PER_S : 0.0);
	if (t->fork)
		fprintf(t->out, "%6d ", pid);
	fprintf(t->out, "%3d %10s ", (int)lwpid, event);
}

/* Flush each line, so that the first error is reported with its reason, and only once. */
static void end_line(struct track *t)
{
	if (t->failed)
		fflush(t->out);
	else
		t->failed = command_written(t->out, t->file);
}

static void print_values(struct track *t, int s, cpc_buf_t *buf)
{
	cpcspec_values(t->out, t->cpc, &t->specs.at[s], buf, t->tick, t->specs.n > 1);
	end_line(t);
}

static void print(struct track *t, pid_t pid, id_t lwpid, const char *event, int s, cpc_buf_t *buf)
{
	begin_line(t, cpc_buf_hrtime(t->cpc, buf), pid, lwpid, event);
	print_values(t, s, buf);
}

static void print_header(struct track *t)
{
	fprintf(t->out, "%7s ", "time");
	if (t->fork)
		fprintf(t->out, "%6s ", "pid");
	fprintf(t->out, "%3s %10s ", "lwp", "event");
	cpcspec_columns(t->out, &t->specs.at[0], t->tick);
	end_line(t);
}

static struct lwp *lwp_of(struct track *t, id_t lwpid)
{
	size_t room = t->room;

	if (lwpid >= room) {
		struct lwp *more;

		room = lwpid + 16;
		more = realloc(t->lwp, room * sizeof(*more));
		if (!more)
			return NULL;
		memset(more + t->room, 0, (room - t->room) * sizeof(*more));
		t->lwp = more;
		t->room = room;
	}
	return &t->lwp[lwpid];
}

static int say(struct track *t, pid_t pid, id_t lwpid, const char *what)
{
	fprintf(stderr, "cputrack: %6d lwp %3d: %s\n", pid, (int)lwpid, what);
	t->failed = 1;
	return -1;
}

/*
 * Start over with the existing sets; in a forked copy of this program, the sets are copies of the
 * old process's sets.
 */
static void begin_lwp(struct track *t, struct lwp *lwp)
{
	lwp->cur = 0;
	for (int s = 0; s < t->specs.n; s++) {
		cpc_buf_zero(t->cpc, lwp->meter.before[s]);
		cpc_buf_zero(t->cpc, lwp->total[s]);
	}
}

static int bind_current(struct track *t, pctx_t *pctx, pid_t pid, id_t lwpid, struct lwp *lwp)
{
	if (cpc_bind_pctx(t->cpc, pctx, lwpid, lwp->meter.set[lwp->cur], 0))
		return say(t, pid, lwpid, strerror(errno));
	cpc_buf_zero(t->cpc, lwp->meter.before[lwp->cur]);
	return 0;
}

static void end_lwp(struct track *t, struct lwp *lwp)
{
	meter_end(&lwp->meter, t->cpc);
	for (int s = 0; s < t->specs.n; s++)
		if (lwp->total[s])
			cpc_buf_destroy(t->cpc, lwp->total[s]);
	memset(lwp, 0, sizeof(*lwp));
}

static int make_lwp(struct track *t, struct lwp *lwp)
{
	if (meter_make(&lwp->meter, t->cpc, &t->specs))
		return -1;
	for (int s = 0; s < t->specs.n; s++) {
		lwp->total[s] = cpc_buf_create(t->cpc, lwp->meter.set[s]);
		if (!lwp->total[s])
			return -1;
	}
	lwp->used = 1;
	return 0;
}

/*
 * Sample the bound set, store its counts since the last sample in the meter's @before, and add them
 * to the totals.  Return 0 or -1.
 */
static int take(struct track *t, pid_t pid, id_t lwpid, struct lwp *lwp)
{
	int s = lwp->cur;

	if (meter_take(&lwp->meter, t->cpc, s)) {
		cpc_unbind(t->cpc, lwp->meter.set[s]);
		return say(t, pid, lwpid, errno == EAGAIN ?
			   "perf counter contents invalidated" : strerror(errno));
	}
	cpc_buf_add(t->cpc, lwp->total[s], lwp->total[s], lwp->meter.before[s]);
	cpc_buf_add(t->cpc, t->total[s], t->total[s], lwp->meter.before[s]);
	return 0;
}

/* Handlers that libpctx calls */

static int on_init(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	struct track *t = arg;
	struct lwp *lwp = lwp_of(t, lwpid);

	if (!lwp)
		return say(t, pid, lwpid, strerror(errno));
	if (lwp->used)
		begin_lwp(t, lwp);
	else if (make_lwp(t, lwp))
		return say(t, pid, lwpid, strerror(errno));
	if (bind_current(t, pctx, pid, lwpid, lwp))
		return -1;
	if (t->verbose) {
		if (take(t, pid, lwpid, lwp))
			return -1;
		print(t, pid, lwpid, "init_lwp", 0, lwp->meter.before[0]);
		meter_keep(&lwp->meter, t->cpc, 0);
	}
	return 0;
}

static int on_fini(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	struct track *t = arg;
	struct lwp *lwp = lwp_of(t, lwpid);
	int s;

	(void)pctx;
	if (!lwp || !lwp->used)
		return 0;
	s = lwp->cur;
	if (take(t, pid, lwpid, lwp))
		return -1;
	if (t->verbose)
		print(t, pid, lwpid, "fini_lwp", s, lwp->meter.before[s]);
	cpc_unbind(t->cpc, lwp->meter.set[s]);
	return 0;
}

static int on_create(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	struct track *t = arg;
	struct lwp *lwp = lwp_of(t, lwpid);

	(void)pctx;
	if (!lwp || !lwp->used)
		return 0;
	begin_line(t, gethrtime(), pid, lwpid, "lwp_create");
	print_values(t, 0, t->zero);
	return 0;
}

static int on_lwp_exit(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	struct track *t = arg;
	struct lwp *lwp = lwp_of(t, lwpid);

	(void)pctx;
	if (!lwp || !lwp->used)
		return 0;
	for (int s = 0; s < t->specs.n; s++)
		if (cpc_buf_hrtime(t->cpc, lwp->total[s]))
			print(t, pid, lwpid, "lwp_exit", s, lwp->total[s]);
	end_lwp(t, lwp);
	return 0;
}

static int on_tick(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	struct track *t = arg;
	struct lwp *lwp = lwp_of(t, lwpid);
	int s;

	if (!lwp || !lwp->used)
		return 0;
	s = lwp->cur;
	if (take(t, pid, lwpid, lwp))
		return -1;
	print(t, pid, lwpid, "tick", s, lwp->meter.before[s]);
	meter_keep(&lwp->meter, t->cpc, s);
	if (t->specs.n == 1)
		return 0;
	cpc_unbind(t->cpc, lwp->meter.set[s]);
	lwp->cur = (s + 1) % t->specs.n;
	return bind_current(t, pctx, pid, lwpid, lwp);
}

/* Print one line for each set that has been sampled. */
static void print_totals(struct track *t, pid_t pid, id_t lwpid, const char *event)
{
	for (int s = 0; s < t->specs.n; s++)
		if (cpc_buf_hrtime(t->cpc, t->total[s]))
			print(t, pid, lwpid, event, s, t->total[s]);
}

static void on_exit_event(pctx_t *pctx, pid_t pid, id_t lwpid, int status, void *arg)
{
	(void)pctx;
	(void)status;
	print_totals(arg, pid, lwpid, "exit");
}

static void blanks(struct track *t)
{
	if (t->tick)
		fprintf(t->out, "%9s ", "");
	fprintf(t->out, "%9s %9s ", "", "");
}

static void zero_totals(struct track *t)
{
	for (int s = 0; s < t->specs.n; s++)
		cpc_buf_zero(t->cpc, t->total[s]);
}

static void forget(struct track *t)
{
	for (size_t i = 0; i < t->room; i++)
		if (t->lwp[i].used)
			end_lwp(t, &t->lwp[i]);
	zero_totals(t);
}

static int on_exec(pctx_t *pctx, pid_t pid, id_t lwpid, char *command, void *arg)
{
	struct track *t = arg;

	(void)pctx;
	print_totals(t, pid, lwpid, "exec");
	begin_line(t, gethrtime(), pid, 1, "exec");
	blanks(t);
	fprintf(t->out, "# '%s'\n", command);
	end_line(t);
	forget(t);
	return 0;
}

static unsigned int milliseconds(const struct track *t)
{
	return (unsigned int)(t->interval * 1000 + 0.5);
}

/*
 * This runs in a forked copy of this program, which follows only the new process.  The sets are
 * copies, so binding them to the new process's threads does not affect the old process's sets.
 */
static void on_fork(pctx_t *pctx, pid_t pid, id_t child, pid_t lwpid, void *arg)
{
	struct track *t = arg;

	begin_line(t, gethrtime(), pid, lwpid, "fork");
	blanks(t);
	fprintf(t->out, "# %d\n", (int)child);
	end_line(t);
	zero_totals(t);
	pctx_run(pctx, milliseconds(t), t->count, on_tick);
}

static int listen(struct track *t, pctx_t *pctx)
{
	int ret = pctx_set_events(pctx, PCTX_INIT_LWP_EVENT, on_init, PCTX_FINI_LWP_EVENT, on_fini,
				  PCTX_SYSC_LWP_CREATE_EVENT, on_create,
				  PCTX_SYSC_LWP_EXIT_EVENT, on_lwp_exit,
				  PCTX_SYSC_EXIT_EVENT, on_exit_event, PCTX_NULL_EVENT);

	if (!ret && t->exec)
		ret = pctx_set_events(pctx, PCTX_SYSC_EXEC_EVENT, on_exec, PCTX_NULL_EVENT);
	if (!ret && t->fork)
		ret = pctx_set_events(pctx, PCTX_SYSC_FORK_EVENT, on_fork, PCTX_NULL_EVENT);
	return ret;
}

/*
 * Create the buffers for the totals.  Create a set first, because a buffer's size depends on its
 * set.
 */
static int make_totals(struct track *t)
{
	for (int s = 0; s < t->specs.n; s++) {
		cpc_set_t *set = cpcspec_set(t->cpc, &t->specs.at[s]);

		t->total[s] = set ? cpc_buf_create(t->cpc, set) : NULL;
		if (set && !s)
			t->zero = cpc_buf_create(t->cpc, set);
		if (!t->total[s] || !t->zero)
			return -1;
		cpc_set_destroy(t->cpc, set);
	}
	return 0;
}

static int run(struct track *t, pctx_t *pctx)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE };
	int ret;

	to_terminate = t->cpc;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], on_signal);
	t->start = gethrtime();
	if (t->header)
		print_header(t);
	ret = pctx_run(pctx, milliseconds(t), t->count, on_tick);
	pctx_release(pctx);
	return ret || t->failed ? 1 : 0;
}

/* Return -1 to continue, or an exit status. */
static int take_option(struct track *t, int option, const char *argument)
{
	double value;

	switch (option) {
	case 'c': return specs_add(&t->specs, argument);
	case 'D': command_debug(); return -1;
	case 'e': t->exec = 1; return -1;
	case 'f': t->fork = 1; return -1;
	case 'n': t->header = 0; return -1;
	case 't': t->tick = 1; return -1;
	case 'v': t->verbose = 1; return -1;
	case 'o': t->file = argument; return -1;
	case 'h': return command_help();
	case 'N':
		if (!command_number(argument, 0, &value) || value != (unsigned int)value)
			return command_mistake("invalid count");
		t->count = (unsigned int)value;
		return -1;
	case 'p':
		if (!command_number(argument, 0, &value) || value < 1)
			return command_mistake("invalid process ID");
		t->pid = (pid_t)value;
		return -1;
	case 'T':
		return command_number(argument, 0, &t->interval) ? -1 :
		       command_mistake("invalid interval");
	}
	return command_usage();
}

static int parse(struct track *t, int argc, char **argv)
{
	int option, done;

	while ((option = getopt(argc, argv, "+c:DefhnN:o:p:T:tv")) != -1) {
		done = take_option(t, option, optarg);
		if (done >= 0)
			return done;
	}
	if (!t->specs.n)
		return command_mistake("an event set is required (-c)");
	if (!t->pid == (optind == argc))
		return command_mistake("either a command or a process (-p) is required");
	return -1;
}

static int prepare(struct track *t)
{
	int done;

	t->cpc = command_open();
	if (!t->cpc)
		return 1;
	done = specs_parse(&t->specs, t->cpc);
	if (done >= 0)
		return done;
	t->out = t->file ? fopen(t->file, "we") : stdout;
	if (!t->out)
		return command_failed(t->file);
	if (make_totals(t))
		return command_failed("event sets");
	return -1;
}

int main(int argc, char **argv)
{
	struct track t = { .interval = 1, .header = 1 };
	pctx_t *pctx;
	int done;

	command_begin(&self);
	done = parse(&t, argc, argv);
	if (done < 0)
		done = prepare(&t);
	if (done < 0) {
		pctx = t.pid ? pctx_capture(t.pid, &t, t.verbose, NULL) :
			       pctx_create(argv[optind], argv + optind, &t, t.verbose, NULL);
		done = pctx && !listen(&t, pctx) ? run(&t, pctx) : 1;
	}
	if (t.cpc) {
		forget(&t);
		specs_free(&t.specs);
		cpc_close(t.cpc);
	}
	free(t.lwp);
	return done;
}
