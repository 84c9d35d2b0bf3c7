// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run a program once for each system call that can fail in it.
 *
 * Each run is a separate child process, so no run depends on an earlier one.  A run is "same" if
 * its results equal those of a run without a failure and no call reported an error; "said" if the
 * failing call reported an error and all results are correct after it has been repeated; otherwise,
 * or if it leaks memory or a descriptor, crashes or hangs, it is "wrong".
 *
 * FAIL_POINTS: number of failures of each kind, spread evenly; 0 for all.  If neither it nor the
 * case's number is set, the first call with each chain of callers fails, and SPREAD calls.
 * FAIL_ONLY: CASE:WAY:N, one run in this process, for a debugger.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stddef.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject.h"
#include "sweep.h"

#define TEXT	(1u << 20)
#define SECONDS	120	/* time after which a run is considered to hang; much for busy emulated CPUs */
/* The sanitizer's strdup() and similar functions allocate memory that is not counted. */
#ifdef __SANITIZE_ADDRESS__
#define COUNTED	false
#else
#define COUNTED	true
#endif
#define LINE	160	/* maximum number of bytes shown of a line */
#define SHOWN	6	/* number of wrong runs shown per case */
#define SPREAD	12	/* number of calls of each kind that fail even if their chains are not new */

/*
 * struct run - the result of a run, in memory shared with the parent
 * @in: the call in which the failure happened without being reported
 * @late: a call reported an error of an earlier one
 * @code: the error that the call returned
 * @firsts: the calls that were the first with their chain of callers
 */
struct run {
	long calls[INJECT_KINDS], blocks, code;
	int fds;
	bool fired, said, late, ended;
	char in[200], by[200];
	size_t len;
	char text[TEXT];
	long firsts[INJECT_KINDS][INJECT_FIRSTS], nfirsts[INJECT_KINDS];
};

static struct run *now, *normal;

void say(const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(now->text + now->len, TEXT - now->len, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= TEXT - now->len)
		abort();
	now->len += (size_t)n;
}

bool sweep_again(bool error, const char *call, long result)
{
	bool before = now->fired;

	now->fired = inject_fired();
	if (!now->fired)
		return false;
	if (!before)
		snprintf(now->in, sizeof(now->in), "%.150s = %ld", call, result);
	if (!error || now->said)
		return false;
	now->said = true;
	now->late = before;
	now->code = result;
	snprintf(now->by, sizeof(now->by), "%.150s = %ld", call, result);
	return true;
}

static int count_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void run_here(const struct sweep_case *c, const struct inject_way *way, long n)
{
	long before;

	if (c->before)
		c->before();
	before = inject_blocks();
	inject_start(way, n);
	c->run();
	inject_stop();
	for (int kind = 0; kind < INJECT_KINDS; kind++)
		now->calls[kind] = inject_calls(kind);
	for (int kind = 0; !way && kind < INJECT_KINDS; kind++)
		memcpy(now->firsts[kind], inject_firsts(kind, &now->nfirsts[kind]),
		       sizeof(now->firsts[kind]));
	now->fired = inject_fired();
	now->blocks = inject_blocks() - before;
	now->fds = count_descriptors();
	if (c->after)
		c->after();
	now->ended = true;
}

/* Run the case in a child, without a failure if @way is NULL.  Return 0, or its exit status. */
static int run(struct run *into, const struct sweep_case *c, const struct inject_way *way, long n)
{
	int status;
	pid_t pid;

	now = into;
	memset(now, 0, offsetof(struct run, text));
	fflush(NULL);
	pid = fork();
	if (!pid) {
		alarm(SECONDS);
		if (!freopen("/dev/null", "w", stderr))
			_exit(2);
		run_here(c, way, n);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		exit(2);
	return now->ended ? 0 : status ? status : 1;
}

static bool same_answers(void)
{
	return now->len == normal->len && !memcmp(now->text, normal->text, now->len);
}

/* Return why the run is wrong, or NULL. */
static const char *judge(const struct sweep_case *c, const struct inject_way *way, int status)
{
	if (status)
		return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hangs" : "crashes";
	if (!same_answers())
		return now->said ? "other answers after the error" : "other answers, and no error";
	if (now->late)
		return "an error of an earlier call";
	/* A result of -1 does not contain the error, which may be in errno. */
	if (now->said && way->kind == INJECT_MEMORY && now->code < -1 &&
	    now->code != (c->no_memory ?: -ENOMEM))
		return "another error than that of a lack of memory";
	if (COUNTED && now->blocks > normal->blocks + c->left)
		return "memory is left";
	if (now->fds > normal->fds)
		return "a descriptor is left";
	return NULL;
}

static int shown_of(const char *line)
{
	size_t len = strcspn(line, "\n");

	return len > LINE ? LINE : (int)len;
}

static void show_difference(void)
{
	size_t i = 0, from;

	while (i < now->len && i < normal->len && now->text[i] == normal->text[i])
		i++;
	for (from = i; from && now->text[from - 1] != '\n'; from--)
		;
	/* Show a long line from shortly before the difference. */
	if (i - from > LINE / 2)
		from = i - LINE / 2;
	printf("#    is  %.*s\n", shown_of(now->text + from), now->text + from);
	printf("#    not %.*s\n", shown_of(normal->text + from), normal->text + from);
}

static void show(const struct sweep_case *c, const struct inject_way *way, long n, const char *what)
{
	printf("# %s:%s:%ld: %s; in %s; said by %s\n", c->name, way->name, n, what, now->in, now->by);
	now->text[now->len] = normal->text[normal->len] = '\0';
	if (now->ended && !same_answers())
		show_difference();
	if (now->ended && (now->blocks > normal->blocks || now->fds > normal->fds))
		printf("#    blocks %ld, normally %ld; descriptors %d, %d\n", now->blocks,
		       normal->blocks, now->fds, normal->fds);
}

struct sums {
	long points, same, said, wrong;
};

static void sweep_point(const struct sweep_case *c, const struct inject_way *way, long n,
			struct sums *sums)
{
	const char *wrong = judge(c, way, run(normal + 1, c, way, n));

	if (!now->fired && !wrong)
		return;
	sums->points++;
	if (!wrong && now->said)
		sums->said++;
	else if (!wrong)
		sums->same++;
	else if (sums->wrong++ < SHOWN || getenv("FAIL_ALL"))
		show(c, way, n, wrong);
}

/* Select the calls of a kind that fail: see the top of this file. */
static void select_calls(const struct sweep_case *c, enum inject_kind kind, bool *selected)
{
	const char *points = getenv("FAIL_POINTS");
	long most = points ? atol(points) : c->most, total = normal->calls[kind];
	long n = points || most ? most : SPREAD;

	n = n && n < total ? n : total;
	for (long i = 0; i < n; i++)
		selected[1 + i * total / n] = true;
	for (long i = 0; !points && !most && i < normal->nfirsts[kind]; i++)
		selected[normal->firsts[kind][i]] = true;
}

static void sweep_way(const struct sweep_case *c, const struct inject_way *way, struct sums *sums)
{
	bool *selected = calloc(normal->calls[way->kind] + 1, sizeof(*selected));

	if (!selected)
		exit(2);
	select_calls(c, way->kind, selected);
	for (long n = 1; n <= normal->calls[way->kind]; n++)
		if (selected[n])
			sweep_point(c, way, n, sums);
	free(selected);
}

/* Return whether this process may count on CPUs, and thus also in the kernel and other processes. */
static bool may_count(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_PAGE_FAULTS };
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || (errno != EACCES && errno != EPERM);
}

