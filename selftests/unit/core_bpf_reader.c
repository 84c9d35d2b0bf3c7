// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A reader that reads repeatedly, and examines only changes, gets the same results as a new reader,
 * regardless of how the maps change.
 *
 * The test writes to the maps itself, and can therefore write torn and inconsistent rows.
 */
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "core/bpf.h"
#include "core/bpf_stat.h"
#include "core_bpf_model.h"
#include "kselftest_harness.h"

static int by_tag(const void *a, const void *b)
{
	const struct shim_bpf_stat *x = *(const struct shim_bpf_stat *const *)a;
	const struct shim_bpf_stat *y = *(const struct shim_bpf_stat *const *)b;
	int order = strcmp(x->tag->name, y->tag->name);

	if (!order)
		order = (x->tag->user > y->tag->user) - (x->tag->user < y->tag->user);
	if (!order)
		order = (x->key.kind > y->key.kind) - (x->key.kind < y->key.kind);
	return order ? order : (x->key.tag > y->key.tag) - (x->key.tag < y->key.tag);
}

static const struct shim_bpf_stat **sorted(const struct shim_bpf_stat *rows, size_t n)
{
	const struct shim_bpf_stat **list = calloc(n + 1, sizeof(*list));

	for (size_t i = 0; i < n; i++)
		list[i] = &rows[i];
	qsort(list, n, sizeof(*list), by_tag);
	return list;
}

static int same_stats(const struct shim_bpf_stat *a, size_t na, const struct shim_bpf_stat *b, size_t nb)
{
	const struct shim_bpf_stat **la = sorted(a, na), **lb = sorted(b, nb);
	int same = na == nb;

	for (size_t i = 0; i < na && same; i++) {
		same = !strcmp(la[i]->tag->name, lb[i]->tag->name) && la[i]->tag->user == lb[i]->tag->user &&
		       la[i]->key.kind == lb[i]->key.kind &&
		       !memcmp(&la[i]->total, &lb[i]->total, sizeof(la[i]->total));
		if (!same)
			fprintf(stderr, "# %s of %u, kind %u: count %llu and %llu\n", la[i]->tag->name,
				la[i]->tag->user, la[i]->key.kind, (unsigned long long)la[i]->total.count,
				(unsigned long long)lb[i]->total.count);
	}
	if (na != nb)
		fprintf(stderr, "# %zu rows and %zu\n", na, nb);
	free(la);
	free(lb);
	return same;
}

static int by_key(const void *a, const void *b)
{
	const struct shim_bpf_count *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->events_key > y->events_key) - (x->events_key < y->events_key);
}

/*
 * Copy only the kernel's rows, whose keys are the same for every reader.  Clear their versions,
 * sort them by key, and store their number in *@n.
 */
static struct shim_bpf_count *copy_of(const struct shim_bpf_count *rows, size_t *n)
{
	struct shim_bpf_count *copy = calloc(*n + 1, sizeof(*copy));
	size_t taken = 0;

	for (size_t i = 0; i < *n; i++)
		if (!(rows[i].events_key & SHIM_DIRECT_ID))
			copy[taken++] = rows[i];
	for (size_t i = 0; i < taken; i++)
		copy[i].version = 0;
	qsort(copy, taken, sizeof(*copy), by_key);
	*n = taken;
	return copy;
}

static void add_count(struct vc_count *total, const struct vc_count *more)
{
	total->count += more->count;
	for (int i = 0; i < VC_MAX_COUNTERS; i++)
		total->sum[i] += more->sum[i];
}

/* Return whether a row equals the sum of all rows of its tag and events. */
static int is_sum_of_slots(struct shim_bpf_reader *r, const struct shim_bpf_count *row)
{
	const struct shim_bpf_tag *tag;
	struct vc_count total = { 0 };

	if (shim_bpf_reader__tag(r, row->id, &tag))
		return 0;
	for (int i = 0; i < DIRECT; i++)
		if (m.slots[i].kind == VC_TRANSACT && !strcmp(m.slots[i].name, tag->name) &&
		    m.slots[i].user == tag->user &&
		    !memcmp(&m.slots[i].events, &row->events, sizeof(row->events)))
			add_count(&total, &m.slots[i].count);
	return !memcmp(&total, &row->total, sizeof(total));
}

/* Return whether each row's count is in one of the reader's rows. */
static int direct_counts_are_right(struct shim_bpf_reader *r, const struct shim_bpf_count *rows,
				   size_t n)
{
	struct vc_count total = { 0 }, slots = { 0 };
	int right = 1;

	for (size_t i = 0; i < n; i++) {
		if (!(rows[i].events_key & SHIM_DIRECT_ID))
			continue;
		add_count(&total, &rows[i].total);
		right &= is_sum_of_slots(r, &rows[i]);
	}
	for (int i = 0; i < DIRECT; i++)
		add_count(&slots, &m.slots[i].count);
	return right && !memcmp(&total, &slots, sizeof(total));
}

