// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Handle the kernel fuzzer's inputs on the host: create seeds, print inputs as text, and extract
 * the last inputs after a kernel crash.
 *
 * usage: tool seeds DIR | print FILE... | trail FILE DIR
 *
 * "trail" writes the last inputs of a trail to DIR: last-00 was running, last-01 ran before it, and
 * so on.
 */
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define ENTRY	1024
#define TRAIL	64

static struct act acts[MAX_ACTS];
static size_t nr;
static const char *folder;

static FILE *open_in(const char *name, const char *mode)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, mode);
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

static void add(unsigned int who, enum act_op op, unsigned int fd, unsigned int target,
		unsigned int flags, uint64_t value)
{
	if (nr == MAX_ACTS)
		abort();
	acts[nr++] = (struct act) {
		.op = op, .who = who, .fd = fd, .target = target, .flags = flags, .value = value,
	};
}

/* The kinds of the first four requests of a set */
#define KINDS(a, b, c, d)	((a) | (b) << 3 | (c) << 6 | (d) << 9)

/* Create a set of @n requests as descriptor @set of the actor @who. */
static void create(unsigned int who, unsigned int set, unsigned int flags, unsigned int n,
		   struct create_plan plan)
{
	uint64_t value;

	plan.nr = n - 1;
	memcpy(&value, &plan, sizeof(value));
	add(who, ACT_CREATE, 0, set, flags, value);
}

static void save(const char *name)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "seed-%s", name);
	file = open_in(path, "w");
	fwrite(acts, sizeof(acts[0]), nr, file);
	fclose(file);
	nr = 0;
}

/* Return the enum target of actor @number. */
static unsigned int actor(unsigned int number)
{
	return TARGET_ACTOR + number;
}

enum { ON_EXEC = 1, INHERIT = 2, TREE = 4, TRACE_TOO = 256, ALL = 1, TOTAL = 1 };
enum { TOUCH = 1, SPIN = 2, SLEEP = 4 };
#define SOME_WORK	(7 | 100000 << 8)

static void seeds_of_one_thread(void)
{
	create(0, 0, 0, 3, (struct create_plan) { .kinds = KINDS(FAULTS, TASK_CLOCK, CYCLES, 0) });
	add(0, ACT_BIND, 0, 0, 0, 0);
	add(0, ACT_WORK, 0, 0, TOUCH | SPIN, SOME_WORK);
	add(0, ACT_SAMPLE, 0, 0, 0, 0);
	add(0, ACT_READ, 0, 0, 0, 0);
	add(0, ACT_DISABLE, 0, 0, 0, 0);
	add(0, ACT_SAMPLE, 0, actor(0), 0, 0);
	add(0, ACT_ENABLE, 0, 0, 0, 0);
	add(0, ACT_PRESET, 0, 0, 1, 40);
	add(0, ACT_RESTART, 0, 0, 0, 0);
	add(0, ACT_READ, 0, 0, 0, 0);
	add(0, ACT_INSTANCES, 0, 0, 0, 4);
	add(0, ACT_UNBIND, 0, 0, 0, 0);
	add(0, ACT_CLOSE, 0, 0, 0, 0);
	save("self");

	create(0, 0, 0, 2, (struct create_plan) {
		.kinds = KINDS(FAULTS, CYCLES, 0, 0), .overflow = 1, .presets = PRESET_SOON, .signal = 1,
	});
	add(0, ACT_BIND, 0, 0, 0, 0);
	add(0, ACT_WORK, 0, 0, TOUCH, 12);
	add(0, ACT_POLL, 0, 0, 0, 1);
	add(0, ACT_RESTART, 0, 0, 0, 0);
	add(0, ACT_WORK, 0, 0, TOUCH, 12);
	add(0, ACT_SAMPLE, 0, 0, 0, 0);
	save("overflow-signal");

	create(0, 0, 0, 2, (struct create_plan) {
		.kinds = KINDS(CYCLES, FAULTS, 0, 0), .overflow = 3, .presets = PRESET_SOON,
	});
	add(0, ACT_BIND, 0, 0, 0, 0);
	add(0, ACT_WORK, 0, 0, TOUCH | SPIN, SOME_WORK);
	add(0, ACT_WORK, 0, 0, TOUCH | SPIN, SOME_WORK);
	add(0, ACT_EPOLL, 0, 0, 0, 1);
	add(0, ACT_SAMPLE, 0, 0, 0, 0);
	save("overflow-frozen");
}

