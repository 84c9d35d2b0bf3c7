// SPDX-License-Identifier: GPL-2.0-or-later
/* Only root can read vcpc/stats and vcpc/users in debugfs. */
#include <sys/mount.h>
#include <sys/stat.h>

#include "accounts.h"
#include "overflow.h"
#include "vcpc_test.h"

#define FOLDER	"/sys/kernel/debug"

FIXTURE(debugfs)
{
};

FIXTURE_SETUP(debugfs)
{
	if (access(FOLDER "/vcpc", F_OK))
		ASSERT_EQ(0, mount("debugfs", FOLDER, "debugfs", 0, NULL));
}

FIXTURE_TEARDOWN(debugfs)
{
}

TEST_F(debugfs, what_each_user_has)
{
	struct vcpc_request requests[] = { page_faults, page_faults };
	struct account before = account_of(0), now;
	int one, other;

	one = overflow_set(requests, 2, 0, 0);
	other = overflow_set(requests, 1, 0, 0);
	ASSERT_LE(0, one);
	ASSERT_LE(0, other);
	now = account_of(0);
	EXPECT_EQ(before.sets + 2, now.sets);
	EXPECT_EQ(before.counters, now.counters);
	ASSERT_EQ(0, set_bind(one, 0));
	EXPECT_LE(before.counters + 2, account_of(0).counters);
	close(one);
	close(other);
	now = account_of(0);
	EXPECT_EQ(before.sets, now.sets);
	EXPECT_EQ(before.counters, now.counters);
	EXPECT_EQ(0, account_of(4000000000u).sets);
}

/* Return a number from the file "stats", or ~0 if it is missing. */
static unsigned long stat_of(const char *name)
{
	FILE *f = fopen(FOLDER "/vcpc/stats", "re");
	unsigned long value = ~0UL, read;
	char word[64];

	while (f && fscanf(f, "%63s %lu", word, &read) == 2)
		if (!strcmp(word, name))
			value = read;
	if (f)
		fclose(f);
	return value;
}

static void set_limit(const char *value)
{
	FILE *f = fopen("/sys/module/vcpc/parameters/max_thread_counters", "we");

	if (!f || fputs(value, f) < 0 || fclose(f))
		abort();
}

static int is_refused(void *arg)
{
	if (become_nobody())
		return 1;
	return set_bind(*(int *)arg, 0) == -EUSERS ? 0 : 2;
}

TEST_F(debugfs, what_was_refused)
{
	unsigned long before = stat_of("refused_by_limit");
	int set = set_of(&page_faults, 0);

	ASSERT_NE(~0UL, before);
	set_limit("0");
	EXPECT_EQ(0, in_child(is_refused, &set));
	set_limit("32");
	/* The limit is checked again after ended instances were freed, so it can count twice. */
	EXPECT_LT(before, stat_of("refused_by_limit"));
	close(set);
}

static int peeps(void *arg)
{
	(void)arg;
	if (become_nobody())
		return 2;
	if (open(FOLDER "/vcpc/users", O_RDONLY) >= 0 || errno != EACCES)
		return 1;
	return open(FOLDER "/vcpc/stats", O_RDONLY) < 0 && errno == EACCES ? 0 : 1;
}

TEST_F(debugfs, nobody_else)
{
	static const char *const files[] = { FOLDER "/vcpc/stats", FOLDER "/vcpc/users" };
	struct stat st;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, stat(files[i], &st));
		EXPECT_EQ(0, st.st_mode & 0277);
		EXPECT_EQ(0, st.st_uid);
	}
	EXPECT_EQ(0, in_child(peeps, NULL));
}

TEST_HARNESS_MAIN
