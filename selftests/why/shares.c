// SPDX-License-Identifier: GPL-2.0-or-later
/* A user with very many tags uses only a share of the table of 'vcpc why'; others still get rows. */
#include <sys/stat.h>

#include "../../bpf/why.h"
#include "why_test.h"

#define USER	1001
#define OTHER	1002
#define MANY	(VC_WHY_TAGS + 76)

/* As a user, perform a transaction of each of @n tags.  Return 0 on success. */
static int transactions_of(uid_t uid, int n)
{
	int status, bad;
	char name[32];
	pid_t pid = fork();

	if (!pid) {
		bad = setuid(uid);
		for (int i = 0; i < n && !bad; i++) {
			snprintf(name, sizeof(name), "%d of %d", i, uid);
			bad = pmtracebegin(name) || pmtraceend(name);
		}
		_exit(bad);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

TEST_F(parts, tags_of_others)
{
	UNLESS_MISSING();
	/* Permit users to open the module's device; other tests reserve it for root. */
	(void)!chmod("/dev/vcpc", 0666);
	ASSERT_EQ(0, transactions_of(USER, MANY));
	ASSERT_EQ(0, transactions_of(OTHER, 1));
	(void)!chmod("/dev/vcpc", 0600);
	ASSERT_EQ(0, transactions_of(0, 1));
	EXPECT_EQ(1, parts_of(self->why, "0 of 1001", NULL).count);
	EXPECT_EQ(1, parts_of(self->why, "0 of 1002", NULL).count);
	EXPECT_EQ(1, parts_of(self->why, "0 of 0", NULL).count);
	ASSERT_EQ(0, shim_why_drops_get(self->why, &self->drops));
	/* On more than five CPUs, the table has fewer rows than VC_WHY_TAGS. */
	EXPECT_LE(MANY - VC_WHY_TAGS / 2, self->drops.tags);
	EXPECT_GT(MANY, self->drops.tags);
}

TEST_HARNESS_MAIN
