// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Count a control group: by name, while its processes run, while it is idle, and while a CPU goes
 * offline.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <mntent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/shim.h"
#include "known_work.h"
#include "kselftest_harness.h"

#define PAGES	500
#define ROUNDS	100
#define ONLINE	"/sys/devices/system/cpu/cpu1/online"

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;

	close(fd);
	return ret;
}

static int enter(const char *group)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	return put(path, "0");
}

static int use_cpu(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus);
}

/*
 * Start a process in @group that touches @pages pages on a CPU in each of @rounds rounds.  The
 * group is idle between the rounds.
 */
static pid_t start(const char *group, int cpu, int pages, int rounds)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (enter(group) || use_cpu(cpu))
		_exit(1);
	for (int i = 0; i < rounds; i++) {
		if (rounds > 1)
			usleep(3000);
		touch(pages / rounds);
	}
	_exit(0);
}

static int touch_in(const char *group, int cpu)
{
	pid_t pid = start(group, cpu, PAGES, 1);
	int status;

	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/*
 * Unmount all instances of control groups v2 in this mount namespace, because a host can have
 * several.
 */
static void unmount_all(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "r");
	struct mntent *m;

	while (mounts && (m = getmntent(mounts)))
		if (!strcmp(m->mnt_type, "cgroup2"))
			umount2(m->mnt_dir, MNT_DETACH);
	if (mounts)
		endmntent(mounts);
}

FIXTURE(control_group) {
	char root[32], controllers[64], inside[64], outside[64];
	struct shim_handle *handle;
	struct shim_set *set;
	struct shim_sample sample;
	int missing;
};

FIXTURE_SETUP(control_group)
{
	const char *event = "page-faults:u";

	self->missing = unshare(CLONE_NEWNS);
	if (self->missing)
		return;
	ASSERT_EQ(0, mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
	strcpy(self->root, "/tmp/cgroup.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->root));
	unmount_all();
	ASSERT_EQ(0, mount("none", self->root, "cgroup2", 0, NULL));
	/*
	 * The kernel can count a new group only after the controllers of its parent have been
	 * changed once.  This write fails if control groups v1 have the controller, but in that
	 * case another process has already changed controllers.
	 */
	snprintf(self->controllers, sizeof(self->controllers), "%s/cgroup.subtree_control", self->root);
	put(self->controllers, "+pids");
	snprintf(self->inside, sizeof(self->inside), "%s/inside", self->root);
	snprintf(self->outside, sizeof(self->outside), "%s/outside", self->root);
	ASSERT_EQ(0, mkdir(self->inside, 0755) | mkdir(self->outside, 0755));
	ASSERT_EQ(0, shim_open(&self->handle));
	ASSERT_EQ(0, shim_set_create(self->handle, &event, 1, NULL, &self->set));
}

FIXTURE_TEARDOWN(control_group)
{
	if (self->missing)
		return;
	shim_set_destroy(self->set);
	shim_close(self->handle);
	EXPECT_EQ(0, rmdir(self->inside) | rmdir(self->outside));
	put(self->controllers, "-pids");
	umount2(self->root, MNT_DETACH);
	rmdir(self->root);
}

#define UNLESS_MISSING() \
	do { if (self->missing) SKIP(return, "only root can mount control groups"); } while (0)

TEST_F(control_group, names)
{
	char longer[64];

	UNLESS_MISSING();
	EXPECT_EQ(-ENOENT, shim_set_cgroup(self->set, "none"));
	EXPECT_EQ(-ENOENT, shim_set_cgroup(self->set, "inside/cgroup.procs"));
	EXPECT_EQ(-ENOENT, shim_set_cgroup(self->set, "../../tmp"));
	snprintf(longer, sizeof(longer), "%s2", self->root);
	EXPECT_EQ(-ENOENT, shim_set_cgroup(self->set, longer));
	EXPECT_EQ(0, shim_set_cgroup(self->set, self->inside));
	EXPECT_EQ(-EBUSY, shim_set_cgroup(self->set, "outside"));
}

TEST_F(control_group, not_mounted)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, umount2(self->root, MNT_DETACH));
	EXPECT_EQ(-ENODEV, shim_set_cgroup(self->set, "inside"));
	ASSERT_EQ(0, mount("none", self->root, "cgroup2", 0, NULL));
}

