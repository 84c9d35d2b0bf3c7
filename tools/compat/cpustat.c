// SPDX-License-Identifier: GPL-2.0-or-later
/* The cpustat command: count events on each CPU, and print them as a table over time. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cpc/command.h"

/*
 * struct stat_job - the command
 * @specs: event sets
 * @lock: protects @total and the output
 * @total: the counts of all CPUs
 * @count: number of samples to take of each CPU or, with a period, number of cycles; 0: no
 *   limit
 * @stamp: argument of -T, or 0
 * @ready: barrier at which the threads start together
 */
struct stat_job {
	cpc_t *cpc;
	struct specs specs;
	pthread_mutex_t lock;
	cpc_buf_t *total[COMMAND_SPECS];
	hrtime_t start;
	double interval, period;
	unsigned int count;
	int header, tick, soak, stamp;
	pthread_barrier_t ready;
};

/*
 * struct cpu - one CPU, and the thread that measures it
 * @meter: its sets
 * @failed: exit status
 */
struct cpu {
	struct stat_job *job;
	int id;
	pthread_t thread;
	struct meter meter;
	int failed;
};

static atomic_int over;

static void on_signal(int unused)
{
	(void)unused;
	atomic_store(&over, 1);
}

static const struct command self = {
	.name = "cpustat",
	.usage = "Usage:\n\tcpustat -c spec [-c spec]... [-p period] [-T u|d]\n"
		 "\t\t[-sntD] [interval [count]]\n\n"
		 "\t-c spec\t  event set; if repeated, the sets are counted alternately\n"
		 "\t-D\t  name the function that reported an error\n"
		 "\t-h\t  print this help and the events of this machine\n"
		 "\t-n\t  omit the header\n"
		 "\t-p period\n\t\t  cycle through all sets once every PERIOD seconds;\n"
		 "\t\t  the count is the number of cycles\n"
		 "\t-s\t  keep each CPU busy with an idle-priority thread while\n"
		 "\t\t  a set counts only in system mode\n"
		 "\t-t\t  add a column with the counting time in nanoseconds\n"
		 "\t-T d|u\t  print the date, or seconds since 1970, before each line\n\n"
		 "\tThe interval is in seconds (default 5); by default the count is unlimited.\n",
};

static void print_stamp(int kind)
{
	time_t now = time(NULL);
	char text[64];
	struct tm tm;

	if (kind == 'u')
		printf("%ld\n", (long)now);
	else if (kind && localtime_r(&now, &tm) &&
		 strftime(text, sizeof(text), "%a %b %e %T %Z %Y", &tm))
		printf("%s\n", text);
}

static double seconds(const struct stat_job *job, hrtime_t when)
{
	return (double)(when - job->start) / NS_PER_S;
}

static void print_header(struct stat_job *job)
{
	printf("%7s %3s %5s ", "time", "cpu", "event");
	cpcspec_columns(stdout, &job->specs.at[0], job->tick);
	fflush(stdout);
}

static void print_tick(struct cpu *cpu, int s)
{
	struct stat_job *job = cpu->job;
	cpc_buf_t *buf = cpu->meter.before[s];

	pthread_mutex_lock(&job->lock);
	cpc_buf_add(job->cpc, job->total[s], job->total[s], buf);
	print_stamp(job->stamp);
	printf("%7.3f %3d %5s ", seconds(job, cpc_buf_hrtime(job->cpc, buf)), cpu->id, "tick");
	cpcspec_values(stdout, job->cpc, &job->specs.at[s], buf, job->tick, job->specs.n > 1);
	fflush(stdout);
	pthread_mutex_unlock(&job->lock);
}

static void print_totals(struct stat_job *job, int ncpus)
{
	for (int s = 0; s < job->specs.n; s++) {
		print_stamp(job->stamp);
		printf("%7.3f %3d %5s ", seconds(job, cpc_buf_hrtime(job->cpc, job->total[s]) ?
						 cpc_buf_hrtime(job->cpc, job->total[s]) :
						 gethrtime()), ncpus, "total");
		cpcspec_values(stdout, job->cpc, &job->specs.at[s], job->total[s], job->tick,
			       job->specs.n > 1);
	}
}

static int fail(struct cpu *cpu)
{
	fprintf(stderr, "cpustat: cpu%d - %s\n", cpu->id, strerror(errno));
	cpu->failed = 1;
	return -1;
}

