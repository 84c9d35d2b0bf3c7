// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz the module with libFuzzer.  Each input is a sequence of calls (program.h), and KCOV reports
 * the coverage of the module.
 *
 * Before an input runs, it is written to FUZZ_TRAIL (the last kilobytes of a block device), because
 * all other data are lost if the kernel crashes.  The instructions that were reached are written to
 * the file FUZZ_COVERAGE.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "world.h"

#define ENTRY	1024	/* bytes per input in the trail */
#define TRAIL	64	/* number of inputs */

__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t counters[COUNTERS];

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static int trail = -1;
static off_t trail_start;
static pid_t owner;

static void trail_open(void)
{
	const char *path = getenv("FUZZ_TRAIL");
	unsigned long long size = 0;

	if (!path)
		return;
	trail = open(path, O_WRONLY | O_DIRECT | O_CLOEXEC);
	if (trail < 0 || ioctl(trail, BLKGETSIZE64, &size)) {
		perror(path);
		exit(2);
	}
	trail_start = size - TRAIL * ENTRY;
}

/*
 * Write the input with its number and size to the trail.  The entry with the highest number ran
 * last.
 */
static void leave_trail(const uint8_t *data, size_t size)
{
	static _Alignas(512) uint8_t entry[ENTRY];
	static uint64_t n;
	uint64_t head[2] = { ++n, size };

	if (trail < 0)
		return;
	memcpy(entry, head, sizeof(head));
	memcpy(entry + sizeof(head), data, size);
	if (pwrite(trail, entry, ENTRY, trail_start + n % TRAIL * ENTRY) != ENTRY)
		perror("fuzz: trail");
}

static void write_coverage(void)
{
	const char *path = getenv("FUZZ_COVERAGE");
	unsigned int i;

	if (getpid() != owner)
		return;
	if (path)
		kcov_write(&shared->coverage, path);
	for (i = 0; i < ACT_NR; i++)
		fprintf(stderr, "fuzz: %-26s %8lu calls, %8lu worked\n", act_kinds[i].name,
			shared->calls[i], shared->worked[i]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	owner = getpid();
	world_open();
	trail_open();
	atexit(write_coverage);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct act acts[MAX_ACTS];
	size_t n = program_decode(data, size, acts);

	leave_trail(data, n * sizeof(acts[0]));
	world_run(acts, n);
	memcpy(counters, shared->coverage.counters, sizeof(counters));
	counters[0]++;	/* keep inputs that reach no code of the module */
	if (shared->wrong) {
		fprintf(stderr, "fuzz: %s; the input:\n", shared->text);
		program_print(stderr, acts, n);
		abort();
	}
	return 0;
}

static unsigned int below(uint64_t *state, unsigned int n)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % n;
}

static unsigned int some_op(uint64_t *state)
{
	unsigned int i, n = 0;

	for (i = 0; i < ACT_NR; i++)
		n += act_kinds[i].weight;
	n = below(state, n);
	for (i = 0; n >= act_kinds[i].weight; i++)
		n -= act_kinds[i].weight;
	return i;
}

/* Return a random act that is more likely to be useful than random bytes. */
static struct act some_act(uint64_t *state)
{
	struct act a = {
		.op = some_op(state),
		.who = below(state, 2) ? 0 : below(state, ACTORS),
		.fd = below(state, 3) ? below(state, SETS) : below(state, FILES),
		.target = below(state, TARGET_NR),
		.flags = below(state, 2) ? 1U << below(state, 10) : below(state, 1 << 10),
		.value = (uint64_t)below(state, 1U << 31) << 33 | below(state, 1U << 31),
	};

	if (a.op == ACT_TAG || a.op == ACT_WRITE || a.op == ACT_PWRITE ||
	    a.op == ACT_ADVISE || a.op == ACT_MAP)
		a.fd = SETS + below(state, DEVICES);
	if (!below(state, 6))
		a.who |= ASYNC;
	if (!below(state, 12))
		a.how = HOSTILE + below(state, 64);
	if (!below(state, 12))
		a.fail = 1 + below(state, MAX_FAIL);
	return a;
}

/* In most cases mutate whole acts; libFuzzer's own mutations change bytes within an act. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	struct act acts[MAX_ACTS + 1];
	size_t n = size / sizeof(acts[0]), room = max_size / sizeof(acts[0]);
	uint64_t state = seed;
	unsigned int at, from, times = 1 + below(&state, 3);

	room = room > MAX_ACTS ? MAX_ACTS : room;
	n = n > room ? room : n;
	memcpy(acts, data, n * sizeof(acts[0]));
	while (times--) {
		at = below(&state, n + 1);
		switch (n ? below(&state, 10) : 0) {
		case 0: case 1: case 2:
			if (n == room)
				break;
			memmove(&acts[at + 1], &acts[at], (n++ - at) * sizeof(acts[0]));
			acts[at] = some_act(&state);
			break;
		case 3:
			if (at < n)
				memmove(&acts[at], &acts[at + 1], (--n - at) * sizeof(acts[0]));
			break;
		case 4:
			from = below(&state, n);
			if (n == room)
				break;
			acts[n++] = acts[from];
			break;
		case 5:
			if (at < n)
				acts[at].who ^= ASYNC;
			break;
		case 6:
			if (at < n)
				acts[at].fail = 1 + below(&state, MAX_FAIL);
			break;
		case 7:
			if (at < n)
				acts[at].how = HOSTILE + below(&state, 64);
			break;
		case 8:
			if (at < n)
				acts[at].target = below(&state, TARGET_NR);
			break;
		default:
			if (at < n)
				LLVMFuzzerMutate((uint8_t *)&acts[at], sizeof(acts[0]),
						 sizeof(acts[0]));
			break;
		}
	}
	memcpy(data, acts, n * sizeof(acts[0]));
	return n * sizeof(acts[0]);
}