TEST_F(control_group, targets)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, shim_set_cgroup(self->set, "/inside"));
	EXPECT_EQ(-EINVAL, shim_set_bind(self->set, 0, 0));
	EXPECT_EQ(-EINVAL, shim_set_bind(self->set, getpid(), SHIM_BIND_TREE));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_CPU));
	EXPECT_EQ(-EBUSY, shim_set_bind(self->set, 0, SHIM_BIND_CPU));
}

TEST_F(control_group, too_late)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_CPU));
	EXPECT_EQ(-EBUSY, shim_set_cgroup(self->set, "inside"));
}

TEST_F(control_group, counts)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, shim_set_cgroup(self->set, "inside"));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_CPU));
	ASSERT_EQ(0, touch_in(self->outside, 0));
	ASSERT_EQ(0, shim_set_total(self->set, 0, &self->sample));
	EXPECT_EQ(0, self->sample.values[0]);
	ASSERT_EQ(0, touch_in(self->inside, 0));
	ASSERT_EQ(0, touch_in(self->outside, 0));
	ASSERT_EQ(0, shim_set_total(self->set, 0, &self->sample));
	EXPECT_LE(PAGES, self->sample.values[0]);
	EXPECT_GT(PAGES + 200, self->sample.values[0]);
}

/*
 * Return the sum of the IDs of this process's perf events.  The sum changes if an event is opened
 * again.
 */
static uint64_t sum_of_ids(void)
{
	uint64_t id, sum = 0;

	for (int fd = 0; fd < getdtablesize() && fd < 65536; fd++)
		sum += ioctl(fd, PERF_EVENT_IOC_ID, &id) ? 0 : id;
	return sum;
}

/*
 * While the group is idle, the time of its events lags behind the clock, as if the CPU were
 * offline.  The events must stay open, because counts between closing and opening them would be
 * lost.
 */
TEST_F(control_group, sampled_while_it_idles)
{
	unsigned long samples = 0;
	uint64_t ids;
	int status;
	pid_t pid;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_set_cgroup(self->set, "inside"));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_CPU));
	ids = sum_of_ids();
	ASSERT_NE(0, ids);
	usleep(50000);
	ASSERT_EQ(0, shim_set_total(self->set, 0, &self->sample));
	EXPECT_EQ(ids, sum_of_ids());
	pid = start(self->inside, 0, PAGES * ROUNDS, ROUNDS);
	for (; !waitpid(pid, &status, WNOHANG); samples++)
		ASSERT_EQ(0, shim_set_total(self->set, 0, &self->sample));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, shim_set_total(self->set, 0, &self->sample));
	EXPECT_EQ(ids, sum_of_ids());
	TH_LOG("%lu samples", samples);
	EXPECT_LE(PAGES * ROUNDS, self->sample.values[0]);
	EXPECT_EQ(SHIM_STATE_COUNTING, self->sample.state);
}

TEST_F(control_group, cpu_offline)
{
	struct shim_sample away, back;

	UNLESS_MISSING();
	if (access(ONLINE, W_OK))
		SKIP(return, "there is no CPU that root can take offline");
	ASSERT_EQ(0, shim_set_cgroup(self->set, "inside"));
	ASSERT_EQ(0, shim_set_bind(self->set, 1, SHIM_BIND_CPU));
	ASSERT_EQ(0, touch_in(self->inside, 1));
	ASSERT_EQ(0, put(ONLINE, "0"));
	usleep(20000);
	EXPECT_EQ(0, shim_set_total(self->set, 0, &away));
	EXPECT_EQ(SHIM_STATE_COUNTING | SHIM_STATE_OFFLINE, away.state);
	EXPECT_LE(PAGES, away.values[0]);
	ASSERT_EQ(0, put(ONLINE, "1"));
	EXPECT_EQ(0, shim_set_total(self->set, 0, &back));
	EXPECT_EQ(away.values[0], back.values[0]);
	ASSERT_EQ(0, touch_in(self->inside, 1));
	ASSERT_EQ(0, shim_set_total(self->set, 0, &back));
	EXPECT_EQ(SHIM_STATE_COUNTING, back.state);
	EXPECT_LE(away.values[0] + PAGES, back.values[0]);
}

TEST_HARNESS_MAIN
