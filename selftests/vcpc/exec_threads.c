// SPDX-License-Identifier: GPL-2.0-or-later
/* Call execve in a process with threads, or in a tree of processes, while it is counted. */
#include <pthread.h>
#include <sys/stat.h>

#include "exec_child.h"
#include "inherited.h"
#include "vcpc_test.h"

#define PAGES_BEFORE	300
#define PAGES_AFTER	500

/*
 * Run this in the program after execve: "--touch PAGES" touches pages, "--fork PAGES" does so in a
 * child as well. Report this, wait, and exit.
 */
__attribute__((constructor)) static void after_exec(int argc, char **argv)
{
	if (argc != 3 || (strcmp(argv[1], "--touch") && strcmp(argv[1], "--fork")))
		return;
	if (!strcmp(argv[1], "--fork") && fork()) {
		wait(NULL);
		_exit(0);
	}
	touch_for_parent(argv[2]);
}

static void become_the_program(const char *mode, const char *program)
{
	char pages[16];

	snprintf(pages, sizeof(pages), "%d", PAGES_AFTER);
	execl(program, program, mode, pages, NULL);
	_exit(12);
}

static void *executes(void *arg)
{
	struct child *c = arg;
	char byte;

	if (c->binds_second && set_bind(c->binds_second, 0))
		_exit(13);
	touch(PAGES_BEFORE);
	c->tid = own_tid();
	if (write(1, "t", 1) != 1 || read(0, &byte, 1) != 1)
		_exit(11);
	become_the_program("--touch", "/proc/self/exe");
	return NULL;
}

static struct child *child_alloc(void)
{
	struct child *c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (c == MAP_FAILED)
		abort();
	return c;
}

/* Wait for the child's end, and free its memory. */
static void child_free(struct child *c)
{
	child_end(c);
	munmap(c, sizeof(*c));
}

#define BINDS_ITSELF	(-1)

/*
 * Start a process whose second thread calls execve.  The first thread binds @set with @flags or, if
 * @flags is BINDS_ITSELF, the second thread binds it.
 */
static struct child *start_second(int set, int flags)
{
	struct child *c = child_alloc();
	pthread_t thread;

	c->binds_second = flags == BINDS_ITSELF ? set : 0;

	if (!child_fork(c))
		return c;
	if (flags >= 0 && set_bind(set, flags))
		_exit(10);
	if (pthread_create(&thread, NULL, executes, c))
		_exit(9);
	for (;;)
		pause();
}

TEST(the_second_thread_executes)
{
	int set = set_of(&page_faults, 0);
	struct child *c = start_second(set, VCPC_BIND_F_INHERIT);
	struct room room;
	pid_t pid, tid;
	__u64 value;

	ASSERT_EQ('t', child_hear(c));
	pid = c->pid;
	tid = c->tid;
	ASSERT_NE(pid, tid);
	value = first_value(set, tid);
	EXPECT_GE(value, PAGES_BEFORE);
	EXPECT_LT(first_value(set, pid), PAGES_BEFORE);
	child_say(c);
	ASSERT_EQ('x', child_hear(c));

	/* The second thread is now the thread group leader, and its old ID is unused. */
	ASSERT_EQ(0, set_sample(set, pid, &room));
	EXPECT_GE(room.sample.values[0], value + PAGES_AFTER);
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	EXPECT_EQ(-EINVAL, set_sample(set, tid, &room));
	value = room.sample.values[0];
	EXPECT_GE(first_total(set), value);
	child_free(c);

	/* After its exit, the ID still refers to it, even if the kernel has reused the ID. */
	ASSERT_EQ(0, set_sample(set, pid, &room));
	EXPECT_GE(room.sample.values[0], value);
	EXPECT_EQ(VCPC_STATE_COUNTING | VCPC_STATE_EXITED, room.sample.state);
	ASSERT_EQ(0, set_total(set, &room));
	EXPECT_GE(room.sample.values[0], value);
	EXPECT_EQ(VCPC_STATE_COUNTING | VCPC_STATE_EXITED, room.sample.state);
}