static void seeds_of_threads(void)
{
	create(0, 0, 0, 2, (struct create_plan) { .kinds = KINDS(FAULTS, TASK_CLOCK, 0, 0) });
	add(0, ACT_BIND, 0, 0, INHERIT, 0);
	add(0, ACT_START, 0, actor(1), 0, 0);
	add(1, ACT_WORK, 0, 0, TOUCH | SPIN, SOME_WORK);
	add(0, ACT_SAMPLE, 0, 0, TOTAL, 0);
	add(0, ACT_INSTANCES, 0, 0, 0, 7);
	add(1 | ASYNC, ACT_WORK, 0, 0, TOUCH | SPIN | SLEEP, SOME_WORK);
	add(0, ACT_SAMPLE, 0, actor(1), 0, 0);
	add(1, ACT_END, 0, 0, 0, 0);
	add(0, ACT_SAMPLE, 0, actor(1), 0, 0);
	add(0, ACT_SAMPLE, 0, 0, TOTAL, 0);
	add(0, ACT_DISABLE, 0, 0, 0, 0);
	add(0, ACT_UNBIND, 0, 0, ALL, 0);
	save("inherit");

	create(0, 0, 0, 3, (struct create_plan) {
		.kinds = KINDS(FAULTS, CYCLES, TASK_CLOCK, 0), .overflow = 2, .presets = PRESET_SOON,
	});
	add(0, ACT_START, 0, actor(1), 0, 0);
	add(1, ACT_BIND, 0, 0, 0, 0);
	add(1 | ASYNC, ACT_WORK, 0, 0, TOUCH | SPIN, SOME_WORK);
	add(0, ACT_SAMPLE, 0, actor(1), 0, 0);
	add(1, ACT_PRESET, 0, 0, 1, 5);
	add(1, ACT_RESTART, 0, 0, 0, 0);
	add(1 | ASYNC, ACT_MOVE, 0, 0, 2, 0);
	add(0, ACT_SAMPLE, 0, actor(1), 0, 0);
	add(1, ACT_END, 0, 0, 0, 0);
	add(0, ACT_SAMPLE, 0, TARGET_DEAD, 0, 0);
	add(0, ACT_UNBIND, 0, 0, ALL, 0);
	save("another-thread");

	create(0, 0, 0, 1, (struct create_plan) { .kinds = KINDS(FAULTS, 0, 0, 0) });
	add(0, ACT_BIND, 0, 0, INHERIT, 0);
	add(1, ACT_WORK, 0, 0, TOUCH, 1);
	add(2, ACT_WORK, 0, 0, TOUCH, 1);
	add(1 | ASYNC, ACT_WORK, 0, 0, TOUCH, 3);
	add(2 | ASYNC, ACT_END, 0, 0, 0, 0);
	add(0, ACT_SAMPLE, 0, 0, TOTAL, 0);
	add(0, ACT_LIST, 0, 0, 0, 0);
	add(1, ACT_RESTART, 0, 0, 0, 0);
	save("threads");
}