static int same_counts(const struct shim_bpf_count *a, size_t na, const struct shim_bpf_count *b, size_t nb)
{
	struct shim_bpf_count *ca = copy_of(a, &na), *cb = copy_of(b, &nb);
	int same = na == nb && !memcmp(ca, cb, na * sizeof(*ca));

	free(ca);
	free(cb);
	return same;
}

/* Return whether the reader gets the same results as a new one. */
static int agree(struct shim_bpf_reader *r, int apart)
{
	const struct shim_bpf_stat *stats, *fresh_stats;
	const struct shim_bpf_count *counts, *fresh_counts;
	size_t n, fresh_n, ncounts, fresh_ncounts;
	struct shim_bpf_reader *fresh;
	int same;

	if (shim_bpf_reader__open(apart, &fresh))
		return 0;
	same = !shim_bpf_reader__stats(r, &stats, &n) &&
	       !shim_bpf_reader__stats(fresh, &fresh_stats, &fresh_n) &&
	       same_stats(stats, n, fresh_stats, fresh_n) &&
	       !shim_bpf_reader__counts(r, &counts, &ncounts) &&
	       !shim_bpf_reader__counts(fresh, &fresh_counts, &fresh_ncounts) &&
	       direct_counts_are_right(r, counts, ncounts) &&
	       direct_counts_are_right(fresh, fresh_counts, fresh_ncounts) &&
	       same_counts(counts, ncounts, fresh_counts, fresh_ncounts);
	shim_bpf_reader__close(fresh);
	return same;
}

/* Return the number of BPF programs that this process has open. */
static int programs(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	char link[64];
	int n = 0;

	while (dir && (entry = readdir(dir))) {
		ssize_t len = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);

		link[len > 0 ? len : 0] = '\0';
		n += !strcmp(link, "anon_inode:bpf-prog");
	}
	if (dir)
		closedir(dir);
	return n;
}

FIXTURE(reader) {
	struct shim_bpf_reader *r;
};

FIXTURE_VARIANT(reader) {
	int apart;
};

FIXTURE_VARIANT_ADD(reader, together) {
	.apart = 0,
};

FIXTURE_VARIANT_ADD(reader, apart) {
	.apart = 1,
};

FIXTURE_SETUP(reader)
{
	const struct shim_bpf_options options = {
		.transport = SHIM_BPF_PROBES, .tags = TAGS, .direct = DIRECT,
	};
	int fd;

	self->r = NULL;
	fd = trace_apart(&options);
	if (fd == -EPERM)
		return;
	ASSERT_EQ(0, fd);
	m.stat = bpf_obj_get(PIN("vc_stat"));
	m.tag = bpf_obj_get(PIN("vc_tag"));
	m.count = bpf_obj_get(PIN("vc_count"));
	m.events = bpf_obj_get(PIN("vc_events"));
	fd = bpf_obj_get(PIN("vc_direct"));
	m.slots = mmap(NULL, DIRECT * sizeof(*m.slots), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, m.slots);
	close(fd);
	m.cpus = libbpf_num_possible_cpus();
	srandom(4 + variant->apart);
	ASSERT_EQ(0, shim_bpf_reader__open(variant->apart, &self->r));
}

FIXTURE_TEARDOWN(reader)
{
	if (!self->r)
		return;
	shim_bpf_reader__close(self->r);
	shim_bpf__off();
}

TEST_F(reader, whatever_changes)
{
	int before = programs();

	NEEDS_BPF(self);
	for (int step = 0; step < 60; step++) {
		for (int n = some(3) ? some(20) : some(300); n; n--)
			change_something();
		ASSERT_EQ(1, agree(self->r, variant->apart)) {
			TH_LOG("step %d", step);
		}
	}
	/*
	 * The reader has loaded its program.  Otherwise, for example without CAP_BPF, only the
	 * method without a program would have been tested.
	 */
	EXPECT_EQ(before + 1, programs());
}

/* Read a megabyte, which is more than one run of the program can return. */
TEST_F(reader, all_slots_of_all_tags)
{
	NEEDS_BPF(self);
	for (int i = 0; i < TAGS; i++) {
		new_row(i, VC_TRANSACT);
		put_name(i);
	}
	for (int step = 0; step < 4; step++) {
		for (int i = 0; i < TAGS; i++) {
			for (int cpu = 0; cpu < m.cpus; cpu++) {
				event(&m.row[i][cpu], VC_TRANSACT);
				beyond(&m.row[i][cpu], VC_TRANSACT);
			}
			put_row(i);
		}
		ASSERT_EQ(1, agree(self->r, variant->apart));
		ASSERT_EQ(1, agree(self->r, variant->apart));
	}
}

/*
 * Create and remove rows as fast as possible.  Any user with permission to create tags can do this.
 */