/* If only the second thread is bound, it is still counted under its new ID after execve. */
TEST(bound_by_its_first_number)
{
	int set = set_of(&page_faults, 0);
	struct child *c = start_second(set, BINDS_ITSELF);
	pid_t pid = c->pid, tid;
	struct room room;

	ASSERT_EQ('t', child_hear(c));
	tid = c->tid;
	EXPECT_LT(first_value(set, tid), PAGES_AFTER);
	EXPECT_EQ(-EINVAL, set_sample(set, pid, &room));
	child_say(c);
	ASSERT_EQ('x', child_hear(c));
	EXPECT_GE(first_value(set, pid), PAGES_AFTER);
	EXPECT_GE(first_value(set, 0), PAGES_AFTER);
	child_free(c);
	EXPECT_GE(first_value(set, pid), PAGES_AFTER);
	EXPECT_EQ(-EINVAL, set_sample(set, tid, &room));
	EXPECT_EQ(0, set_unbind_all(set));
}

/* If only the first thread is bound, its counting ends when the second thread calls execve. */
TEST(the_first_thread_is_displaced)
{
	int set = set_of(&page_faults, 0);
	struct child *c = start_second(set, 0);
	pid_t pid = c->pid;
	struct room room;

	ASSERT_EQ('t', child_hear(c));
	child_say(c);
	ASSERT_EQ('x', child_hear(c));
	/* The thread that called BIND has ended, so the program is not counted. */
	ASSERT_EQ(0, set_sample(set, pid, &room));
	EXPECT_LT(room.sample.values[0], PAGES_AFTER);
	EXPECT_EQ(VCPC_STATE_COUNTING | VCPC_STATE_EXITED, room.sample.state);
	child_free(c);
}

TEST(a_tree_whose_leader_executes)
{
	int set = set_of(&page_faults, 0);
	struct child *c = child_alloc();
	char byte;

	if (child_fork(c)) {
		if (set_bind(set, VCPC_BIND_F_TREE | VCPC_BIND_F_ENABLE_ON_EXEC))
			_exit(10);
		touch(PAGES_BEFORE);
		if (write(1, "t", 1) != 1 || read(0, &byte, 1) != 1)
			_exit(11);
		become_the_program("--fork", "/proc/self/exe");
	}
	ASSERT_EQ('t', child_hear(c));
	EXPECT_EQ(0, first_total(set));
	child_say(c);
	ASSERT_EQ('x', child_hear(c));
	EXPECT_GE(first_total(set), PAGES_AFTER);
	/* The child of the program is counted from its first instruction. */
	EXPECT_LT(first_value(set, c->pid), PAGES_AFTER);
	EXPECT_EQ(2, set_count(set).nr);
	child_free(c);
}

static int copy_setuid(char *program)
{
	char copy[128];
	int file = mkstemp(program);

	if (file < 0)
		return -errno;
	close(file);
	snprintf(copy, sizeof(copy), "cp /proc/%d/exe %s", getpid(), program);
	return system(copy) || chown(program, 0, 0) || chmod(program, 04755) ? -EIO : 0;
}

/*
 * If an unprivileged user's tree executes a set-user-ID program of root, neither the program nor
 * its child is counted.
 */
TEST(setuid_in_a_tree)
{
	char program[] = "/tmp/vcpc-suid-XXXXXX";
	int set = set_of(&page_faults, 0);
	struct child *c = child_alloc();
	struct room room;
	char byte;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, copy_setuid(program));
	if (child_fork(c)) {
		if (become_nobody() || set_bind(set, VCPC_BIND_F_TREE))
			_exit(10);
		if (write(1, "t", 1) != 1 || read(0, &byte, 1) != 1)
			_exit(11);
		become_the_program("--fork", program);
	}
	ASSERT_EQ('t', child_hear(c));
	child_say(c);
	EXPECT_EQ('x', child_hear(c));
	unlink(program);
	ASSERT_EQ(0, set_total(set, &room));
	EXPECT_LT(room.sample.values[0], PAGES_AFTER);
	EXPECT_TRUE(room.sample.state & VCPC_STATE_EXITED);
	EXPECT_EQ(1, set_count(set).nr);
	EXPECT_EQ(0, set_count(set).lost);
	child_free(c);
}

TEST_HARNESS_MAIN
