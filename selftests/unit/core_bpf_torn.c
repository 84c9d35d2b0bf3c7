// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics can be read while a writer continuously changes a row, and from an inconsistent row.
 */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "core/bpf_stat.h"
#include "core/bpf_table.h"
#include "core_bpf.h"
#include "kselftest_harness.h"

#define SHORT	1000ull
#define LONG	1000000000ull
#define RUNS	20000

static uint32_t slot_of(uint64_t ns)
{
	return vc_hist_slot(ns, 63 - __builtin_clzll(ns | 1));
}

static struct vc_stat one_of(uint64_t ns)
{
	struct vc_stat stat = { .count = 1, .sum_ns = ns, .min_ns = ns, .max_ns = ns };

	stat.hist[slot_of(ns)] = 1;
	return stat;
}

/*
 * If the minimum and the maximum of a part are outside its buckets, only its own buckets are read.
 */
TEST(extremes_outside)
{
	size_t page = sysconf(_SC_PAGESIZE), room = 4 * page;
	char *at = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct shim_bpf_stat *row = calloc(1, sizeof(*row));
	uint32_t first = slot_of(LONG);
	struct vc_stat *part;

	ASSERT_NE(MAP_FAILED, at);
	ASSERT_NE(NULL, row);
	/*
	 * The part contains only bucket @first: bucket 0 would be before the readable memory, and
	 * the last one after it.
	 */
	ASSERT_EQ(0, mprotect(at, page, PROT_NONE));
	part = (struct vc_stat *)(at + page);
	*part = (struct vc_stat) { .count = 1, .min_ns = 0, .max_ns = LONG };
	part->hist[0] = 1;
	row->key.kind = VC_TRANSACT;
	EXPECT_FALSE(shim_bpf_stat__add_part(row, part, first, first + 1));
	EXPECT_EQ(1, row->total.hist[first]);
	part->max_ns = ~0ull;
	EXPECT_FALSE(shim_bpf_stat__add_part(row, part, first, first + 1));
	/* The maximum can be less than the minimum. */
	part->min_ns = LONG;
	part->max_ns = 0;
	EXPECT_FALSE(shim_bpf_stat__add_part(row, part, first, first + 1));
	EXPECT_EQ(3, row->total.hist[first]);
	free(row);
	munmap(at, room);
}

/* Changes that the program returned, and how many of them were wrong */
struct seen {
	unsigned int parts, wrong;
};

static int look(void *arg, const struct vc_change *change, struct vc_seen *seen)
{
	struct seen *all = arg;

	(void)seen;
	if (!change)
		return 0;
	all->parts++;
	if (change->first < change->end && (slot_of(change->stat.min_ns) < change->first ||
					    slot_of(change->stat.max_ns) >= change->end))
		all->wrong++;
	return 0;
}

/* Alternately write two different rows, until killed. */
static void flip(int map, size_t cpus)
{
	const struct vc_stat_key key = { .tag = 1, .kind = VC_TRANSACT };
	struct vc_stat *rows[2];

	for (int i = 0; i < 2; i++) {
		rows[i] = calloc(cpus, sizeof(*rows[i]));
		for (size_t cpu = 0; rows[i] && cpu < cpus; cpu++)
			rows[i][cpu] = one_of(i ? LONG : SHORT);
	}
	for (unsigned int i = 0; rows[0] && rows[1]; i++)
		bpf_map_update_elem(map, &key, rows[i % 2], 0);
}

FIXTURE(torn) {
	struct shim_bpf_changes changes, *r;
	int map;
};

FIXTURE_SETUP(torn)
{
	const struct shim_bpf_options options = { .transport = SHIM_BPF_PROBES };
	int err = trace_apart(&options);

	self->r = NULL;
	if (err == -EPERM)
		return;
	ASSERT_EQ(0, err);
	self->map = bpf_obj_get(PIN("vc_stat"));
	memset(&self->changes, 0, sizeof(self->changes));
	ASSERT_EQ(0, shim_bpf_changes__open(&self->changes, self->map, libbpf_num_possible_cpus()));
	self->r = &self->changes;
}

FIXTURE_TEARDOWN(torn)
{
	if (!self->r)
		return;
	shim_bpf_changes__close(self->r);
	shim_bpf__off();
}

/*
 * The program returns only the buckets between the minimum and the maximum, which it also returns.
 */
TEST_F(torn, extremes_that_change)
{
	struct seen seen = { 0 };
	pid_t writer;

	NEEDS_BPF(self);
	writer = fork();
	if (!writer)
		flip(self->map, libbpf_num_possible_cpus());
	ASSERT_GT(writer, 0);
	for (int i = 0; i < RUNS; i++)
		ASSERT_EQ(0, shim_bpf_changes__read(self->r, look, &seen));
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	EXPECT_GT(seen.parts, RUNS / 10);
	EXPECT_EQ(0, seen.wrong);
}

TEST_HARNESS_MAIN
