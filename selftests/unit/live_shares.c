// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When there is no room for everything, the user with the largest share loses an item.  A process that
 * cannot be read has not ended.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "live/proc.h"

/*
 * The user with the largest share loses an item if this share exceeds what the requester would then
 * have.  The lost item is the user's largest one or, among equally large ones, the latest.
 */
TEST(who_has_most)
{
	const struct shim_share all[] = {
		{ 0, 1, 10 }, { 1001, 2, 20 }, { 1001, 3, 30 }, { 1001, 3, 50 }, { 1001, 3, 40 }, { 7, 4, 1 },
	};

	EXPECT_EQ(11, shim_shares__of(all, 6, 1001));
	EXPECT_EQ(0, shim_shares__of(all, 6, 8));
	EXPECT_EQ(3, shim_shares__victim(all, 6, 0, 1));
	EXPECT_EQ(3, shim_shares__victim(all, 6, 0, 9));
	EXPECT_EQ(-1, shim_shares__victim(all, 6, 0, 10));
	EXPECT_EQ(-1, shim_shares__victim(all, 6, 1001, 0));
	EXPECT_EQ(1, shim_shares__victim(&all[4], 2, 1001, 0));
	EXPECT_EQ(-1, shim_shares__victim(all, 0, 0, 1));
}

/* Users that repeat their requests end up with equal shares, after which no user loses anything. */
TEST(ends_with_equal_shares)
{
	enum { ROOM = 90, USERS = 4 };
	struct shim_share all[ROOM];
	unsigned int went = 0;

	for (int i = 0; i < ROOM; i++)
		all[i] = (struct shim_share) { 0, 1, i };
	for (int round = 0; round < 10 * ROOM; round++) {
		long victim = shim_shares__victim(all, ROOM, round % USERS, 1);

		if (victim < 0)
			continue;
		all[victim] = (struct shim_share) { round % USERS, 1, ROOM + round };
		went = round;
	}
	for (uid_t user = 0; user < USERS; user++) {
		EXPECT_LE(ROOM / USERS, shim_shares__of(all, ROOM, user));
		EXPECT_GE(ROOM / USERS + 1, shim_shares__of(all, ROOM, user));
	}
	EXPECT_GT(5 * ROOM, went);
}

static bool unreadable;

ssize_t __real_read(int fd, void *data, size_t size);
ssize_t __wrap_read(int fd, void *data, size_t size);

ssize_t __wrap_read(int fd, void *data, size_t size)
{
	if (!unreadable)
		return __real_read(fd, data, size);
	errno = EIO;
	return -1;
}

TEST(unreadable_process)
{
	struct shim_proc proc = { 0 };
	uid_t user;

	EXPECT_EQ(0, shim_proc__read(getpid(), &proc));
	unreadable = true;
	EXPECT_EQ(-EIO, shim_proc__read(getpid(), &proc));
	EXPECT_EQ(-EIO, shim_proc__user(getpid(), &user));
}

TEST_HARNESS_MAIN
