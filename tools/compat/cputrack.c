// SPDX-License-Identifier: GPL-2.0-or-later
/* The cputrack command: count what each thread of a process does, as a table over time. */
#include <signal.h>
#include <unistd.h>

#include "cpcspec.h"

#define MAX_SPECS	64

/*
 * struct lwp - a thread, and its counters
 * @used: it is there
 * @cur: which of the sets is bound
 * @set: one for each event set
 * @now: its last sample
 * @before: the one before that, since which is printed
 * @total: of one event set each, what the thread has counted
 */
struct lwp {
	int used;
	int cur;
	cpc_set_t *set[MAX_SPECS];
	cpc_buf_t *now[MAX_SPECS];
	cpc_buf_t *before[MAX_SPECS];
	cpc_buf_t *total[MAX_SPECS];
};

/*
 * struct track - the command
 * @spec: event sets, which take turns if there are more than one
 * @total: what ended threads and current ones have counted
 * @zero: what a thread has counted that was just made
 * @lwp: by the thread's number
 * @failed: counters were lost, or could not be bound
 */
struct track {
	cpc_t *cpc;
	FILE *out;
	struct cpcspec spec[MAX_SPECS];
	int nspecs;
	cpc_buf_t *total[MAX_SPECS];
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

static int usage(FILE *to)
{
	fputs("Usage:\n\tcputrack [-T secs] [-N count] [-Defhntv] [-o file]\n"
	      "\t\t-c events [cmd [args...] | -p pid]\n\n"
	      "\t-T secs\t  seconds between samples, default 1; 0: none\n"
	      "\t-N count  number of samples, default unlimited\n"
	      "\t-D\t  say which function an error is from\n"
	      "\t-e\t  follow exec(2)\n"
	      "\t-f\t  follow fork(2)\n"
	      "\t-h\t  print this, and what can be counted\n"
	      "\t-n\t  no header\n"
	      "\t-t\t  a column of time counted, in nanoseconds\n"
	      "\t-v\t  lines for the start and the end of threads\n"
	      "\t-o file\t  print into a file\n"
	      "\t-c events\n\t\t  an event set; more of them take turns\n"
	      "\t-p pid\t  a process that runs already\n", to);
	return to == stdout ? 0 : 2;
}

static int help(void)
{
	cpc_t *cpc = cpcspec_open("cputrack");

	if (!cpc)
		return 1;
	usage(stdout);
	cpcspec_capabilities(stdout, cpc);
	cpc_close(cpc);
	return 0;
}

static void begin_line(struct track *t, hrtime_t when, pid_t pid, id_t lwpid, const char *event)
{
	fprintf(t->out, "%7.3f ", when ? (double)(when - t->start) / NS_PER_S : 0.0);
	if (t->fork)
		fprintf(t->out, "%6d ", pid);
	fprintf(t->out, "%3d %10s ", (int)lwpid, event);
}

static void print(struct track *t, pid_t pid, id_t lwpid, const char *event, int s, cpc_buf_t *buf)
{
	begin_line(t, cpc_buf_hrtime(t->cpc, buf), pid, lwpid, event);
	cpcspec_values(t->out, t->cpc, &t->spec[s], buf, t->tick, t->nspecs > 1);
}

static void print_header(struct track *t)
{
	fprintf(t->out, "%7s ", "time");
	if (t->fork)
		fprintf(t->out, "%6s ", "pid");
	fprintf(t->out, "%3s %10s ", "lwp", "event");
	cpcspec_columns(t->out, &t->spec[0], t->tick);
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

static int bind_current(struct track *t, pctx_t *pctx, pid_t pid, id_t lwpid, struct lwp *lwp)
{
	if (cpc_bind_pctx(t->cpc, pctx, lwpid, lwp->set[lwp->cur], 0))
		return say(t, pid, lwpid, strerror(errno));
	cpc_buf_zero(t->cpc, lwp->before[lwp->cur]);
	return 0;
}

static void end_lwp(struct track *t, struct lwp *lwp)
{
	for (int s = 0; s < t->nspecs; s++) {
		if (lwp->set[s])
			cpc_set_destroy(t->cpc, lwp->set[s]);
		if (lwp->now[s])
			cpc_buf_destroy(t->cpc, lwp->now[s]);
		if (lwp->before[s])
			cpc_buf_destroy(t->cpc, lwp->before[s]);
		if (lwp->total[s])
			cpc_buf_destroy(t->cpc, lwp->total[s]);
	}
	memset(lwp, 0, sizeof(*lwp));
}

static int make_lwp(struct track *t, struct lwp *lwp)
{
	for (int s = 0; s < t->nspecs; s++) {
		lwp->set[s] = cpcspec_set(t->cpc, &t->spec[s]);
		if (!lwp->set[s])
			return -1;
		lwp->now[s] = cpc_buf_create(t->cpc, lwp->set[s]);
		lwp->before[s] = cpc_buf_create(t->cpc, lwp->set[s]);
		lwp->total[s] = cpc_buf_create(t->cpc, lwp->set[s]);
		if (!lwp->now[s] || !lwp->before[s] || !lwp->total[s])
			return -1;
	}
	lwp->used = 1;
	return 0;
}

/* What was counted since the last sample is in the set's "before" then; 0 or -1 */
static int take(struct track *t, pid_t pid, id_t lwpid, struct lwp *lwp)
{
	int s = lwp->cur;

	if (cpc_set_sample(t->cpc, lwp->set[s], lwp->now[s])) {
		cpc_unbind(t->cpc, lwp->set[s]);
		return say(t, pid, lwpid, errno == EAGAIN ?
			   "perf counter contents invalidated" : strerror(errno));
	}
	cpc_buf_sub(t->cpc, lwp->before[s], lwp->now[s], lwp->before[s]);
	cpc_buf_add(t->cpc, lwp->total[s], lwp->total[s], lwp->before[s]);
	cpc_buf_add(t->cpc, t->total[s], t->total[s], lwp->before[s]);
	return 0;
}

/* The handlers of libpctx */

static int on_init(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	struct track *t = arg;
	struct lwp *lwp = lwp_of(t, lwpid);

	if (!lwp)
		return -1;
	if (lwp->used)
		end_lwp(t, lwp);
	if (make_lwp(t, lwp) || bind_current(t, pctx, pid, lwpid, lwp))
		return -1;
	if (t->verbose) {
		if (take(t, pid, lwpid, lwp))
			return -1;
		print(t, pid, lwpid, "init_lwp", 0, lwp->before[0]);
		cpc_buf_copy(t->cpc, lwp->before[0], lwp->now[0]);
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
		print(t, pid, lwpid, "fini_lwp", s, lwp->before[s]);
	cpc_unbind(t->cpc, lwp->set[s]);
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
	cpcspec_values(t->out, t->cpc, &t->spec[0], t->zero, t->tick, t->nspecs > 1);
	return 0;
}

static int on_lwp_exit(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	struct track *t = arg;
	struct lwp *lwp = lwp_of(t, lwpid);

	(void)pctx;
	if (!lwp || !lwp->used)
		return 0;
	for (int s = 0; s < t->nspecs; s++)
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
	print(t, pid, lwpid, "tick", s, lwp->before[s]);
	cpc_buf_copy(t->cpc, lwp->before[s], lwp->now[s]);
	if (t->nspecs == 1)
		return 0;
	cpc_unbind(t->cpc, lwp->set[s]);
	lwp->cur = (s + 1) % t->nspecs;
	return bind_current(t, pctx, pid, lwpid, lwp);
}

/* One line for each set that was ever sampled */
static void print_totals(struct track *t, pid_t pid, id_t lwpid, const char *event)
{
	for (int s = 0; s < t->nspecs; s++)
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

static void forget(struct track *t)
{
	for (size_t i = 0; i < t->room; i++)
		if (t->lwp[i].used)
			end_lwp(t, &t->lwp[i]);
	for (int s = 0; s < t->nspecs; s++)
		cpc_buf_zero(t->cpc, t->total[s]);
}

static int on_exec(pctx_t *pctx, pid_t pid, id_t lwpid, char *command, void *arg)
{
	struct track *t = arg;

	(void)pctx;
	print_totals(t, pid, lwpid, "exec");
	begin_line(t, gethrtime(), pid, 1, "exec");
	blanks(t);
	fprintf(t->out, "# '%s'\n", command);
	forget(t);
	return 0;
}

static unsigned int milliseconds(const struct track *t)
{
	return (unsigned int)(t->interval * 1000 + 0.5);
}

/* In a copy of this program, of which the new process is the only one */
static void on_fork(pctx_t *pctx, pid_t pid, id_t child, pid_t lwpid, void *arg)
{
	struct track *t = arg;

	begin_line(t, gethrtime(), pid, lwpid, "fork");
	blanks(t);
	fprintf(t->out, "# %d\n", (int)child);
	forget(t);
	pctx_run(pctx, milliseconds(t), t->count, on_tick);
	fflush(t->out);
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

/* A set of its own only says how large the totals are. */
static int make_totals(struct track *t)
{
	for (int s = 0; s < t->nspecs; s++) {
		cpc_set_t *set = cpcspec_set(t->cpc, &t->spec[s]);

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
	fflush(t->out);
	pctx_release(pctx);
	return ret || t->failed ? 1 : 0;
}

static int mistake(const char *what)
{
	fprintf(stderr, "cputrack: %s\n", what);
	return usage(stderr);
}

static int number(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text && !*end && *value >= 0 && *value < 1e6;
}

/*
 * struct options - what the command line says that is not yet done
 * @events: of each -c
 * @output: of -o
 */
struct options {
	const char *events[MAX_SPECS];
	const char *output;
};

/* -1 to go on, or an exit status */
static int take_option(struct track *t, struct options *o, int option, const char *argument)
{
	double value;

	switch (option) {
	case 'c':
		if (t->nspecs == MAX_SPECS)
			return mistake("too many event sets");
		o->events[t->nspecs++] = argument;
		return -1;
	case 'D': cpcspec_debug = 1; return -1;
	case 'e': t->exec = 1; return -1;
	case 'f': t->fork = 1; return -1;
	case 'n': t->header = 0; return -1;
	case 't': t->tick = 1; return -1;
	case 'v': t->verbose = 1; return -1;
	case 'o': o->output = argument; return -1;
	case 'h': return help();
	case 'N':
		if (!number(argument, &value) || value != (unsigned int)value)
			return mistake("invalid count");
		t->count = (unsigned int)value;
		return -1;
	case 'p':
		if (!number(argument, &value) || value < 1)
			return mistake("invalid process id");
		t->pid = (pid_t)value;
		return -1;
	case 'T':
		return number(argument, &t->interval) ? -1 : mistake("invalid interval");
	}
	return usage(stderr);
}

static int parse(struct track *t, struct options *o, int argc, char **argv)
{
	int option, done;

	while ((option = getopt(argc, argv, "+c:DefhnN:o:p:T:tv")) != -1) {
		done = take_option(t, o, option, optarg);
		if (done >= 0)
			return done;
	}
	if (!t->nspecs)
		return mistake("an event set is needed");
	if (!t->pid == (optind == argc))
		return mistake("either a command or a process is needed");
	return -1;
}

static int prepare(struct track *t, const struct options *o)
{
	t->cpc = cpcspec_open("cputrack");
	if (!t->cpc)
		return 1;
	for (int s = 0; s < t->nspecs; s++)
		if (cpcspec_parse(t->cpc, o->events[s], &t->spec[s]))
			return usage(stderr);
	t->out = o->output ? fopen(o->output, "we") : stdout;
	if (!t->out || make_totals(t)) {
		fprintf(stderr, "cputrack: %s\n", strerror(errno));
		return 1;
	}
	setvbuf(t->out, NULL, _IOLBF, 0);
	return -1;
}

int main(int argc, char **argv)
{
	struct track t = { .interval = 1, .header = 1 };
	struct options o = { 0 };
	int done = parse(&t, &o, argc, argv);
	pctx_t *pctx;

	if (done < 0)
		done = prepare(&t, &o);
	if (done < 0) {
		pctx = t.pid ? pctx_capture(t.pid, &t, t.verbose, NULL) :
			       pctx_create(argv[optind], argv + optind, &t, t.verbose, NULL);
		done = pctx && !listen(&t, pctx) ? run(&t, pctx) : 1;
	}
	if (t.cpc) {
		forget(&t);
		for (int s = 0; s < t.nspecs; s++)
			cpcspec_free(&t.spec[s]);
		cpc_close(t.cpc);
	}
	free(t.lwp);
	return done;
}