static void seeds_of_processes(void)
{
	create(0, 0, 0, 2, (struct create_plan) { .kinds = KINDS(FAULTS, TASK_CLOCK, 0, 0) });
	add(0, ACT_BIND, 0, 0, INHERIT | TREE, 0);
	add(0, ACT_FORK, 0, actor(3), 0, 0);
	add(3, ACT_WORK, 0, 0, TOUCH | SPIN, SOME_WORK);
	add(3, ACT_START, 0, 0, TOUCH, 3);
	add(0, ACT_SAMPLE, 0, actor(3), 0, 0);
	add(3, ACT_EXEC, 0, 0, 1, 0);
	add(0, ACT_WORK, 0, 0, SLEEP, 1000 << 16);
	add(0, ACT_SAMPLE, 0, actor(3), 0, 0);
	add(0, ACT_SAMPLE, 0, 0, TOTAL, 0);
	add(0, ACT_KILL, 0, actor(3), 1, 0);
	add(0, ACT_SAMPLE, 0, 0, TOTAL, 0);
	save("tree");

	create(0, 0, 0, 1, (struct create_plan) { .kinds = KINDS(FAULTS, 0, 0, 0) });
	add(0, ACT_FORK, 0, actor(3), 0, 0);
	add(3, ACT_DROP, 0, 0, 1, 0);
	add(3, ACT_BIND, 0, 0, ON_EXEC, 0);
	add(3, ACT_EXEC, 0, 0, 3, 0);
	add(0, ACT_WORK, 0, 0, SLEEP, 2000 << 16);
	add(0, ACT_SAMPLE, 0, actor(3), 0, 0);
	add(0, ACT_UNBIND, 0, 0, ALL, 0);
	save("set-user-id");

	create(0, 0, 0, 1, (struct create_plan) { .kinds = KINDS(FAULTS, 0, 0, 0) });
	add(0, ACT_BIND, 0, 0, TREE, 0);
	add(0, ACT_FORK, 0, actor(3), 0, 0);
	add(3, ACT_DROP, 0, 0, 1, 0);
	add(3, ACT_BIND, 0, 0, TREE | TRACE_TOO, 0);
	add(3, ACT_EXEC, 0, 0, 5, 0);
	add(0, ACT_SAMPLE, 0, actor(3), 0, 0);
	add(0, ACT_START, 0, 0, TOUCH, 3);
	add(0, ACT_SAMPLE, 0, 0, TOTAL, 0);
	add(0, ACT_INSTANCES, 0, 0, 0, 7);
	add(0, ACT_KILL, 0, actor(3), 1, 0);
	save("unreadable");

	add(3, ACT_DROP, 0, 0, 1, 0);
	create(3, 0, 0, 1, (struct create_plan) {
		.kinds = KINDS(FAULTS, 0, 0, 0), .overflow = 1, .presets = PRESET_SOON, .signal = 1, .fatal = 1,
	});
	add(3, ACT_BIND, 0, 0, 0, 0);
	add(3 | ASYNC, ACT_EXEC, 0, 0, 3, 0);
	add(0, ACT_TAKE, 2, actor(3), 0, 6);
	add(0, ACT_INSTANCES, 2, 0, 0, 4);
	add(0, ACT_WORK, 0, 0, SLEEP, 2000 << 16);
	save("fatal-signal");
}

