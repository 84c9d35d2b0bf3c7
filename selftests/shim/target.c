// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Count other targets: a thread, a tree of processes, and a program from its start until after its
 * end.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
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

/*
 * Use the set of the parent.  Return 0 if each call fails with -EINVAL, otherwise the number of the
 * call that does not.
 */
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

/* With the module and with perf, a child has only those counters that it has bound itself. */
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
	/* The parent continues to count. */
	touch(PAGES);
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &self->sample));
	EXPECT_LE(2 * PAGES, self->sample.values[0]);
}

/*
 * A user without permission to count in kernel mode counts only in user mode, and the library
 * reports this.
 */
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
