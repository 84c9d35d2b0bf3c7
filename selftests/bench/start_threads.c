// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure starting and ending a thread or a process without counters, while other processes'
 * threads inherit counters, and while it inherits four counters from a set or from perf.
 *
 * In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <linux/vcpc.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COUNTERS	4
#define ROUNDS		5
#define STARTS		400
#define STACK		(64 * 1024)
#define THREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | \
			 CLONE_SYSVSEM | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID)

static char *stack;
static volatile pid_t alive;

static void die(const char *what)
{
	fprintf(stderr, "start_threads: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Without a PMU, page faults replace cycles; the code path is the same. */
static __u32 type = PERF_TYPE_HARDWARE;
static __u64 config = PERF_COUNT_HW_CPU_CYCLES;

static int open_set(void)
{
	struct vcpc_request requests[COUNTERS] = { 0 };
	struct vcpc_set_create_args create = {
		.size = sizeof(create),
		.nr_requests = COUNTERS,
		.request_size = sizeof(requests[0]),
		.requests = (__u64)(unsigned long)requests,
	};
	int device = open("/dev/vcpc", O_RDWR | O_CLOEXEC);
	int i, set;

	if (device < 0)
		die("/dev/vcpc");
	for (i = 0; i < COUNTERS; i++) {
		requests[i].type = type;
		requests[i].config = config;
		requests[i].flags = VCPC_REQ_F_USER;
	}
	set = ioctl(device, VCPC_IOC_SET_CREATE, &create);
	close(device);
	return set;
}

static void bind_tree(int set)
{
	struct vcpc_bind_args bind = { .size = sizeof(bind), .flags = VCPC_BIND_F_TREE };

	if (ioctl(set, VCPC_IOC_BIND, &bind))
		die("BIND");
}

/* Open all events in one group, as a program that uses perf directly does. */
static void open_group(int *fds)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.inherit = 1,
		.pinned = 1,
	};
	int i;

	for (i = 0; i < COUNTERS; i++) {
		fds[i] = syscall(SYS_perf_event_open, &attr, 0, -1, i ? fds[0] : -1, 0);
		if (fds[i] < 0)
			die("perf_event_open");
		attr.pinned = 0;
	}
}

static int ends(void *arg)
{
	(void)arg;
	return 0;
}

static void start_thread(void)
{
	pid_t tid;

	alive = 1;
	if (clone(ends, stack + STACK, THREAD_FLAGS, NULL, NULL, NULL, &alive) < 0)
		die("clone");
	while ((tid = alive))
		syscall(SYS_futex, &alive, FUTEX_WAIT, tid, NULL, NULL, 0);
}

static void start_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		die("fork");
}

static __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Return the minimum of several rounds. */
static double cost(void (*start)(void))
{
	__u64 best = ~0ULL;
	int i, j;

	for (i = 0; i < ROUNDS; i++) {
		__u64 since = now();

		for (j = 0; j < STARTS; j++)
			start();
		since = now() - since;
		if (since < best)
			best = since;
	}
	return (double)best / STARTS;
}

static void both(const char *what, double *thread, double *process)
{
	*thread = cost(start_thread);
	*process = cost(start_process);
	printf("%-44s %9.0f %9.0f\n", what, *thread, *process);
}

/*
 * Start another process whose threads inherit counters, which makes the kernel report every new
 * thread.
 */
static pid_t start_other(int set)
{
	int pipes[2];
	char byte;
	pid_t pid;

	if (pipe(pipes))
		die("pipe");
	pid = fork();
	if (!pid) {
		bind_tree(set);
		if (write(pipes[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	if (read(pipes[0], &byte, 1) != 1)
		die("the other process");
	return pid;
}

int main(void)
{
	double thread[4], process[4];
	int fds[COUNTERS];
	int set, i;
	pid_t pid;

	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED)
		die("mmap");
	set = open_set();
	if (set < 0) {
		type = PERF_TYPE_SOFTWARE;
		config = PERF_COUNT_SW_PAGE_FAULTS;
		set = open_set();
	}
	if (set < 0)
		die("SET_CREATE");
	printf("start and end of                                a thread a process\n");
	both("with nothing", &thread[0], &process[0]);
	pid = start_other(set);
	both("while another process's set inherits", &thread[1], &process[1]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(set);

	set = open_set();
	bind_tree(set);
	both("with an inheriting set of 4", &thread[2], &process[2]);
	close(set);
	open_group(fds);
	both("with an inheriting group of 4 by perf", &thread[3], &process[3]);
	for (i = 0; i < COUNTERS; i++)
		close(fds[i]);
	printf("set : group, additional cost %27.2f %9.2f\n",
	       (thread[2] - thread[0]) / (thread[3] - thread[0]),
	       (process[2] - process[0]) / (process[3] - process[0]));
	return 0;
}
