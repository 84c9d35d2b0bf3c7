// SPDX-License-Identifier: GPL-2.0-or-later
/* Packed files that expand enormously use limited memory, and repeated data is kept once. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <shim/archive.h>

#include <kselftest_harness.h>

#include "fail/shared/sample.h"

#define SWOLLEN	(16u << 20)
#define RATIO_BYTES	(200u << 20)
#ifdef __SANITIZE_ADDRESS__
#define MORE	200	/* additional MiB that the sanitizer needs */
#else
#define MORE	0
#endif

FIXTURE(swell) {
	char dir[64];
};

static uint32_t word_at(const uint8_t *p)
{
	uint32_t word;

	memcpy(&word, p, sizeof(word));
	return ntohl(word);
}

/* Find the first record of an instance domain in a metadata file, and set @len to its length. */
static const uint8_t *domain_record(const uint8_t *data, size_t size, uint32_t *len)
{
	size_t at = word_at(data);

	while (at + 8 < size) {
		uint32_t type = word_at(data + at + 4);

		*len = word_at(data + at);
		if (type == 2 || type == 5)
			return data + at;
		at += *len;
	}
	return NULL;
}

/* Append the record to the file until the file has the given size. */
static int repeat_record(const char *path, size_t size)
{
	FILE *f = fopen(path, "r+");
	static uint8_t data[1 << 16];
	const uint8_t *record;
	uint32_t len;
	size_t n;

	if (!f)
		return -1;
	n = fread(data, 1, sizeof(data), f);
	record = domain_record(data, n, &len);
	for (; record && n < size; n += len)
		fwrite(record, 1, len, f);
	return fclose(f) || !record ? -1 : 0;
}

/*
 * Open the archive in a process with this SHIM_ARCHIVE_MEMORY.  Return the error, and set @mib to
 * the process's peak memory use.
 */
static int open_within(const char *limit, long *mib)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (!pid) {
		int context, *inst = NULL, err;
		char **names = NULL;

		if (limit)
			setenv("SHIM_ARCHIVE_MEMORY", limit, 1);
		else
			unsetenv("SHIM_ARCHIVE_MEMORY");
		context = pmNewContext(PM_CONTEXT_ARCHIVE, "a");
		err = context < 0 ? context : pmGetInDomArchive(SAMPLE_INDOM, &inst, &names);
		_exit(err < 0 ? -err & 127 : err == 3 ? 0 : 126);
	}
	wait4(pid, &status, 0, &usage);
	*mib = usage.ru_maxrss >> 10;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void put_problem(void *arg, const char *file, uint64_t offset, const char *text)
{
	(void)arg;
	printf("# %s: %llu: %s\n", file, (unsigned long long)offset, text);
}

/* Check the archive in a process with this SHIM_ARCHIVE_MEMORY.  Return the error, or 0. */
static int check_within(const char *limit)
{
	const struct shim_archive_watch watch = { .size = sizeof(watch), .problem = put_problem };
	int status;
	pid_t pid = fork();

	if (!pid) {
		int n;

		setenv("SHIM_ARCHIVE_MEMORY", limit, 1);
		n = shim_archive_check("a", &watch);
		_exit(n < 0 ? -n & 127 : n ? 126 : 0);
	}
	wait4(pid, &status, 0, NULL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

FIXTURE_SETUP(swell)
{
	setenv("PCP_DERIVED_CONFIG", "", 1);
	strcpy(self->dir, "/tmp/swell.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, chdir(self->dir));
	sample_make("a", 0, 4, 4);
	ASSERT_EQ(0, repeat_record("a.meta", SWOLLEN));
}

FIXTURE_TEARDOWN(swell)
{
	char command[100];

	sprintf(command, "rm -rf %s", self->dir);
	ASSERT_EQ(0, chdir("/") || system(command));
}

TEST_F(swell, what_repeats_is_kept_once)
{
	long mib;

	EXPECT_EQ(0, open_within("1G", &mib));
	EXPECT_LT(mib, (SWOLLEN >> 20) + 32 + MORE) TH_LOG("%ld MiB", mib);
}

TEST_F(swell, each_format_is_limited)
{
	static const char *const packers[] = { "true", "gzip", "bzip2", "xz -0", "zstd -q --rm" };

	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++) {
		char command[200];
		long mib;

		sprintf(command, "cp a.meta kept; %s a.meta", packers[i]);
		if (system(command))
			TH_LOG("no %s", packers[i]);
		EXPECT_EQ(EFBIG, open_within("8M", &mib)) TH_LOG("%s", packers[i]);
		EXPECT_LT(mib, 32 + MORE) TH_LOG("%s: %ld MiB", packers[i], mib);
		/* Exceeding the limit is not reported as damage. */
		EXPECT_EQ(EFBIG, check_within("8M")) TH_LOG("%s", packers[i]);
		ASSERT_EQ(0, system("rm -f a.meta.*; mv kept a.meta"));
	}
}

/* Without SHIM_ARCHIVE_MEMORY, files that expand more than any genuine file are rejected. */
TEST_F(swell, the_variable_allows_any_ratio)
{
	long mib;

	ASSERT_EQ(0, system("rm -f a.*"));
	sample_make("a", 0, 4, 4);
	ASSERT_EQ(0, repeat_record("a.meta", RATIO_BYTES) || system("xz -0 a.meta"));
	EXPECT_EQ(EFBIG, open_within(NULL, &mib));
	EXPECT_EQ(0, open_within("2G", &mib));
}

/* The limit applies to the file together with the data kept from it. */
TEST_F(swell, the_limit_is_what_it_says)
{
	long mib;

	EXPECT_EQ(0, open_within("24M", &mib));
	EXPECT_EQ(EFBIG, open_within("15M", &mib));
	EXPECT_EQ(0, open_within("no number", &mib));
}

TEST_HARNESS_MAIN