/* Sleep until @goal, in steps of at most 200 ms, so that a signal takes effect soon. */
static void sleep_until(hrtime_t goal)
{
	hrtime_t step = 200000000, now;

	while (!atomic_load(&over) && (now = gethrtime()) < goal) {
		hrtime_t left = goal - now < step ? goal - now : step;
		struct timespec ts = { left / 1000000000, left % 1000000000 };

		nanosleep(&ts, NULL);
	}
}

static int bind_set(struct cpu *cpu, int s)
{
	if (cpc_bind_cpu(cpu->job->cpc, cpu->id, cpu->meter.set[s], 0))
		return fail(cpu);
	cpc_buf_zero(cpu->job->cpc, cpu->meter.before[s]);
	return 0;
}

static int sample(struct cpu *cpu, int s)
{
	if (meter_take(&cpu->meter, cpu->job->cpc, s))
		return fail(cpu);
	print_tick(cpu, s);
	meter_keep(&cpu->meter, cpu->job->cpc, s);
	return 0;
}

/*
 * Return the next sampling time in the future.  Each missed time is skipped and
 * decrements @left, down to 1.
 */
static hrtime_t next_goal(hrtime_t goal, hrtime_t step, unsigned int *left)
{
	do {
		goal += step;
		if (*left > 1 && goal <= gethrtime())
			--*left;
	} while (goal <= gethrtime());
	return goal;
}

static void measure_one(struct cpu *cpu)
{
	hrtime_t step = (hrtime_t)(cpu->job->interval * NS_PER_S);
	hrtime_t goal = cpu->job->start + step;
	unsigned int left = cpu->job->count;

	if (bind_set(cpu, 0))
		return;
	while (!atomic_load(&over)) {
		sleep_until(goal);
		if (sample(cpu, 0) || (cpu->job->count && !--left))
			break;
		goal = next_goal(goal, step, &left);
	}
	cpc_unbind(cpu->job->cpc, cpu->meter.set[0]);
}

/* Bind a set until @goal, sample it and unbind it.  Return 0 or -1. */
static int turn(struct cpu *cpu, int s, hrtime_t goal)
{
	int ret;

	if (bind_set(cpu, s))
		return -1;
	sleep_until(goal);
	ret = sample(cpu, s);
	cpc_unbind(cpu->job->cpc, cpu->meter.set[s]);
	return ret;
}

static void measure_cycles(struct cpu *cpu)
{
	struct stat_job *job = cpu->job;
	hrtime_t step = (hrtime_t)(job->interval * NS_PER_S);
	hrtime_t period = (hrtime_t)(job->period * NS_PER_S);
	hrtime_t goal = job->start, began = job->start;
	unsigned int left = job->count, ignored = 0;
	int s = 0;

	while (!atomic_load(&over)) {
		/* With -p the count is a number of cycles, so missed intervals do not reduce it. */
		goal = next_goal(goal, step, job->period ? &ignored : &left);
		if (turn(cpu, s, goal))
			break;
		s = (s + 1) % job->specs.n;
		if (job->count && (!job->period || !s) && !--left)
			break;
		if (job->period && !s && began + period > gethrtime()) {
			began += period;
			sleep_until(began);
			goal = began;
		} else if (!s) {
			began = gethrtime();
		}
	}
}

static void *measure(void *arg)
{
	struct cpu *cpu = arg;

	pthread_barrier_wait(&cpu->job->ready);
	if (cpu->job->specs.n == 1 && !cpu->job->period)
		measure_one(cpu);
	else
		measure_cycles(cpu);
	return NULL;
}

/*
 * Keep a CPU busy until the measurement ends (-s).  With SCHED_IDLE, all other threads have
 * precedence.
 */
static void *soak(void *arg)
{
	const struct sched_param none = { 0 };
	const struct cpu *cpu = arg;
	cpu_set_t mask;

	CPU_ZERO(&mask);
	CPU_SET(cpu->id, &mask);
	sched_setaffinity(0, sizeof(mask), &mask);
	sched_setscheduler(0, SCHED_IDLE, &none);
	while (!atomic_load_explicit(&over, memory_order_relaxed))
		;
	return NULL;
}

static int counts_system_only(const struct stat_job *job)
{
	int user = 0, sys = 0;

	for (int s = 0; s < job->specs.n; s++)
		for (int a = 0; a < job->specs.at[s].nattrs; a++) {
			user |= !strcmp(job->specs.at[s].attr[a].name, "nouser");
			sys |= !strcmp(job->specs.at[s].attr[a].name, "sys");
		}
	return user && sys;
}

