// SPDX-License-Identifier: GPL-2.0-or-later
/* The number of tags is limited for each user, for all users together, and for root. */
#include <sys/prctl.h>

#include "attack.h"
#include "trace_calls.h"
#include "vcpc_test.h"

#define MAX_USER_TAGS	PARAMETERS "max_user_tags"
#define MAX_IDLE_TAGS	PARAMETERS "max_idle_tags"

FIXTURE(limits) {
	unsigned int max_user_tags, max_idle_tags;
};

FIXTURE_SETUP(limits)
{
	self->max_user_tags = get_number(MAX_USER_TAGS);
	self->max_idle_tags = get_number(MAX_IDLE_TAGS);
}

FIXTURE_TEARDOWN(limits)
{
	put_number(MAX_USER_TAGS, self->max_user_tags);
	put_number(MAX_IDLE_TAGS, self->max_idle_tags);
}

/* User 0 without capabilities */
#define POWERLESS	((uid_t)-1)

static int become(uid_t uid)
{
	if (uid == POWERLESS)
		return have_only(0);
	if (setgroups(0, NULL) || setresgid(uid, uid, uid))
		return -errno;
	return setresuid(uid, uid, uid) ? -errno : 0;
}

/* A process of a user that creates as many tags as permitted, and keeps them until it is killed */
struct taker {
	pid_t pid;
	int taken, error;
};

static void take_all(uid_t uid, int report)
{
	int result[2] = { 0, 0 };
	int device = become(uid) ? -1 : device_open();
	char name[32];

	for (;;) {
		snprintf(name, sizeof(name), "vcpc-taken-%d", result[0]);
		result[1] = tag_handle(device, name);
		if (result[1] < 0 || result[0] > 10000)
			break;
		result[0]++;
	}
	if (write(report, result, sizeof(result)) != sizeof(result))
		_exit(1);
	pause();
}

static int start_taker(struct taker *taker, uid_t uid)
{
	int report[2], result[2], ret;

	if (pipe(report))
		return -1;
	taker->pid = fork();
	if (!taker->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		take_all(uid, report[1]);
		_exit(0);
	}
	close(report[1]);
	ret = read(report[0], result, sizeof(result)) == sizeof(result) ? 0 : -1;
	close(report[0]);
	taker->taken = result[0];
	taker->error = result[1];
	return ret;
}

static void stop_taker(const struct taker *taker)
{
	kill(taker->pid, SIGKILL);
	waitpid(taker->pid, NULL, 0);
}

/*
 * If two users create as many tags as permitted, root and the two users can still create their own.
 */
TEST_F(limits, two_users_fill_root_still_can)
{
	int device = device_open();
	struct taker takers[2];
	char name[32];
	int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, start_taker(&takers[i], 1001 + i));
		EXPECT_EQ(-EUSERS, takers[i].error);
		EXPECT_EQ(self->max_user_tags, takers[i].taken);
	}
	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "vcpc-root-%d", i);
		ASSERT_GT(tag_handle(device, name), 0);
	}
	for (i = 0; i < 2; i++)
		stop_taker(&takers[i]);
	close(device);
}

/* User 0 without capabilities does not have root's limits, and does not reduce them. */
TEST_F(limits, user_0_without_capabilities_is_not_root)
{
	int device = device_open();
	struct taker taker;
	char name[32];

	put_number(MAX_USER_TAGS, 30);
	ASSERT_EQ(0, start_taker(&taker, POWERLESS));
	EXPECT_EQ(-EUSERS, taker.error);
	EXPECT_EQ(30, taker.taken);
	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "vcpc-power-%d", i);
		ASSERT_GT(tag_handle(device, name), 0);
	}
	EXPECT_EQ(-EUSERS, tag_handle(device, "vcpc-one-more"));
	/* The user can still look up its existing tags. */
	EXPECT_GT(tag_handle(device, "vcpc-power-3"), 0);
	stop_taker(&taker);
	close(device);
}

/* The number of idle tags is limited for all users together. */
TEST_F(limits, idle_ones_of_all_users_are_bounded)
{
	__u64 first, last;
	char name[32];
	int device;

	put_number(MAX_IDLE_TAGS, 10);
	device = device_open();
	first = tag_id(device, "vcpc-idle-0");
	for (int i = 1; i < 12; i++) {
		snprintf(name, sizeof(name), "vcpc-idle-%d", i);
		last = tag_id(device, name);
		ASSERT_NE(0, last);
	}
	close(device);
	device = device_open();
	EXPECT_EQ(last, tag_id(device, "vcpc-idle-11"));
	EXPECT_LT(last, tag_id(device, "vcpc-idle-0"));
	EXPECT_LT(first, last);
	close(device);
}

/* If a user is at the limit, a new tag replaces the user's own oldest idle tag. */
static int own_idle_ones_go(void *arg)
{
	int device, other;
	__u64 kept, idle;

	(void)arg;
	if (become(1003))
		return 1;
	device = device_open();
	other = device_open();
	kept = tag_id(device, "vcpc-kept");
	idle = tag_id(other, "vcpc-idle");
	close(other);
	if (!kept || !idle)
		return 2;
	if (tag_id(device, "vcpc-new") <= idle)
		return 3;
	if (tag_handle(device, "vcpc-newer") != -EUSERS)
		return 4;
	if (tag_handle(device, "vcpc-idle") != -EUSERS)
		return 5;
	if (tag_id(device, "vcpc-kept") != kept)
		return 6;
	close(device);
	device = device_open();
	/* The tag was removed, so the name gets a new ID. */
	return tag_id(device, "vcpc-idle") > idle ? 0 : 7;
}

TEST_F(limits, share)
{
	struct vcpc_info_args info = { .size = sizeof(info) };
	int device = device_open();

	put_number(MAX_USER_TAGS, 2);
	ASSERT_EQ(0, call(device, VCPC_IOC_INFO, &info));
	EXPECT_EQ(2, info.max_tags);
	EXPECT_EQ(0, in_child(own_idle_ones_go, NULL));
	EXPECT_EQ(0, in_child(own_idle_ones_go, NULL));
	close(device);
}

/* Create new tags repeatedly, which must not use up the IDs. */
static int makes_ever_new(void *arg)
{
	__u64 last = 0, id;
	char name[32];
	int i;

	(void)arg;
	if (become(1004))
		return 1;
	for (i = 0; i < 5000; i++) {
		int device = device_open();

		snprintf(name, sizeof(name), "vcpc-ever-%d", i);
		id = tag_id(device, name);
		if (id <= last)
			return 2;
		last = id;
		close(device);
	}
	return 0;
}

TEST_F(limits, ids_grow)
{
	EXPECT_EQ(0, in_child(makes_ever_new, NULL));
}

TEST_HARNESS_MAIN
