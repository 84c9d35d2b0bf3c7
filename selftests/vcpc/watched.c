// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A user who watches the device through inotify receives no events about other users.  Each event
 * would also delay them: with 128 watches, a write took 170 times as long.
 */
#include <sys/inotify.h>
#include <sys/stat.h>

#include "trace_calls.h"
#include "vcpc_test.h"

/* In a child, as another user, watch the device and its directory.  The descriptor is shared with the parent. */
static int watch(void *arg)
{
	const char *paths[] = { "/dev/vcpc", "/dev" };
	int events = *(int *)arg;

	if (become_nobody())
		return 1;
	for (int i = 0; i < 2; i++)
		if (inotify_add_watch(events, paths[i], IN_OPEN | IN_MODIFY | IN_ACCESS | IN_CLOSE) < 0)
			return 2;
	return 0;
}

static int has_event(int events)
{
	char room[4096];

	return read(events, room, sizeof(room)) > 0;
}

TEST(a_watched_device)
{
	int events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), device, handle, null;
	struct stat stat_before;

	ASSERT_LE(0, events);
	ASSERT_EQ(0, stat("/dev/vcpc", &stat_before));
	ASSERT_EQ(0, chmod("/dev/vcpc", 0666));
	EXPECT_EQ(0, in_child(watch, &events));
	EXPECT_EQ(0, chmod("/dev/vcpc", stat_before.st_mode & 0777));
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	EXPECT_EQ(1, has_event(events));

	device = device_open();
	ASSERT_LE(0, device);
	EXPECT_EQ(0, has_event(events));
	handle = tag_handle(device, "watched");
	EXPECT_LT(0, handle);
	EXPECT_EQ(0, fire(device, VCPC_TRACE_BEGIN, handle, 0));
	EXPECT_EQ(0, fire(device, VCPC_TRACE_END, handle, 0));
	EXPECT_EQ(0, has_event(events));
	close(device);
	EXPECT_EQ(0, has_event(events));
	close(null);
	close(events);
}

TEST_HARNESS_MAIN
