// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Core PMUs are found in the kernel's directory: which ones exist, their CPUs, and the PMU of an
 * event.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/pmus.h"
#include "kselftest_harness.h"

FIXTURE(pmus) {
	char dir[32];
	struct shim_pmus pmus;
};

static void put_file(const char *dir, const char *pmu, const char *file, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, pmu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", dir, pmu, file);
	f = fopen(path, "w");
	if (!f)
		abort();
	fputs(text, f);
	fclose(f);
}

FIXTURE_SETUP(pmus)
{
	strcpy(self->dir, "/tmp/pmus.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
}

FIXTURE_TEARDOWN(pmus)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

static void put_two(const char *dir)
{
	put_file(dir, "cpu_atom", "type", "10\n");
	put_file(dir, "cpu_atom", "cpus", "16-17,19,100-102\n");
	put_file(dir, "cpu_core", "type", "4\n");
	put_file(dir, "cpu_core", "cpus", "0-15\n");
	put_file(dir, "uncore_imc_0", "type", "20\n");
	put_file(dir, "uncore_imc_0", "cpumask", "0\n");
	put_file(dir, "software", "type", "1\n");
}

TEST_F(pmus, two_kinds)
{
	put_two(self->dir);
	ASSERT_EQ(0, shim_pmus__read(self->dir, &self->pmus));
	ASSERT_EQ(2, self->pmus.n);
	EXPECT_STREQ("cpu_core", self->pmus.pmu[0].name);
	EXPECT_EQ(4, self->pmus.pmu[0].type);
	EXPECT_EQ(16, self->pmus.pmu[0].nr_cpus);
	EXPECT_STREQ("cpu_atom", self->pmus.pmu[1].name);
	EXPECT_STREQ("16-17,19,100-102", self->pmus.pmu[1].list);
	EXPECT_EQ(6, self->pmus.pmu[1].nr_cpus);
	for (unsigned int cpu = 0; cpu < 200; cpu++) {
		EXPECT_EQ(cpu < 16, shim_pmus__has_cpu(&self->pmus.pmu[0], cpu));
		EXPECT_EQ(cpu == 16 || cpu == 17 || cpu == 19 || (cpu >= 100 && cpu <= 102),
			  shim_pmus__has_cpu(&self->pmus.pmu[1], cpu));
	}
	EXPECT_FALSE(shim_pmus__has_cpu(&self->pmus.pmu[0], ~0U));
}

TEST_F(pmus, one_kind_or_none)
{
	EXPECT_EQ(-ENOENT, shim_pmus__read("/no/such/folder", &self->pmus));
	EXPECT_EQ(0, self->pmus.n);
	EXPECT_EQ(0, shim_pmus__read(self->dir, &self->pmus));
	EXPECT_EQ(0, self->pmus.n);
	put_file(self->dir, "cpu", "type", "4\n");
	EXPECT_EQ(0, shim_pmus__read(self->dir, &self->pmus));
	EXPECT_EQ(1, self->pmus.n);
	EXPECT_TRUE(shim_pmus__has_cpu(&self->pmus.pmu[0], 5000));
}

/* An invalid list, a huge list, and names that do not fit are handled. */
TEST_F(pmus, odd_files)
{
	put_file(self->dir, "a", "type", "30\n");
	put_file(self->dir, "a", "cpus", "0-x\n");
	put_file(self->dir, "b", "type", "31\n");
	put_file(self->dir, "b", "cpus", "3-18446744073709551615\n");
	put_file(self->dir, "c", "cpus", "0\n");
	put_file(self->dir, "d_0123456789012345678901234567890123", "type", "32\n");
	put_file(self->dir, "d_0123456789012345678901234567890123", "cpus", "0\n");
	put_file(self->dir, "e", "type", "33\n");
	put_file(self->dir, "e", "cpus", "5-2\n");
	EXPECT_EQ(0, shim_pmus__read(self->dir, &self->pmus));
	ASSERT_EQ(2, self->pmus.n);
	EXPECT_STREQ("e", self->pmus.pmu[0].name);
	EXPECT_STREQ("b", self->pmus.pmu[1].name);
	EXPECT_EQ(SHIM_PMU_CPUS - 3, self->pmus.pmu[1].nr_cpus);
}

/* A file that cannot be opened or read is not a missing file: here a symbolic loop or a directory. */
TEST_F(pmus, unreadable_files)
{
	static const char *const files[] = { "cpus", "type" };
	char path[256];

	for (int i = 0; i < 2; i++) {
		put_two(self->dir);
		snprintf(path, sizeof(path), "%s/cpu_core/%s", self->dir, files[i]);
		ASSERT_EQ(0, unlink(path));
		ASSERT_EQ(0, mkdir(path, 0700));
		EXPECT_EQ(-EISDIR, shim_pmus__read(self->dir, &self->pmus));
		ASSERT_EQ(0, rmdir(path));
		ASSERT_EQ(0, symlink(files[i], path));
		EXPECT_EQ(-ELOOP, shim_pmus__read(self->dir, &self->pmus));
		ASSERT_EQ(0, unlink(path));
	}
}

TEST_F(pmus, whose)
{
	struct vcpc_request generic = { .type = PERF_TYPE_HARDWARE, .config = 1 }, out;
	struct vcpc_request raw = { .type = PERF_TYPE_RAW, .config = 0xc0 };
	struct vcpc_request one = { .type = PERF_TYPE_HW_CACHE, .config = 10ULL << 32 | 2 };
	struct vcpc_request software = { .type = PERF_TYPE_SOFTWARE }, uncore = { .type = 20 };

	put_two(self->dir);
	ASSERT_EQ(0, shim_pmus__read(self->dir, &self->pmus));
	EXPECT_EQ(SHIM_PMUS_ALL, shim_pmus__of(&self->pmus, &generic));
	EXPECT_EQ(SHIM_PMUS_ALL, shim_pmus__of(&self->pmus, &raw));
	EXPECT_EQ(1, shim_pmus__of(&self->pmus, &one));
	EXPECT_EQ(SHIM_PMUS_NONE, shim_pmus__of(&self->pmus, &software));
	EXPECT_EQ(SHIM_PMUS_NONE, shim_pmus__of(&self->pmus, &uncore));
	ASSERT_TRUE(shim_pmus__make(&self->pmus, 1, &generic, &out));
	EXPECT_EQ(10ULL << 32 | 1, out.config);
	ASSERT_TRUE(shim_pmus__make(&self->pmus, 1, &raw, &out));
	EXPECT_EQ(10, out.type);
	ASSERT_TRUE(shim_pmus__make(&self->pmus, 0, &raw, &out));
	EXPECT_EQ(0, shim_pmus__of(&self->pmus, &out));
	EXPECT_FALSE(shim_pmus__make(&self->pmus, 0, &one, &out));
	EXPECT_FALSE(shim_pmus__make(&self->pmus, 0, &software, &out));
	raw.reserved[0] = SHIM_REQ_ONE_PMU;
	EXPECT_EQ(0, shim_pmus__of(&self->pmus, &raw));
}

TEST_HARNESS_MAIN
