// SPDX-License-Identifier: GPL-2.0-or-later
/* A set's counts for each kind of core, and their sum, are exact wherever threads run. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "shim/shim.h"
#include "synthetic.h"

#define MOVES	1000

FIXTURE(kinds) {
	struct shim_handle *handle;
	struct shim_set *set;
	bool here;
};

FIXTURE_SETUP(kinds)
{
	self->here = is_hybrid();
	if (!self->here)
		return;
	ASSERT_TRUE(move_to(0));
	ASSERT_TRUE(set_manual(true));
	ASSERT_EQ(0, shim_open(&self->handle));
}

FIXTURE_TEARDOWN(kinds)
{
	shim_set_destroy(self->set);
	if (!self->here)
		return;
	shim_close(self->handle);
	set_manual(false);
}

#define NEED_HYBRID() do { if (!self->here) SKIP(return, "needs VM_PMU=hybrid"); } while (0)

static int make_set(FIXTURE_DATA(kinds) *self, const char *const *names, unsigned int n)
{
	return shim_set_create(self->handle, names, n, NULL, &self->set);
}

static const char *const all[] = {
	"cycles", "instructions", "cpu_core/instructions/", "cpu_atom/instructions/", "r3c",
};
#define ALL	(sizeof(all) / sizeof(all[0]))

/* Generate ticks on both kinds of core in turn, and add up the expected counts. */
static bool wander(unsigned int moves, uint64_t want[ALL])
{
	for (unsigned int i = 0; i < moves; i++) {
		unsigned int ticks = 1000 + i;
		bool atom = i % 2;

		if (!move_to(atom) || !make_ticks(ticks))
			return false;
		want[0] += ticks * (atom ? ATOM_CYCLES : CORE_CYCLES);
		want[1] += ticks * (atom ? ATOM_INSTRUCTIONS : CORE_INSTRUCTIONS);
		want[2 + atom] += ticks * (atom ? ATOM_INSTRUCTIONS : CORE_INSTRUCTIONS);
	}
	want[4] = want[0];
	return true;
}

static void expect(struct __test_metadata *_metadata, const struct shim_sample *sample,
		   const uint64_t *want)
{
	for (unsigned int i = 0; i < ALL; i++)
		EXPECT_EQ(want[i], sample->values[i]);
}

/* A thread can sample its own set after each migration. */
TEST_F(kinds, own_thread)
{
	uint64_t want[ALL] = { 0 };
	struct shim_sample sample;

	NEED_HYBRID();
	ASSERT_EQ(0, make_set(self, all, ALL));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	for (int i = 0; i < MOVES / 2; i++) {
		ASSERT_TRUE(wander(2, want));
		ASSERT_EQ(0, shim_set_sample(self->set, 0, &sample));
		expect(_metadata, &sample, want);
	}
	ASSERT_EQ(0, shim_set_disable(self->set, 0));
	ASSERT_TRUE(make_ticks(1000));
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &sample));
	expect(_metadata, &sample, want);
	ASSERT_EQ(0, shim_set_enable(self->set, 0));
	ASSERT_TRUE(wander(10, want));
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &sample));
	expect(_metadata, &sample, want);
}

/* The total of a process includes its children, if the set is bound before it forks. */
TEST_F(kinds, tree)
{
	uint64_t want[ALL] = { 0 }, child[ALL] = { 0 };
	struct shim_sample sample;
	pid_t pid;

	NEED_HYBRID();
	ASSERT_EQ(0, make_set(self, all, ALL));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_TREE));
	for (int i = 0; i < 4; i++) {
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid)
			_exit(!wander(MOVES / 4, child));
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		ASSERT_TRUE(wander(MOVES / 4, want));
	}
	for (unsigned int i = 0; i < ALL; i++)
		want[i] *= 2;
	ASSERT_EQ(0, shim_set_total(self->set, 0, &sample));
	expect(_metadata, &sample, want);
}

/* Each CPU is of one kind, and counts 0 for events of the other kind. */
TEST_F(kinds, cpus)
{
	uint64_t want[ALL] = { 0 };
	struct shim_sample sample;

	NEED_HYBRID();
	ASSERT_EQ(0, make_set(self, all, ALL));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_CPU));
	ASSERT_EQ(0, shim_set_bind(self->set, 1, SHIM_BIND_CPU));
	ASSERT_TRUE(wander(MOVES, want));
	ASSERT_EQ(0, shim_set_total(self->set, 0, &sample));
	expect(_metadata, &sample, want);
}