static void churn(void)
{
	for (;;) {
		int i = some(TAGS);

		delete_row(i);
		new_row(i, VC_TRANSACT);
		put_name(i);
		for (int cpu = 0; cpu < m.cpus; cpu++) {
			event(&m.row[i][cpu], VC_TRANSACT);
			beyond(&m.row[i][cpu], VC_TRANSACT);
		}
		put_row(i);
	}
}

TEST_F_TIMEOUT(reader, rows_that_come_and_go, 120)
{
	const struct shim_bpf_stat *stats;
	pid_t children[4];
	size_t n;

	NEEDS_BPF(self);
	for (int i = 0; i < TAGS; i++) {
		new_row(i, VC_TRANSACT);
		put_name(i);
		event(m.row[i], VC_TRANSACT);
		put_row(i);
	}
	for (int i = 0; i < 4; i++) {
		children[i] = fork();
		if (!children[i]) {
			m.last_id = (i + 1) * 1000000000ULL;
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			churn();
		}
	}
	/* The read terminates and returns some rows, possibly from different times. */
	for (int step = 0; step < 30; step++) {
		ASSERT_EQ(0, shim_bpf_reader__stats(self->r, &stats, &n));
		EXPECT_LT(0, n);
	}
	for (int i = 0; i < 4; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	ASSERT_EQ(1, agree(self->r, variant->apart));
	ASSERT_EQ(1, agree(self->r, variant->apart));
}

/*
 * Return the size of the memory that the program has allocated, or 0 if the allocator does not
 * report it.
 */
static size_t in_use(void)
{
	return mallinfo2().uordblks;
}

/*
 * Replace as many IDs as in weeks of use.  The reader frees the data of removed IDs, so its memory
 * does not grow.
 */
TEST_F_TIMEOUT(reader, ids_without_end, 240)
{
	size_t before = 0;

	NEEDS_BPF(self);
	for (int i = 0; i < TAGS; i++)
		new_row(i, VC_TRANSACT);
	for (int round = 0; round < 40; round++) {
		const struct shim_bpf_stat *stats;
		size_t n;

		for (int i = 0; i < TAGS; i++) {
			if (i % 8 == 0)		/* some rows stay idle */
				continue;
			delete_row(i);
			new_row(i, VC_TRANSACT);
			put_name(i);
			event(m.row[i], VC_TRANSACT);
			put_row(i);
		}
		ASSERT_EQ(0, shim_bpf_reader__stats(self->r, &stats, &n));
		if (round % 10 == 0)
			ASSERT_EQ(1, agree(self->r, variant->apart));
		/* After this round, the reader must reuse freed memory. */
		if (round == 25)
			before = in_use();
	}
	EXPECT_GE(before + (1 << 20), in_use());
	/* All rows are idle now, and individual events have other tags. */
	ASSERT_EQ(1, agree(self->r, variant->apart));
	ASSERT_EQ(1, agree(self->r, variant->apart));
	for (int i = 0; i < 6000; i++) {
		const struct vc_tag_name name = { .name = "of an event" };
		const struct shim_bpf_tag *tag;
		const uint64_t id = ++m.last_id;

		bpf_map_update_elem(m.tag, &id, &name, BPF_ANY);
		ASSERT_EQ(0, shim_bpf_reader__tag(self->r, id, &tag));
		ASSERT_STREQ("of an event", tag->name);
		bpf_map_delete_elem(m.tag, &id);
	}
	ASSERT_EQ(1, agree(self->r, variant->apart));
	EXPECT_GE(before + (1 << 20), in_use());
}

/*
 * Check individual events of existing tags: while the tags are idle, the reader gets the same
 * results as a new one.
 */
static int events_seen(struct shim_bpf_reader *r, int apart)
{
	for (int i = 0; i < TAGS; i++)
		if (m.row[i] && m.named[i] && some(2)) {
			event(m.row[i], m.kind[i]);
			put_row(i);
		}
	return agree(r, apart) && agree(r, apart) && agree(r, apart);
}

/*
 * A forked child inherits the reader, and parent and child can read without affecting each other.
 */
TEST_F(reader, in_a_forked_child)
{
	const struct shim_bpf_stat *stats;
	size_t n;

	NEEDS_BPF(self);
	for (int step = 0; step < 10; step++) {
		pid_t child;
		int status;

		for (int changes = some(100); changes; changes--)
			change_something();
		ASSERT_EQ(1, agree(self->r, variant->apart));
		child = fork();
		if (!child)
			_exit(events_seen(self->r, variant->apart) ? 0 : 1);
		/* While the child runs, the rows of one read can belong to different moments. */
		ASSERT_EQ(0, shim_bpf_reader__stats(self->r, &stats, &n));
		ASSERT_EQ(child, waitpid(child, &status, 0));
		ASSERT_EQ(0, status);
		ASSERT_EQ(1, agree(self->r, variant->apart));
	}
}

TEST_HARNESS_MAIN
