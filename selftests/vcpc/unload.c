// SPDX-License-Identifier: GPL-2.0-or-later
/* The module cannot be unloaded while a descriptor is open.  Unloading it frees everything. */
#include <pthread.h>
#include <sys/stat.h>

#include "overflow.h"
#include "vcpc_test.h"

static int unload(void)
{
	return syscall(SYS_delete_module, "vcpc", O_NONBLOCK) ? -errno : 0;
}

static bool is_module(void)
{
	return access("/sys/module/vcpc/initstate", F_OK) == 0;
}

TEST(refused_while_the_device_is_open)
{
	int device = device_open();

	if (!is_module())
		SKIP(return, "vcpc is built into the kernel");
	ASSERT_GE(device, 0);
	EXPECT_EQ(-EWOULDBLOCK, unload());
	EXPECT_EQ(0, access("/dev/vcpc", R_OK | W_OK));
	close(device);
}

TEST(refused_while_a_set_is_open)
{
	int set = set_of(&page_faults, 0);

	if (!is_module())
		SKIP(return, "vcpc is built into the kernel");
	ASSERT_GE(set, 0);
	EXPECT_EQ(-EWOULDBLOCK, unload());
	ASSERT_EQ(0, set_bind(set, 0));
	EXPECT_EQ(-EWOULDBLOCK, unload());
	EXPECT_NE(~0ULL, first_value(set, 0));
	close(set);
}

/* Unload the module.  Retry, because a process that was just killed may still have files open. */
static int unload_in_the_end(void)
{
	int tries, ret = 0;

	for (tries = 0; tries < 600; tries++) {
		ret = unload();
		if (ret != -EWOULDBLOCK)
			break;
		usleep(100000);
	}
	return ret;
}

static int load(void)
{
	int file = open("/vcpc.ko", O_RDONLY | O_CLOEXEC);
	int ret = file < 0 || syscall(SYS_finit_module, file, "", 0) ? -errno : 0;

	/* Tests that run later also open the new node as other users. */
	if (!ret && chmod("/dev/vcpc", 0666))
		ret = -errno;

	close(file);
	return ret;
}

/* Return whether the file exists and contains a line with the module's name. */
static bool is_named_in(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[1024];
	bool named = false;

	while (f && !named && fgets(line, sizeof(line), f))
		named = strstr(line, "vcpc");
	if (f)
		fclose(f);
	return named;
}

/*
 * If there are hardware counters, use overflows, for which the module opens an event that reports
 * context switches.
 */
static int use_overflow(void)
{
	struct vcpc_request req = overflowing(&cycles, 1ULL << 40);
	int set, ret;

	if (!hw_slots())
		return 0;
	set = overflow_set(&req, 1, 0, 0);
	ret = set < 0 ? set : set_bind(set, 0);
	close(set);
	return ret;
}

static void *ends(void *arg)
{
	return arg;
}

/* Use an inherited set, for which the kernel reports new threads to the module. */
static int use_it(void)
{
	int set = set_of(&page_faults, 0), ret = set_bind(set, VCPC_BIND_F_INHERIT);
	pthread_t thread;

	if (!ret && (pthread_create(&thread, NULL, ends, NULL) || pthread_join(thread, NULL)))
		ret = -ECHILD;
	if (!ret && first_total(set) == ~0ULL)
		ret = -EIO;
	close(set);
	return ret ?: use_overflow();
}

/*
 * Return the name of a list in which the module has left something, or "" if there is none.  A
 * debug kernel also lists the locks of existing work queues.
 */
static const char *left_behind(void)
{
	static const char *const lists[] = {
		"/proc/lockdep", "/proc/devices", "/proc/misc", "/proc/interrupts",
		"/sys/devices/system/cpu/hotplug/states", "/sys/kernel/tracing/available_events",
	};
	static const char *const files[] = {
		"/dev/vcpc", "/sys/kernel/debug/vcpc", "/sys/kernel/tracing/events/vcpc",
		"/sys/module/vcpc",
	};
	unsigned int i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (is_named_in(lists[i]))
			return lists[i];
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!access(files[i], F_OK))
			return files[i];
	return "";
}

TEST(leaves_nothing_behind)
{
	if (!is_module() || access("/vcpc.ko", R_OK))
		SKIP(return, "vcpc is built into the kernel, or its file is not in the guest");
	ASSERT_EQ(0, use_it());
	ASSERT_STRNE("", left_behind());
	ASSERT_EQ(0, unload_in_the_end());
	EXPECT_STREQ("", left_behind());
	ASSERT_EQ(0, load());
	EXPECT_EQ(0, use_it());
}

TEST_HARNESS_MAIN
