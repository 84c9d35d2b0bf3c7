// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If a directory is read once for all its archives, the same files are found as if it is read for
 * each archive.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/files.h"
#include "kselftest_harness.h"

FIXTURE(folder) {
	char dir[64];
	char path[128];
	struct shim_folder folder;
};

FIXTURE_SETUP(folder)
{
	strcpy(self->dir, "/tmp/archive_folder.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
}

FIXTURE_TEARDOWN(folder)
{
	char command[128];

	shim_folder__free(&self->folder);
	snprintf(command, sizeof(command), "rm -rf '%s'", self->dir);
	EXPECT_EQ(0, system(command));
}

static const char *in_dir(FIXTURE_DATA(folder) *self, const char *name)
{
	snprintf(self->path, sizeof(self->path), "%s/%s", self->dir, name);
	return self->path;
}

static bool make(FIXTURE_DATA(folder) *self, const char *name)
{
	int fd = open(in_dir(self, name), O_CREAT | O_WRONLY, 0644);

	return fd >= 0 && !close(fd);
}

/* Some names are prefixes of others, and sort before or after the dot. */
TEST_F(folder, has_the_same_files)
{
	static const char *const files[] = {
		"a.0", "a.meta", "a.index", "a.10.xz", "a.2", "a.2.xz", "a-1.0", "a-1.meta", "a.b.meta",
		"a.b.0", "a.b.index.gz", "ab.meta", "a", "a.", "a.x", "a.00", "b.meta.zst", "b.3",
		"\377.meta",
	};
	static const char *const names[] = {
		"a", "a-1", "a.b", "ab", "b", "\377", "b.3", "a.2", "A", "aa", "zz", ".", "",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		ASSERT_TRUE(make(self, files[i]));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct shim_files one = { 0 }, other = { 0 };
		int err = shim_files__find(in_dir(self, names[i]), NULL, &one);

		EXPECT_EQ(err, shim_files__find(self->path, &self->folder, &other));
		EXPECT_EQ(one.meta, other.meta);
		EXPECT_EQ(one.index, other.index);
		ASSERT_EQ(one.nvolumes, other.nvolumes) {
			TH_LOG("%s", names[i]);
		}
		for (size_t v = 0; v < one.nvolumes; v++)
			EXPECT_EQ(one.volumes[v], other.volumes[v]);
		EXPECT_EQ(!one.base, !other.base);
		shim_files__free(&one);
		shim_files__free(&other);
	}
}

/*
 * The directory is scanned only once for all its archives, so files created after the scan are not
 * found.
 */
TEST_F(folder, is_read_once)
{
	struct shim_files files;

	ASSERT_TRUE(make(self, "a.meta"));
	ASSERT_EQ(0, shim_files__find(in_dir(self, "a"), &self->folder, &files));
	shim_files__free(&files);
	ASSERT_TRUE(make(self, "b.meta"));
	EXPECT_EQ(-ENOENT, shim_files__find(in_dir(self, "b"), &self->folder, &files));
	EXPECT_EQ(0, shim_files__find(in_dir(self, "b"), NULL, &files));
	shim_files__free(&files);
}

TEST_F(folder, is_another_one)
{
	struct shim_files files;

	ASSERT_TRUE(make(self, "a.meta"));
	EXPECT_EQ(-ENOENT, shim_files__find("/proc/a", &self->folder, &files));
	ASSERT_EQ(0, shim_files__find(in_dir(self, "a"), &self->folder, &files));
	shim_files__free(&files);
	EXPECT_EQ(-ENOENT, shim_files__find("/nowhere/a", &self->folder, &files));
	EXPECT_EQ(NULL, self->folder.path);
	EXPECT_EQ(-ENOTDIR, shim_files__find("/dev/null/a", &self->folder, &files));
	ASSERT_EQ(0, shim_files__find(in_dir(self, "a"), &self->folder, &files));
	shim_files__free(&files);
}

TEST_HARNESS_MAIN
