// SPDX-License-Identifier: GPL-2.0-or-later
/* The fields of a PMU's event codes are parsed from the kernel's format files, and can be set. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/format.h"
#include "kselftest_harness.h"

FIXTURE(format) {
	char dir[64];
	struct shim_pmu_format *format;
};

static void put(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (!text) {
		mkdir(path, 0700);
		return;
	}
	file = fopen(path, "w");
	fputs(text, file);
	fclose(file);
}

FIXTURE_SETUP(format)
{
	static const char *const folders[] = {
		"uncore", "uncore/format", "core_b", "core_b/format", "core_a", "core_a/format",
	};

	strcpy(self->dir, "/tmp/format-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		put(self->dir, folders[i], NULL);
	put(self->dir, "uncore/format/other", "config:0\n");
	put(self->dir, "core_b/cpus", "1\n");
	put(self->dir, "core_b/format/wrong", "config:0\n");
	put(self->dir, "core_a/cpus", "0\n");
	put(self->dir, "core_a/format/umask", "config:8-15\n");
	put(self->dir, "core_a/format/edge", "config:18\n");
	put(self->dir, "core_a/format/event", "config:0-7,32-35\n");
	put(self->dir, "core_a/format/all", "config2:0-63\n");
	put(self->dir, "core_a/format/long", "config1:0\n");
	put(self->dir, "core_a/format/bad1", "config3:0\n");
	put(self->dir, "core_a/format/bad2", "config:8-70\n");
	put(self->dir, "core_a/format/bad3", "config:9-8\n");
	put(self->dir, "core_a/format/bad4", "config:\n");
	put(self->dir, "core_a/format/bad5", "config:1,2,3,4,5\n");
	put(self->dir, "core_a/format/bad6", "config:1x\n");
	put(self->dir, "core_a/format/bad7", "");
	ASSERT_EQ(0, shim_pmu_format__open(self->dir, &self->format));
}

FIXTURE_TEARDOWN(format)
{
	char command[128];

	shim_pmu_format__close(self->format);
	snprintf(command, sizeof(command), "rm -r %s", self->dir);
	EXPECT_EQ(0, system(command));
}

TEST_F(format, those_that_make_sense_by_the_alphabet)
{
	static const char *const names[] = { "all", "edge", "event", "long", "umask", NULL };

	EXPECT_STREQ("core_a", shim_pmu_format__pmu(self->format));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		EXPECT_TRUE(!names[i] ? !shim_pmu_format__name(self->format, i) :
			    !strcmp(names[i], shim_pmu_format__name(self->format, i)));
}

TEST_F(format, takes_the_place_of_what_was_there)
{
	struct vcpc_request req = { .config = ~0ULL, .config1 = 6 };

	EXPECT_EQ(0, shim_pmu_format__set(self->format, "umask", 0x12, &req));
	EXPECT_EQ(0xffffffffffff12ffULL, req.config);
	EXPECT_EQ(0, shim_pmu_format__set(self->format, "event", 0xa5b, &req));
	EXPECT_EQ(0xfffffffaffff125bULL, req.config);
	EXPECT_EQ(0, shim_pmu_format__set(self->format, "edge", 0, &req));
	EXPECT_EQ(0xfffffffafffb125bULL, req.config);
	EXPECT_EQ(0, shim_pmu_format__set(self->format, "long", 1, &req));
	EXPECT_EQ(7, req.config1);
	EXPECT_EQ(0, shim_pmu_format__set(self->format, "all", 1ULL << 63 | 5, &req));
	EXPECT_EQ(1ULL << 63 | 5, req.config2);
}

TEST_F(format, what_does_not_fit)
{
	struct vcpc_request req = { .config = 7 };

	EXPECT_EQ(-ERANGE, shim_pmu_format__set(self->format, "umask", 0x100, &req));
	EXPECT_EQ(-ERANGE, shim_pmu_format__set(self->format, "event", 0x1000, &req));
	EXPECT_EQ(-ERANGE, shim_pmu_format__set(self->format, "edge", 2, &req));
	EXPECT_EQ(-ENOENT, shim_pmu_format__set(self->format, "bad1", 0, &req));
	EXPECT_EQ(-ENOENT, shim_pmu_format__set(self->format, "", 0, &req));
	EXPECT_EQ(7, req.config);
}

TEST_F(format, no_pmu)
{
	struct shim_pmu_format *none;

	ASSERT_EQ(0, shim_pmu_format__open("/no/such/folder", &none));
	EXPECT_EQ(NULL, shim_pmu_format__pmu(none));
	EXPECT_EQ(NULL, shim_pmu_format__name(none, 0));
	shim_pmu_format__close(none);
}

/* A PMU whose fields cannot be read must not be treated as if it had no fields. */
TEST_F(format, fields_that_cannot_be_read)
{
	struct shim_pmu_format *format = NULL;
	char path[128], parked[128];

	snprintf(path, sizeof(path), "%s/core_a/format", self->dir);
	snprintf(parked, sizeof(parked), "%s/parked", self->dir);
	ASSERT_EQ(0, rename(path, parked));
	ASSERT_EQ(0, symlink("format", path));
	EXPECT_EQ(-ELOOP, shim_pmu_format__open(self->dir, &format));
	ASSERT_EQ(0, unlink(path));
	ASSERT_EQ(0, rename(parked, path));
}

/* A field that cannot be read would be missing among the names. */
TEST_F(format, unreadable_field)
{
	struct shim_pmu_format *format;

	put(self->dir, "core_a/format/folder", NULL);
	EXPECT_EQ(-EISDIR, shim_pmu_format__open(self->dir, &format));
}

TEST_HARNESS_MAIN
