// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parts of transactions' times, with failing calls.  A failed call of bpf(2) must not cause a
 * tag, a reason or a stack to be omitted.
 */
#include <pcp/trace.h>
#include <shim/why.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fail/shared/sweep.h"

#define TAGS	5
#define ROUNDS	4

/* Opened once, for the runs that only read */
static struct shim_why *ended;

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

/* In a process of its own, where no call fails */
static int transact_apart(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(-transact());
	return pid < 0 || waitpid(pid, &status, 0) != pid ? -1 : status;
}

static int open_why(struct shim_why **why)
{
	struct shim_why_options options = {
		.size = sizeof(options), .flags = SHIM_WHY_F_STACKS | SHIM_WHY_F_PROBES,
	};

	return shim_why_open(&options, why);
}

/* Sums, because other processes can interrupt a transaction */
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
	say(" %lu\n", (unsigned long)(drops.tags + drops.reasons + drops.stacks));
}

static void reading(void)
{
	say_all(ended, true);
}

static void opening(void)
{
	struct shim_why *why = NULL;

	say("open %ld\n", TRY(open_why(&why)));
	say("transactions %d\n", transact_apart());
	if (why)
		say_all(why, false);
	shim_why_close(why);
}

static const struct sweep_case cases[] = {
	{ .name = "reading", .run = reading },
	/* libbpf keeps what it has found out of the kernel */
	{ .name = "opening", .run = opening, .left = 64 },
};

int main(void)
{
	int err;

	setenv("SHIM_TRACE", "probe", 1);
	err = open_why(&ended);
	if (err) {
		printf("1..0 # SKIP transactions cannot be watched here: %s\n", strerror(-err));
		return 4;
	}
	if (transact_apart())
		return 2;
	/* Each run of "opening" loads programs, which takes seconds on an emulated CPU. */
	return sweep(cases, getenv("FAIL_POINTS") ? 2 : 1);
}