static bool sweep_case(const struct sweep_case *c, unsigned int number)
{
	const bool counts = getenv("FAIL_POINTS") || c->most;
	const bool ends = !run(normal, c, NULL, counts ? INJECT_COUNT_ONLY : 0);
	struct sums all = { .wrong = !ends };

	if (c->counts && !may_count()) {
		printf("ok %u # SKIP %s: not permitted to count on CPUs\n", number, c->name);
		return true;
	}
	if (!ends)
		printf("# %s: the run without a failure does not end\n", c->name);
	for (const struct inject_way *way = inject_ways; ends && way->name; way++) {
		struct sums sums = { 0 };

		/* Signals are only for programs that preload inject.c. */
		if (way->error == INJECT_KILL || way->error == INJECT_TERM)
			continue;
		if (c->without && strstr(c->without, way->name))
			continue;
		if ((c->only > 0 && c->only != (int)way->kind) || c->only == -(int)way->kind)
			continue;
		sweep_way(c, way, &sums);
		if (sums.points)
			printf("# %-10s %-14s %6ld points %6ld same %6ld said %4ld wrong\n", c->name,
			       way->name, sums.points, sums.same, sums.said, sums.wrong);
		all.points += sums.points;
		all.same += sums.same;
		all.said += sums.said;
		all.wrong += sums.wrong;
	}
	printf("# %-10s %-14s %6ld points %6ld same %6ld said %4ld wrong\n", c->name, "all",
	       all.points, all.same, all.said, all.wrong);
	printf("%sok %u - %s: each failure is without effect, or said at the call\n",
	       all.wrong || !all.points ? "not " : "", number, c->name);
	return !all.wrong && all.points;
}

static int run_only(const struct sweep_case *c, const char *rest)
{
	size_t len = strcspn(rest, ":");

	now = normal;
	for (const struct inject_way *way = inject_ways; way->name; way++)
		if (strlen(way->name) == len && !strncmp(way->name, rest, len))
			run_here(c, way, rest[len] ? atol(rest + len + 1) : 0);
	printf("%s# in %s, said by %s\n", now->text, now->in, now->by);
	return 0;
}

/* Create an empty directory for the case, change to it, and call @prepare in a child. */
static void enter_folder(const struct sweep_case *c, const char *top)
{
	pid_t pid;

	if (chdir(top) || mkdir(c->name, 0700) || chdir(c->name))
		exit(2);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		if (c->prepare)
			c->prepare();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void remove_folder(const char *top)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	if (chdir("/") || system(command))
		perror(top);
}

int sweep(const struct sweep_case *cases, unsigned int n)
{
	const char *only = getenv("FAIL_ONLY");
	char top[] = "/tmp/fail.XXXXXX";
	bool good = true;

	normal = mmap(NULL, 2 * sizeof(*normal), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (normal == MAP_FAILED || !mkdtemp(top))
		return 2;
	setlinebuf(stdout);
	/* Each case sets the configuration and the derived metrics that it needs. */
	setenv("PCP_CONF", "/nonexistent", 1);
	setenv("PCP_DERIVED_CONFIG", "", 1);
	for (unsigned int i = 0; i < n; i++) {
		size_t len = strlen(cases[i].name);

		if (only && (strncmp(only, cases[i].name, len) || (only[len] && only[len] != ':')))
			continue;
		enter_folder(&cases[i], top);
		if (only && only[len])
			run_only(&cases[i], only + len + 1);
		else
			good &= sweep_case(&cases[i], i + 1);
	}
	remove_folder(top);
	printf("1..%u\n", n);
	return good ? 0 : 1;
}
