// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make calls fail while the parts of transactions' times are read.  A failing bpf(2) must not cause
 * a tag, a reason or a stack to be omitted.  If a file cannot be read, names may be missing only if
 * a note reports it.
 */
#include <errno.h>
#include <signal.h>
#include <pcp/trace.h>
#include <shim/why.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fail/shared/inject.h"
#include "fail/shared/sweep.h"
#include "tools/vcpc/vcpc.h"
#include "tools/vcpc/why.h"

#define TAGS	5
#define ROUNDS	4

/* A handle with ended transactions, opened once for all runs that only read */
static struct shim_why *ended;

/* The process that has made the transactions, and that waits so that its files can be read */
static pid_t worker;

static FILE *printed;

static int transact(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	char tag[8] = "tag0";

	for (int i = 0; i < ROUNDS * TAGS; i++) {
		tag[3] = '0' + i % TAGS;
		if (pmtracebegin(tag))
			return -1;
		nanosleep(&ms, NULL);
		if (pmtraceend(tag))
			return -1;
	}
	return 0;
}

/*
 * Start the worker, which waits for a byte, makes its transactions, and waits again.  Return the
 * socket that is connected to it.
 */
static int start_worker(void)
{
	char byte = 0;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		exit(2);
	worker = fork();
	if (!worker) {
		/* The start of this transaction precedes tracing, so its end is counted as lost. */
		if (!pmtracebegin("before") && write(ends[1], &byte, 1) == 1 &&
		    read(ends[1], &byte, 1) == 1 && !pmtraceend("before") && !transact() && write(ends[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		exit(2);
	return ends[0];
}

static bool let_work(int fd)
{
	char byte = 0;

	return write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1;
}

/* Perform transactions in a separate process, in which no call fails. */
static int transact_apart(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(-transact());
	return pid < 0 || waitpid(pid, &status, 0) != pid ? -1 : status;
}

/* Open 'why' for the process @pid, or for all processes if @pid is 0. */
static int open_why(pid_t pid, struct shim_why **why)
{
	struct shim_why_options options = {
		.size = sizeof(options), .flags = SHIM_WHY_F_STACKS | SHIM_WHY_F_PROBES,
		.pid = (uint32_t)pid,
	};

	return shim_why_open(&options, why);
}

/*
 * Print a tag, with sums of reasons and stacks, because other processes can interrupt a transaction
 * and so change how it is divided.
 */
static void say_tag(struct shim_why *why, size_t i, bool exact)
{
	const struct shim_why_tag *tag = shim_why_tag_at(why, i);
	uint64_t sums[3] = { 0 };
	size_t n = 0;

	say("%s %lu", exact ? tag->name : "tag", (unsigned long)tag->all.count);
	say(" reasons %ld", TRY(shim_why_reasons_get(why, i, &n)));
	for (size_t j = 0; j < n; j++)
		sums[0] += shim_why_reason_at(why, j)->all_times;
	say(" stacks %ld", TRY(shim_why_stacks_get(why, i, &n)));
	for (size_t j = 0; j < n; j++) {
		const struct shim_why_stack *stack = shim_why_stack_at(why, j);

		sums[1] += stack->all_times;
		sums[2] += stack->nuser + stack->nkernel;
	}
	if (exact)
		say(" %lu %lu %lu", (unsigned long)sums[0], (unsigned long)sums[1],
		    (unsigned long)sums[2]);
	say("\n");
}

static void say_all(struct shim_why *why, bool exact)
{
	struct shim_why_drops drops = { 0 };
	size_t n = 0;

	say("tags %ld", TRY(shim_why_tags_get(why, 90, &n)));
	say(" %zu\n", n);
	for (size_t i = 0; i < n; i++)
		say_tag(why, i, exact);
	say("drops %ld", TRY(shim_why_drops_get(why, &drops)));
	say(" %lu\n", (unsigned long)(drops.tags + drops.reasons + drops.stacks +
					(exact ? drops.not_seen : 0)));
}

static void reading(void)
{
	say_all(ended, true);
}

static void opening(void)
{
	struct shim_why *why = NULL;

	say("open %ld\n", TRY(open_why(0, &why)));
	say("transactions %d\n", transact_apart());
	if (why) {
		say("sampled %u\n", shim_why_sampled_cpus(why));
		say_all(why, false);
	}
	shim_why_close(why);
}

int vcpc_fail(int err, const char *fmt, ...)
{
	(void)fmt;
	return abs(err) ?: 1;
}

/* Do not fail allocations in libdw, which makes nearly all of them: test failures in our code. */
static void except_libdw(void)
{
	setenv("INJECT_NOT", "libdw", 1);
	printed = freopen("printed", "w+", stdout);
}

static void catch_output(void)
{
	printed = freopen("printed", "w+", stdout);
}

/* Return whether names are missing and a note reports this, which counts as an error. */
static bool lacks_names(struct symbols *symbols)
{
	return symbols_kernel_hidden(symbols) || symbols_dropped(symbols) || symbols_cut(symbols);
}

/* Print the output of 'vcpc why' in each format.  Return 0, or an error. */
static int print_all(void)
{
	struct why_view view = { .why = ended, .above = "90", .differential = true };
	int err;

	rewind(printed);
	if (ftruncate(fileno(printed), 0))
		return -errno;
	view.symbols = symbols_open();
	if (!view.symbols)
		return -ENOMEM;
	err = abs(why_learn(&view));
	if (!err)
		err = abs(shim_why_tags_get(ended, 90, &view.ntags));
	if (!err)
		err = abs(why_print(&view));
	if (!err)
		err = abs(why_print_json(&view));
	if (!err)
		err = abs(why_fold(&view, printed));
	if (!err && lacks_names(view.symbols))
		err = 1;
	symbols_close(view.symbols);
	return -err;
}

static void printing(void)
{
	say("print %ld\n", TRY(print_all()));
}

static void say_output(void)
{
	char line[1000];

	fflush(printed);
	rewind(printed);
	while (fgets(line, sizeof(line), printed))
		say("%s", line);
}

static const struct sweep_case cases[] = {
	{ .name = "reading", .run = reading, .most = 3 },
	/*
	 * Two blocks stay allocated: the buffer of stderr, for the note that names are missing, and
	 * one that libdw leaks.  If debug information cannot be read, names are missing.  libdw can
	 * crash without memory, so only the next case fails allocations.  The errors of bpf(2)
	 * that are left out fail in the case "reading".
	 */
	{ .name = "printing", .before = catch_output, .run = printing, .after = say_output,
	  .without = "open-EACCES open-EINTR read-EINTR stat-EIO bpf-EPERM bpf-ENOSPC bpf-E2BIG", .only = -INJECT_MEMORY, .most = 2, .left = 2 },
	{ .name = "memory", .before = except_libdw, .run = printing, .after = say_output,
	  .only = INJECT_MEMORY, .most = 3, .left = 2 },
	/* libbpf keeps data about the kernel allocated. */
	{ .name = "opening", .run = opening, .left = 64 },
};

int main(void)
{
	int err, fd;

	setenv("SHIM_TRACE", "probe", 1);
	fd = start_worker();
	err = open_why(worker, &ended);
	if (err) {
		printf("1..0 # SKIP transactions cannot be watched here: %s\n", strerror(-err));
		return 4;
	}
	if (!let_work(fd))
		return 2;
	/* The case "opening" loads programs in each run, which takes seconds on an emulated CPU. */
	err = sweep(cases, getenv("FAIL_POINTS") ? 4 : 3);
	kill(worker, SIGKILL);
	return err;
}
