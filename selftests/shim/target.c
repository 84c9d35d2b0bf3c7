// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets on other targets: a thread, a tree of processes, a control group, a program from its start,
 * after its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/shim.h"
#include "known_work.h"
#include "kselftest_harness.h"
#include "needs_module.h"

#define PAGES	500

FIXTURE(target) {
	struct shim_handle *handle;
	struct shim_set *set;
	struct shim_sample sample;
};

FIXTURE_SETUP(target)
{
	const char *event = "page-faults:u";

	ASSERT_EQ(0, shim_open(&self->handle));
	ASSERT_EQ(0, shim_set_create(self->handle, &event, 1, NULL, &self->set));
}

FIXTURE_TEARDOWN(target)
{
	shim_set_destroy(self->set);
	shim_close(self->handle);
}

struct thread {
	pid_t tid;
	int go[2];
	int ready[2];
};

static void *work(void *arg)
{
	struct thread *t = arg;
	char c;

	t->tid = gettid();
	if (write(t->ready[1], "", 1) != 1 || read(t->go[0], &c, 1) != 1)
		return NULL;
	touch(PAGES);
	if (write(t->ready[1], "", 1) != 1 || read(t->go[0], &c, 1) != 1)
		return NULL;
	return NULL;
}

TEST_F(target, another_thread)
{
	struct thread t;
	pthread_t id;
	char c;

	ASSERT_EQ(0, pipe(t.go));
	ASSERT_EQ(0, pipe(t.ready));
	ASSERT_EQ(0, pthread_create(&id, NULL, work, &t));
	ASSERT_EQ(1, read(t.ready[0], &c, 1));
	ASSERT_EQ(0, shim_set_bind(self->set, t.tid, 0));
	touch(PAGES);
	ASSERT_EQ(0, shim_set_sample(self->set, t.tid, &self->sample));
	EXPECT_GT(PAGES, self->sample.values[0]);
	ASSERT_EQ(1, write(t.go[1], "", 1));
	ASSERT_EQ(1, read(t.ready[0], &c, 1));
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &self->sample));
	EXPECT_LE(PAGES, self->sample.values[0]);
	EXPECT_EQ(SHIM_STATE_COUNTING, self->sample.state);
	EXPECT_EQ(-EINVAL, shim_set_sample(self->set, getpid(), &self->sample));
	ASSERT_EQ(1, write(t.go[1], "", 1));
	ASSERT_EQ(0, pthread_join(id, NULL));
}

TEST_F(target, no_such_thread)
{
	EXPECT_EQ(-ESRCH, shim_set_bind(self->set, 0x3ffffff, 0));
	EXPECT_EQ(-EINVAL, shim_set_bind(self->set, 0, 1U << 31));
	EXPECT_EQ(-EINVAL, shim_set_sample(self->set, 0, &self->sample));
}

static pid_t start(struct shim_set *set, unsigned int flags, void (*what)(void))
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (shim_set_bind(set, 0, flags))
		_exit(99);
	what();
	_exit(0);
}

static void fork_twice(void)
{
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (!pid) {
			touch(PAGES);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

TEST_F(target, a_tree_after_its_end)
{
	int status;
	pid_t pid = start(self->set, SHIM_BIND_TREE, fork_twice);

	NEEDS_MODULE("a child that binds its parent's set");
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, shim_set_total(self->set, 0, &self->sample));
	EXPECT_LE(2 * PAGES, self->sample.values[0]);
	EXPECT_GT(3 * PAGES, self->sample.values[0]);
	EXPECT_TRUE(self->sample.state & SHIM_STATE_EXITED);
}

TEST_F(target, a_process_without_its_tree)
{
	int status;
	pid_t pid = start(self->set, 0, fork_twice);

	NEEDS_MODULE("a child that binds its parent's set");
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &self->sample));
	EXPECT_GT(PAGES, self->sample.values[0]);
}

static void exec_after_work(void)
{
	touch(PAGES);
	execlp("true", "true", NULL);
	_exit(98);
}

static int put(const char *folder, const char *file, const char *text)
{
	char path[256];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ret = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
	close(fd);
	return ret;
}