/* In a set with hardware events, software events count on both kinds of core. */
TEST_F(kinds, software_beside)
{
	static const char *const names[] = { "cpu_atom/cycles/", "page-faults:u", "cpu_atom/atom_only/" };
	struct shim_sample sample;
	long page = sysconf(_SC_PAGESIZE);
	char *pages;

	NEED_HYBRID();
	ASSERT_EQ(0, make_set(self, names, 3));
	pages = aligned_alloc(page, 200 * page);
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	for (int cpu = 0; cpu < 2; cpu++) {
		ASSERT_TRUE(move_to(cpu));
		ASSERT_TRUE(make_ticks(100));
		for (int i = 0; i < 100; i++)
			*(volatile char *)(pages + (cpu * 100 + i) * page) = 1;
	}
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &sample));
	EXPECT_EQ(100 * ATOM_CYCLES, sample.values[0]);
	EXPECT_LE(200, sample.values[1]);
	EXPECT_EQ(500, sample.values[2]);
	free(pages);
}

static int try(FIXTURE_DATA(kinds) *self, const char *name)
{
	struct shim_set *set = NULL;
	int ret = shim_set_create(self->handle, &name, 1, NULL, &set);

	shim_set_destroy(set);
	return ret;
}

TEST_F(kinds, names)
{
	NEED_HYBRID();
	EXPECT_EQ(0, try(self, "cpu_core/cycles/"));
	EXPECT_EQ(0, try(self, "cpu_core/cycles/u"));
	EXPECT_EQ(0, try(self, "cpu_core/cycles/:k"));
	EXPECT_EQ(0, try(self, "cpu_core/core_only/"));
	EXPECT_EQ(0, try(self, "cpu_atom/event=0xd1/"));
	EXPECT_EQ(0, try(self, "cpu_core/event=0x2e,umask=0x4f/"));
	EXPECT_EQ(0, try(self, "cpu_core/config=0x412e/"));
	EXPECT_EQ(0, try(self, "cpu_core/llc_refs/"));
	EXPECT_NE(0, try(self, "cpu_atom/core_only/"));
	EXPECT_NE(0, try(self, "cpu_atom/event=0xd0/"));
	EXPECT_EQ(-ENOENT, try(self, "cpu_atom/no_such_event/"));
	EXPECT_EQ(-ENOENT, try(self, "cpu_none/cycles/"));
	EXPECT_EQ(-EINVAL, try(self, "cpu_core/event=0x100/"));
	EXPECT_EQ(-EINVAL, try(self, "cpu_core/event=-1/"));
	EXPECT_EQ(-EINVAL, try(self, "cpu_core/event=1"));
	EXPECT_EQ(-EINVAL, try(self, "cpu_core//"));
	EXPECT_EQ(-EINVAL, try(self, "cpu_core/cycles/x"));
	EXPECT_EQ(-EINVAL, try(self, "cpu_core/cycles/u:u"));
	EXPECT_NE(0, try(self, "../cycles/"));
	/* An event that only one kind of core has can be counted only on this kind. */
	EXPECT_EQ(-EOPNOTSUPP, try(self, "rd0"));
	EXPECT_EQ(0, try(self, "cpu_core/config=0xd0/"));
}

/*
 * If another user's pinned events occupy the counters of the other kind of core, the set becomes
 * invalid when the thread migrates there.
 */
TEST_F(kinds, stolen_on_one_kind)
{
	static const char *const names[] = { "branch-misses" };
	struct shim_sample sample;
	int fds[2];

	NEED_HYBRID();
	ASSERT_EQ(0, make_set(self, names, 1));
	for (int i = 0; i < 2; i++) {
		struct perf_event_attr attr = {
			.type = type_of("cpu_atom"), .size = sizeof(attr), .config = 0xc5, .pinned = 1,
		};

		fds[i] = syscall(SYS_perf_event_open, &attr, -1, 1, -1, 0);
		ASSERT_LE(0, fds[i]);
	}
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	ASSERT_TRUE(make_ticks(10));
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &sample));
	EXPECT_EQ(10, sample.values[0]);
	ASSERT_TRUE(move_to(1));
	ASSERT_TRUE(make_ticks(10));
	EXPECT_EQ(-EAGAIN, shim_set_sample(self->set, 0, &sample));
	/* This also applies to inherited sets. */
	ASSERT_TRUE(move_to(0));
	shim_set_unbind(self->set, 0);
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_TREE));
	ASSERT_TRUE(make_ticks(10));
	ASSERT_EQ(0, shim_set_total(self->set, 0, &sample));
	EXPECT_EQ(10, sample.values[0]);
	if (!fork()) {
		move_to(1);
		_exit(!make_ticks(10));
	}
	wait(NULL);
	EXPECT_EQ(-EAGAIN, shim_set_total(self->set, 0, &sample));
	close(fds[0]);
	close(fds[1]);
}

TEST_F(kinds, too_many)
{
	static const char *const names[] = { "branch-misses", "branch-misses", "branch-misses" };

	NEED_HYBRID();
	ASSERT_EQ(0, make_set(self, names, 3));
	EXPECT_EQ(-ENOSPC, shim_set_bind(self->set, 0, 0));
}

TEST_HARNESS_MAIN
