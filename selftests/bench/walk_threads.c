// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare the CPU time of shim_set_walk() for another process with one read(2) of an event per
 * thread, for 100 and 1,000 threads.  This needs perf, and a limit of at least 2,100 open files.
 */
#include <dirent.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <shim/shim.h>

#define MOST	1000
#define ROUNDS	200

static int fds[MOST];

static void die(const char *what, int err)
{
	fprintf(stderr, "walk_threads: %s failed: %d\n", what, err);
	exit(1);
}

static void *waits(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* Start a process with @n threads, which the caller must kill. */
static pid_t start(int n)
{
	int ready[2];
	pthread_t thread;
	pid_t pid;
	char c;

	if (pipe(ready))
		die("pipe()", -1);
	pid = fork();
	if (!pid) {
		for (int i = 1; i < n; i++)
			if (pthread_create(&thread, NULL, waits, NULL))
				_exit(1);
		if (write(ready[1], "x", 1) == 1)
			waits(NULL);
		_exit(1);
	}
	close(ready[1]);
	if (pid < 0 || read(ready[0], &c, 1) != 1)
		die("the process", pid);
	close(ready[0]);
	return pid;
}

static double cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static int open_events(pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_PAGE_FAULTS,
	};
	struct dirent *entry;
	char path[64];
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && n < MOST && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		fds[n] = syscall(SYS_perf_event_open, &attr, atoi(entry->d_name), -1, -1, 0);
		if (fds[n++] < 0)
			die("perf_event_open()", n);
	}
	if (dir)
		closedir(dir);
	return n;
}

static double by_read(pid_t pid, int n)
{
	int have = open_events(pid);
	double before = cpu_us();
	__u64 value;

	if (have != n)
		die("listing the threads", have);
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < n; i++)
			if (read(fds[i], &value, sizeof(value)) != sizeof(value))
				die("read()", i);
	before = (cpu_us() - before) / ROUNDS / n;
	while (n)
		close(fds[--n]);
	return before;
}

static int count(void *arg, pid_t tid, const struct shim_sample *sample)
{
	*(int *)arg += tid > 0 && sample->nr == 1;
	return 0;
}

static double by_walk(struct shim_handle *handle, pid_t pid, int n)
{
	static const char *const events[] = { "page-faults" };
	struct shim_set *set;
	double before;
	int calls = 0, err = shim_set_create(handle, events, 1, NULL, &set);

	err = err ? err : shim_set_bind(set, pid, SHIM_BIND_PROCESS);
	before = cpu_us();
	for (int round = 0; round < ROUNDS && !err; round++)
		err = shim_set_walk(set, count, &calls);
	if (err || calls != n * ROUNDS)
		die("shim_set_walk()", err);
	before = (cpu_us() - before) / calls;
	shim_set_destroy(set);
	return before;
}

int main(void)
{
	static const int sizes[] = { 100, MOST };
	struct shim_handle *handle;
	int err = shim_open(&handle);

	if (err)
		die("shim_open()", err);
	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		pid_t pid = start(sizes[i]);
		double walk = by_walk(handle, pid, sizes[i]), reads = by_read(pid, sizes[i]);

		printf("%5d threads: shim_set_walk() %.2f us per thread, read(2) %.2f us, ratio %.1f\n",
		       sizes[i], walk, reads, walk / reads);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	shim_close(handle);
	return 0;
}
