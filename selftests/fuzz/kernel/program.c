// SPDX-License-Identifier: GPL-2.0-or-later
/* Decode inputs as sequences of acts, and convert them to text. */
#include <string.h>

#include "program.h"

const struct act_kind act_kinds[ACT_NR] = {
	[ACT_INFO] = { "INFO", 2 },
	[ACT_CREATE] = { "SET_CREATE", 30 },
	[ACT_BIND] = { "BIND", 40 },
	[ACT_UNBIND] = { "UNBIND", 15 },
	[ACT_ENABLE] = { "ENABLE", 15 },
	[ACT_DISABLE] = { "DISABLE", 15 },
	[ACT_RESTART] = { "RESTART", 20 },
	[ACT_PRESET] = { "PRESET", 20 },
	[ACT_SAMPLE] = { "SAMPLE", 40 },
	[ACT_READ] = { "read", 20 },
	[ACT_INSTANCES] = { "INSTANCES", 15 },
	[ACT_POLL] = { "poll", 8 },
	[ACT_EPOLL] = { "epoll", 5 },
	[ACT_TAG] = { "TRACE_TAG", 12 },
	[ACT_WRITE] = { "write", 20 },
	[ACT_PWRITE] = { "pwrite", 10 },
	[ACT_ADVISE] = { "fadvise", 10 },
	[ACT_MAP] = { "mmap", 4 },
	[ACT_UNKNOWN] = { "an unknown ioctl", 2 },
	[ACT_OPEN] = { "open", 8 },
	[ACT_CLOSE] = { "close", 15 },
	[ACT_DUP] = { "dup", 8 },
	[ACT_TAKE] = { "pidfd_getfd", 5 },
	[ACT_START] = { "start a thread", 15 },
	[ACT_END] = { "exit", 15 },
	[ACT_FORK] = { "fork", 5 },
	[ACT_EXEC] = { "execve", 4 },
	[ACT_DROP] = { "setresuid", 5 },
	[ACT_MOVE] = { "sched_setaffinity", 8 },
	[ACT_KILL] = { "kill", 6 },
	[ACT_WORK] = { "work", 30 },
	[ACT_PARAMETER] = { "write a module parameter", 4 },
	[ACT_LIST] = { "read debugfs", 3 },
	[ACT_LISTEN] = { "switch tracepoints", 2 },
	[ACT_HOTPLUG] = { "switch CPU 1", 1 },
};

size_t program_decode(const uint8_t *data, size_t size, struct act acts[MAX_ACTS])
{
	size_t n = size / sizeof(acts[0]), i;

	if (n > MAX_ACTS)
		n = MAX_ACTS;
	memcpy(acts, data, n * sizeof(acts[0]));
	for (i = 0; i < n; i++) {
		acts[i].op %= ACT_NR;
		acts[i].who = (acts[i].who & ASYNC) | (acts[i].who & ~ASYNC) % ACTORS;
		acts[i].fd %= FILES;
		acts[i].target %= TARGET_NR;
		/* Allocations must not fail in acts that only prepare other acts. */
		if (acts[i].fail > MAX_FAIL || acts[i].op >= ACT_WORK)
			acts[i].fail = 0;
	}
	return n;
}

struct create_plan plan_of(uint64_t value)
{
	struct create_plan plan;

	memcpy(&plan, &value, sizeof(plan));
	return plan;
}

unsigned int plan_nr(const struct create_plan *plan)
{
	if (plan->nr < 8)
		return plan->nr + 1;
	return plan->nr == 15 ? 40 : plan->nr - 7;
}

enum kind plan_kind(const struct create_plan *plan, unsigned int request)
{
	return plan->kinds >> request % 4 * 3 & 7;
}

static void print_plan(FILE *out, uint64_t value)
{
	static const char * const names[] = {
		"page-faults", "task-clock", "cycles", "context-switches", "cpu-clock",
		"instructions", "raw", "tracepoint",
	};
	static const char * const presets[] = { "0", "soon", "2^63 and more", "any" };
	struct create_plan plan = plan_of(value);
	unsigned int i, nr = plan_nr(&plan);

	fprintf(out, ", %u requests", nr);
	for (i = 0; i < nr && i < 4; i++)
		fprintf(out, " %s%s", names[plan_kind(&plan, i)],
			plan.overflow >> i & 1 ? "/overflow" : "");
	fprintf(out, ", presets %s%s%s", presets[plan.presets], plan.kernel ? ", kernel" : "",
		plan.signal ? plan.fatal ? ", SIGPROF" : ", SIGURG" : "");
	if (plan.odd >= 10)
		fprintf(out, ", odd %u", plan.odd);
}

static const char *target_name(unsigned int target)
{
	static const char * const names[TARGET_NR] = {
		[TARGET_NONE] = "tid 0", [TARGET_ACTOR] = "actor 0", "actor 1", "actor 2",
		"actor 3", "actor 4", [TARGET_MAIN] = "the fuzzer's first thread",
		[TARGET_INIT] = "init", [TARGET_DEAD] = "a dead thread", [TARGET_ODD] = "tid from value",
	};

	return names[target];
}

void program_print(FILE *out, const struct act *acts, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct act *a = &acts[i];

		fprintf(out, "%2zu  actor %u%s: %s", i, a->who & ~ASYNC,
			a->who & ASYNC ? ", async" : "", act_kinds[a->op].name);
		if (a->op < ACT_START)
			fprintf(out, " on %s %u", a->fd < SETS ? "set" : "file", a->fd);
		fprintf(out, ", %s, flags 0x%x, value 0x%llx", target_name(a->target), a->flags,
			(unsigned long long)a->value);
		if (a->op == ACT_CREATE)
			print_plan(out, a->value);
		if (a->how >= HOSTILE)
			fprintf(out, ", bad argument 0x%x", a->how);
		if (a->fail)
			fprintf(out, ", allocation %u fails", a->fail);
		fputc('\n', out);
	}
}