static void seeds_of_the_machine(void)
{
	create(0, 0, 0, 2, (struct create_plan) {
		.kinds = KINDS(TASK_CLOCK, CYCLES, 0, 0), .kernel = 1,
	});
	add(0, ACT_BIND, 0, 0, INHERIT, 0);
	add(0, ACT_MOVE, 0, 0, 2, 0);
	add(0, ACT_HOTPLUG, 0, 0, 0, 500);
	add(0, ACT_SAMPLE, 0, 0, 0, 0);
	add(0, ACT_SAMPLE, 0, 0, TOTAL, 0);
	add(0, ACT_UNBIND, 0, 0, 0, 0);
	save("cpu");

	add(0, ACT_LISTEN, 0, 0, 1, 0);
	add(0, ACT_TAG, 4, 0, 0, 5);
	add(0, ACT_MAP, 4, 0, 0, 0);
	create(0, 0, 0, 2, (struct create_plan) { .kinds = KINDS(FAULTS, TASK_CLOCK, 0, 0) });
	add(0, ACT_BIND, 0, 0, INHERIT | TRACE_TOO, 0);
	add(0, ACT_WRITE, 4, 0, 132, 0);
	add(0, ACT_WRITE, 4, 0, 133, 0);
	add(0, ACT_PWRITE, 4, 0, 0, 0);
	add(0, ACT_PWRITE, 4, 0, 1, 0);
	add(0, ACT_WRITE, 4, 0, 4, 77);
	add(0, ACT_ADVISE, 4, 0, 0, 0);
	add(0, ACT_ADVISE, 4, 0, 1, 0);
	add(0, ACT_FORK, 0, actor(3), 0, 0);
	add(3, ACT_WRITE, 4, 0, 0, 0);
	add(0, ACT_CLOSE, 4, 0, 0, 0);
	save("trace");

	add(0, ACT_PARAMETER, 0, 0, 0, 1 << 8);
	create(0, 0, 0, 1, (struct create_plan) { .kinds = KINDS(FAULTS, 0, 0, 0) });
	create(0, 1, 0, 1, (struct create_plan) { .kinds = KINDS(FAULTS, 0, 0, 0) });
	add(0, ACT_DROP, 0, 0, 0, 0);
	add(0, ACT_BIND, 0, 0, 0, 0);
	add(0, ACT_DUP, 0, 3, 0, 0);
	add(0, ACT_TAG, 5, 1, 0, 9);
	add(0, ACT_CLOSE, 0, 0, 0, 0);
	add(0, ACT_SAMPLE, 3, 0, 0, 0);
	add(0, ACT_UNKNOWN, 3, 0, 0, 0x1234);
	add(0, ACT_INFO, 4, 0, 0, 0);
	save("limits");
}

static void print(const char *path)
{
	uint8_t data[MAX_ACTS * sizeof(struct act)];
	FILE *file = fopen(path, "r");

	if (!file) {
		perror(path);
		exit(1);
	}
	nr = program_decode(data, fread(data, 1, sizeof(data), file), acts);
	fclose(file);
	printf("%s:\n", path);
	program_print(stdout, acts, nr);
}

static void follow(const char *path)
{
	static uint8_t entries[TRAIL][ENTRY];
	FILE *file = fopen(path, "r"), *out;
	uint64_t head[2], last = 0;
	unsigned int i;
	char name[32];

	if (!file || fread(entries, ENTRY, TRAIL, file) != TRAIL) {
		perror(path);
		exit(1);
	}
	fclose(file);
	for (i = 0; i < TRAIL; i++) {
		memcpy(head, entries[i], sizeof(head));
		last = head[0] > last ? head[0] : last;
	}
	for (i = 0; i < TRAIL; i++) {
		memcpy(head, entries[i], sizeof(head));
		if (!head[0] || last - head[0] >= TRAIL || head[1] > ENTRY - sizeof(head))
			continue;
		snprintf(name, sizeof(name), "last-%02u", (unsigned int)(last - head[0]));
		out = open_in(name, "w");
		fwrite(entries[i] + sizeof(head), 1, head[1], out);
		fclose(out);
	}
}

int main(int argc, char **argv)
{
	int i;

	if (argc == 3 && !strcmp(argv[1], "seeds")) {
		folder = argv[2];
		seeds_of_one_thread();
		seeds_of_threads();
	seeds_of_processes();
		seeds_of_the_machine();
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "trail")) {
		folder = argv[3];
		follow(argv[2]);
		return 0;
	}
	if (argc < 3 || strcmp(argv[1], "print")) {
		fprintf(stderr, "usage: tool seeds DIR | print FILE... | trail FILE DIR\n");
		return 2;
	}
	for (i = 2; i < argc; i++)
		print(argv[i]);
	return 0;
}