static int use_cpu_0(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* A process that touches pages on CPU 0, in the control group @folder */
static int touch_in(const char *folder)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (put(folder, "cgroup.procs", "0") || use_cpu_0())
			_exit(1);
		touch(PAGES);
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

TEST_F(target, a_control_group)
{
	char root[] = "/tmp/cgroup.XXXXXX", inside[64], outside[64], wrong[128];
	const char *event = "page-faults:u";
	struct shim_set *bound;

	if (unshare(CLONE_NEWNS))
		SKIP(return, "only root can mount control groups");
	ASSERT_EQ(0, mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
	ASSERT_NE(NULL, mkdtemp(root));
	umount2("/sys/fs/cgroup", MNT_DETACH);
	ASSERT_EQ(0, mount("none", root, "cgroup2", 0, NULL));
	/*
	 * The kernel can count a new group only after the parent's controllers were changed once.  This
	 * fails if version 1 has the controller, but then another process has changed some.
	 */
	put(root, "cgroup.subtree_control", "+pids");
	snprintf(inside, sizeof(inside), "%s/inside", root);
	snprintf(outside, sizeof(outside), "%s/outside", root);
	ASSERT_EQ(0, mkdir(inside, 0755) | mkdir(outside, 0755));

	EXPECT_EQ(-ENOENT, shim_set_cgroup(self->set, "none"));
	EXPECT_EQ(-ENOENT, shim_set_cgroup(self->set, "inside/cgroup.procs"));
	EXPECT_EQ(-ENOENT, shim_set_cgroup(self->set, "../../tmp"));
	snprintf(wrong, sizeof(wrong), "%s2", root);
	EXPECT_EQ(-ENOENT, shim_set_cgroup(self->set, wrong));
	EXPECT_EQ(0, shim_set_cgroup(self->set, inside));
	EXPECT_EQ(-EBUSY, shim_set_cgroup(self->set, "outside"));
	EXPECT_EQ(-EINVAL, shim_set_bind(self->set, 0, 0));
	EXPECT_EQ(-EINVAL, shim_set_bind(self->set, getpid(), SHIM_BIND_TREE));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, SHIM_BIND_CPU));
	EXPECT_EQ(-EBUSY, shim_set_cgroup(self->set, "inside"));

	ASSERT_EQ(0, touch_in(outside));
	ASSERT_EQ(0, shim_set_total(self->set, 0, &self->sample));
	EXPECT_EQ(0, self->sample.values[0]);
	ASSERT_EQ(0, touch_in(inside));
	ASSERT_EQ(0, touch_in(outside));
	ASSERT_EQ(0, shim_set_total(self->set, 0, &self->sample));
	EXPECT_LE(PAGES, self->sample.values[0]);
	EXPECT_GT(PAGES + 200, self->sample.values[0]);

	ASSERT_EQ(0, shim_set_create(self->handle, &event, 1, NULL, &bound));
	ASSERT_EQ(0, shim_set_bind(bound, 0, SHIM_BIND_CPU));
	EXPECT_EQ(-EBUSY, shim_set_cgroup(bound, "inside"));
	shim_set_destroy(bound);
	EXPECT_EQ(0, rmdir(inside) | rmdir(outside));
	put(root, "cgroup.subtree_control", "-pids");
	umount2(root, MNT_DETACH);
	rmdir(root);
	EXPECT_EQ(-ENODEV, shim_set_cgroup(self->set, "inside"));
}

TEST_F(target, from_exec_on)
{
	int status;
	pid_t pid = start(self->set, SHIM_BIND_ON_EXEC | SHIM_BIND_TREE, exec_after_work);

	NEEDS_MODULE("a child that binds its parent's set");
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, shim_set_total(self->set, 0, &self->sample));
	EXPECT_LT(0, self->sample.values[0]);
	EXPECT_GT(PAGES, self->sample.values[0]);
}

/* A user without permission to count the kernel counts in user mode, and receives a message. */
static int use_parents(struct shim_set *set)
{
	const pid_t whom[] = { 0, getppid(), getpid(), 1 };
	struct shim_sample sample;

	for (size_t i = 0; i < ARRAY_SIZE(whom); i++) {
		if (shim_set_sample(set, whom[i], &sample) != -EINVAL)
			return 1;
		if (shim_set_total(set, whom[i], &sample) != -EINVAL)
			return 2;
		if (shim_set_disable(set, whom[i]) != -EINVAL)
			return 3;
		if (shim_set_unbind(set, whom[i]) != -EINVAL)
			return 4;
	}
	shim_set_destroy(set);
	return 0;
}

/* The module and perf alike: nothing is bound in a child but what it has bound itself. */
TEST_F(target, a_forked_child_gets_nothing_of_its_parent)
{
	int status;
	pid_t pid;

	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	touch(PAGES);
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &self->sample));
	pid = fork();
	if (!pid)
		_exit(use_parents(self->set));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
	/* And the parent counts on. */
	touch(PAGES);
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &self->sample));
	EXPECT_LE(2 * PAGES, self->sample.values[0]);
}

TEST_F(target, without_privilege)
{
	const char *both[] = { "page-faults", "minor-faults:u" };
	const char *kernel = "page-faults:k";
	struct shim_set *set = NULL;
	unsigned int bad = 77;
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(1);
		shim_close(self->handle);
		if (shim_open(&self->handle))
			_exit(2);
		if (shim_set_create(self->handle, both, 2, &bad, &set))
			_exit(3);
		if (strcmp(shim_set_event(set, 0), "page-faults:u") ||
		    strcmp(shim_set_event(set, 1), "minor-faults:u"))
			_exit(4);
		if (shim_set_bind(set, 0, 0) || shim_set_sample(set, 0, &self->sample))
			_exit(5);
		if (shim_set_bind(set, getppid(), 0) != -EACCES)
			_exit(6);
		if (shim_set_create(self->handle, &kernel, 1, &bad, &set) != -EACCES || bad)
			_exit(7);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

TEST_HARNESS_MAIN
