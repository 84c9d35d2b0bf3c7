// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare the CPU time of 'vcpc top', which refreshes once per second, with that of bpftool, which
 * dumps the same map once per second.
 *
 * This may take 300 s on a busy machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pcp/trace.h>
#include <shim/trace.h>

#define LOOKS	10

/*
 * struct scene - the traced load: @tags tags, of which @active always have transactions, in
 * @processes processes
 */
struct scene {
	const char *what;
	int tags, active, processes;
	const char *by;
};

static const struct scene scenes[] = {
	{ "1 tag", 1, 1, 1, "tag" },
	{ "1,000 tags, 10 of them in use", 1000, 10, 1, "tag" },
	{ "1,000 tags, all in use", 1000, 1000, 1, "tag" },
	{ "1,000 rows of 100 processes, by process", 10, 10, 100, "process" },
	{ "1,000 rows of 100 processes, by both", 10, 10, 100, "both" },
};

static double seconds_of(const struct rusage *usage)
{
	return usage->ru_utime.tv_sec + usage->ru_stime.tv_sec + (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

static void use(int from, int tags)
{
	char tag[32];

	for (int i = from; i < from + tags; i++) {
		snprintf(tag, sizeof(tag), "transaction number %d", i);
		pmtracebegin(tag);
		pmtraceend(tag);
	}
}

/* Start a process that uses all its tags once, and then some of them twice per refresh. */
static pid_t start_process(const struct scene *scene)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		use(0, scene->tags);
		close(ready[0]);
		close(ready[1]);
		for (;;) {
			usleep(500000);
			use(0, scene->active);
		}
	}
	close(ready[1]);
	/* Wait until the child closes its end of the pipe. */
	if (pid > 0 && read(ready[0], &c, 1) < 0)
		pid = -1;
	close(ready[0]);
	return pid;
}

/* Read the command's output for @seconds. */
static void look(int fd, int seconds)
{
	struct timespec now, end;
	char text[65536];

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	do {
		struct pollfd p = { fd, POLLIN, 0 };

		if (poll(&p, 1, 100) > 0 && read(fd, text, sizeof(text)) <= 0)
			return;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

/* Run the command on a terminal with 24 rows.  Return its CPU time in seconds, or -1 on failure. */
static double cost_of_top(const char *by, int seconds)
{
	const struct winsize size = { .ws_row = 24, .ws_col = 80 };
	struct rusage usage;
	int fd, status;
	pid_t pid = forkpty(&fd, NULL, NULL, &size);

	if (!pid) {
		setenv("TERM", "linux", 1);
		execlp("vcpc", "vcpc", "top", "--by", by, NULL);
		_exit(127);
	}
	if (pid < 0)
		return -1;
	look(fd, seconds);
	if (write(fd, "q", 1) != 1)
		kill(pid, SIGKILL);
	look(fd, 2);
	if (wait4(pid, &status, 0, &usage) != pid || status)
		return -1;
	close(fd);
	return seconds_of(&usage);
}

static double cost_of_dump(const char *map)
{
	char path[64];
	struct rusage usage;
	int status;
	pid_t pid = fork();

	snprintf(path, sizeof(path), "/sys/fs/bpf/vcpc/%s", map);
	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		execlp("bpftool", "bpftool", "-j", "map", "dump", "pinned", path, NULL);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		return -1;
	return seconds_of(&usage);
}

/* Return 0, or 1 after printing a message. */
static int measure(const struct scene *scene)
{
	const struct shim_trace_options options = { .size = sizeof(options), .flags = SHIM_TRACE_F_PROCESSES };
	pid_t processes[128];
	int started = 0, err = shim_trace_on(&options);
	double few, many, dump;

	if (err) {
		printf("top_cost: %s\n", strerror(-err));
		return 1;
	}
	while (started < scene->processes && (processes[started] = start_process(scene)) > 0)
		started++;
	/* Subtract the time of a shorter run to remove the costs of start and exit. */
	few = cost_of_top(scene->by, 2);
	many = cost_of_top(scene->by, 2 + LOOKS);
	dump = cost_of_dump(strcmp(scene->by, "tag") ? "vc_process" : "vc_stat");
	for (int i = 0; i < started; i++) {
		kill(processes[i], SIGKILL);
		waitpid(processes[i], NULL, 0);
	}
	shim_trace_off();
	if (started < scene->processes || few < 0 || many < 0 || dump < 0) {
		printf("top_cost: %s: it did not run\n", scene->what);
		return 1;
	}
	printf("  %-42s %7.2f ms %6.2f %% %7.2f ms %6.3f\n", scene->what, (many - few) / LOOKS * 1e3,
	       (many - few) / LOOKS * 100, dump * 1e3, (many - few) / LOOKS / dump);
	fflush(stdout);
	return 0;
}

int main(void)
{
	int failed = 0;

	printf("%-44s %10s %8s %10s %6s\n", "vcpc top: CPU time per refresh, one per second", "refresh", "of a CPU", "bpftool", "ratio");
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		failed |= measure(&scenes[i]);
	return failed;
}