static int make_cpu(struct stat_job *job, struct cpu *cpu, int id)
{
	cpu->job = job;
	cpu->id = id;
	if (meter_make(&cpu->meter, job->cpc, &job->specs))
		return -1;
	for (int s = 0; s < job->specs.n; s++) {
		if (!job->total[s])
			job->total[s] = cpc_buf_create(job->cpc, cpu->meter.set[s]);
		if (!job->total[s])
			return -1;
	}
	return 0;
}

static int run(struct stat_job *job, struct cpu *cpus, int n)
{
	int busy = job->soak && counts_system_only(job);
	pthread_t thread;
	int failed = 0, begun = 0, err = 0;

	pthread_barrier_init(&job->ready, NULL, (unsigned int)n + 1);
	for (; begun < n && !err; begun++)
		err = pthread_create(&cpus[begun].thread, NULL, measure, &cpus[begun]);
	if (err) {
		errno = err;
		exit(command_failed("thread"));
	}
	for (int i = 0; busy && i < n; i++)
		if (!pthread_create(&thread, NULL, soak, &cpus[i]))
			pthread_detach(thread);
	job->start = gethrtime();
	if (job->header)
		print_header(job);
	pthread_barrier_wait(&job->ready);
	for (int i = 0; i < n; i++) {
		pthread_join(cpus[i].thread, NULL);
		failed |= cpus[i].failed;
	}
	atomic_store(&over, 1);
	print_totals(job, n);
	return command_written(stdout, NULL) || failed;
}

/* Select all CPUs on which this process may run. */
static int all_cpus(struct stat_job *job)
{
	struct cpu *cpus;
	cpu_set_t mask;
	int n = 0, ret = 0;

	if (sched_getaffinity(0, sizeof(mask), &mask))
		return command_failed("CPUs");
	cpus = calloc((size_t)CPU_COUNT(&mask), sizeof(*cpus));
	if (!cpus)
		return command_failed("CPUs");
	for (int id = 0; id < CPU_SETSIZE && !ret; id++)
		if (CPU_ISSET(id, &mask) && make_cpu(job, &cpus[n++], id))
			ret = command_failed("event sets");
	if (!ret)
		ret = run(job, cpus, n);
	free(cpus);
	return ret;
}

/* The minimum for a number that must be greater than 0 */
#define MORE_THAN_0	1e-9

static int take_option(struct stat_job *job, int option, const char *argument)
{
	switch (option) {
	case 'c': return specs_add(&job->specs, argument);
	case 'D': command_debug(); return -1;
	case 'n': job->header = 0; return -1;
	case 's': job->soak = 1; return -1;
	case 't': job->tick = 1; return -1;
	case 'h': return command_help();
	case 'p':
		return command_number(argument, MORE_THAN_0, &job->period) ? -1 :
		       command_mistake("invalid period");
	case 'T':
		job->stamp = argument[0];
		return (job->stamp == 'u' || job->stamp == 'd') && !argument[1] ? -1 :
		       command_mistake("-T requires u or d");
	}
	return command_usage();
}

static int parse(struct stat_job *job, int argc, char **argv)
{
	int option, done;
	double count = 0;

	while ((option = getopt(argc, argv, "c:Dhnp:stT:")) != -1) {
		done = take_option(job, option, optarg);
		if (done >= 0)
			return done;
	}
	if (!job->specs.n)
		return command_mistake("an event set is required (-c)");
	if (optind < argc && !command_number(argv[optind++], MORE_THAN_0, &job->interval))
		return command_mistake("invalid interval");
	if (optind < argc && (!command_number(argv[optind++], MORE_THAN_0, &count) ||
			      count != (unsigned int)count))
		return command_mistake("invalid count");
	job->count = (unsigned int)count;
	return optind < argc ? command_usage() : -1;
}

/*
 * Raise the descriptor limit, because each CPU needs a descriptor.  Append to standard output,
 * because other processes may write to the same file.  Catch the signals that end the measurement.
 */
static void prepare_process(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) | O_APPEND);
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	signal(SIGHUP, on_signal);
}

int main(int argc, char **argv)
{
	struct stat_job job = { .interval = 5, .header = 1, .lock = PTHREAD_MUTEX_INITIALIZER };
	int done;

	command_begin(&self);
	done = parse(&job, argc, argv);
	if (done >= 0)
		return done;
	job.cpc = command_open();
	if (!job.cpc)
		return 1;
	done = specs_parse(&job.specs, job.cpc);
	if (done < 0) {
		prepare_process();
		done = all_cpus(&job);
	}
	specs_free(&job.specs);
	cpc_close(job.cpc);
	return done;
}
