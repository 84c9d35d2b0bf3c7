// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Locks, fork handlers, thread exits and descriptors work in a process that the library does not
 * control.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/process.h"
#include "kselftest_harness.h"

static bool refuse_handlers;
static atomic_int handlers;

int __register_atfork(void (*before)(void), void (*after)(void), void (*child)(void), void *dso);

/* Replace the C library's function in this program, to make registering a handler fail. */
int pthread_atfork(void (*before)(void), void (*after)(void), void (*child)(void))
{
	if (refuse_handlers)
		return ENOMEM;
	handlers++;
	return __register_atfork(before, after, child, NULL);
}

TEST(a_handler_that_was_refused_is_installed_later)
{
	unsigned int generation = shim_fork__generation();
	pid_t child;
	int status;

	refuse_handlers = true;
	EXPECT_EQ(-ENOMEM, shim_fork__watch());
	EXPECT_EQ(-ENOMEM, shim_fork__watch());
	refuse_handlers = false;
	EXPECT_EQ(0, shim_fork__watch());
	EXPECT_EQ(0, shim_fork__watch());
	EXPECT_EQ(1, handlers);
	child = fork();
	if (!child)
		_exit(shim_fork__generation() == generation);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

static struct shim_lock lock = SHIM_LOCK_INITIALIZER;
static atomic_bool was_left;

static void *is_cancelled_inside(void *unused)
{
	(void)unused;
	shim_lock__enter(&lock);
	pthread_cancel(pthread_self());
	pthread_testcancel();
	usleep(1);
	was_left = true;
	shim_lock__leave(&lock);
	pthread_testcancel();
	return NULL;
}

TEST(a_thread_is_cancelled_when_it_has_left)
{
	pthread_t thread;
	void *result;

	ASSERT_EQ(0, pthread_create(&thread, NULL, is_cancelled_inside, NULL));
	ASSERT_EQ(0, pthread_join(thread, &result));
	EXPECT_TRUE(was_left);
	EXPECT_EQ(PTHREAD_CANCELED, result);
	EXPECT_EQ(0, pthread_mutex_trylock(&lock.mutex));
}

static int in_children;

static void in_child(void)
{
	in_children++;
}

static struct shim_siglock siglock = SHIM_SIGLOCK_INITIALIZER(0, in_child);
static struct shim_siglock inner = SHIM_SIGLOCK_INITIALIZER(1, NULL);
static struct shim_fork_hook hook = { .in_child = in_child };
static volatile sig_atomic_t handled;

static void takes_the_lock(int sig)
{
	(void)sig;
	shim_siglock__enter(&siglock);
	handled++;
	shim_siglock__leave(&siglock);
}

static void raise_now(void)
{
	raise(SIGUSR1);
}

/*
 * The prepare handlers of fork() run in reverse order of registration.  A handler that was
 * registered before the library's own therefore runs while the library holds its locks.
 */
TEST(a_handler_may_take_the_lock_during_fork)
{
	unsigned int generation;
	int status;
	pid_t pid;

	signal(SIGUSR1, takes_the_lock);
	ASSERT_EQ(0, pthread_atfork(raise_now, NULL, NULL));
	ASSERT_EQ(0, shim_fork__wait_for(&inner));
	ASSERT_EQ(0, shim_fork__wait_for(&siglock));
	ASSERT_EQ(0, shim_fork__wait_for(&siglock));
	ASSERT_EQ(0, shim_fork__hook(&hook));
	generation = shim_fork__generation();
	alarm(20);
	pid = fork();
	if (!pid) {
		shim_siglock__enter(&siglock);
		shim_siglock__enter(&inner);
		_exit(in_children != 2 || shim_fork__generation() == generation);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(1, handled);
	EXPECT_EQ(0, in_children);
	EXPECT_EQ(generation, shim_fork__generation());
	EXPECT_EQ(0, pthread_mutex_trylock(&siglock.fork.lock.mutex));
	EXPECT_EQ(0, pthread_mutex_trylock(&inner.fork.lock.mutex));
}

static void count(void *arg)
{
	++*(int *)arg;
}

static struct shim_thread_end at_end = { .fn = count };

static void *arms(void *arg)
{
	return shim_thread_end__arm(&at_end, arg) ? arg : NULL;
}

TEST(the_end_of_each_thread_that_asked)
{
	int ends = 0;
	pthread_t thread;
	void *failed;

	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, arms, &ends));
		ASSERT_EQ(0, pthread_join(thread, &failed));
		EXPECT_EQ(NULL, failed);
	}
	EXPECT_EQ(3, ends);
}

static int opened(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

TEST(a_descriptor_of_ours)
{
	struct shim_fd fd;
	int next;

	ASSERT_EQ(0, shim_fd__own(opened(), &fd));
	next = opened();
	EXPECT_GT(fd.nr, next + 100);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd.nr, F_GETFD));
	EXPECT_TRUE(shim_fd__is_ours(fd));
	shim_fd__close(fd);
	EXPECT_FALSE(shim_fd__is_ours(fd));
	close(next);
}

TEST(the_programs_own_file_at_our_number)
{
	struct shim_fd fd;
	int file;

	ASSERT_EQ(0, shim_fd__own(opened(), &fd));
	close(fd.nr);
	EXPECT_FALSE(shim_fd__is_ours(fd));
	file = open("/proc/self/exe", O_RDONLY);
	ASSERT_EQ(fd.nr, dup2(file, fd.nr));
	EXPECT_TRUE(shim_fd__is_latest(fd));
	EXPECT_FALSE(shim_fd__is_ours(fd));
}

TEST(another_one_of_ours_at_our_number)
{
	struct shim_fd first, second;

	ASSERT_EQ(0, shim_fd__own(eventfd(0, 0), &first));
	close(first.nr);
	ASSERT_EQ(0, shim_fd__own(eventfd(0, 0), &second));
	ASSERT_EQ(first.nr, second.nr);
	EXPECT_FALSE(shim_fd__is_latest(first));
	EXPECT_FALSE(shim_fd__is_ours(first));
	EXPECT_TRUE(shim_fd__is_latest(second));
	EXPECT_TRUE(shim_fd__is_ours(second));
}

/* A descriptor is moved to a high number, or to a lower one if no high number is free. */
TEST(few_descriptors)
{
	const struct rlimit few = { 24, 24 };
	struct shim_fd fd[16];
	int n = 0;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &few));
	close(0);
	while (n < 16 && !shim_fd__own(opened(), &fd[n]))
		n++;
	EXPECT_EQ(16, n);
	for (int i = 0; i < n; i++) {
		EXPECT_GT(fd[i].nr, 2);
		EXPECT_TRUE(shim_fd__is_ours(fd[i]));
	}
	EXPECT_EQ(0, opened());
}

TEST(the_environment_of_the_user)
{
	setenv("SHIM_TEST_ENVIRON", "yes", 1);
	EXPECT_STREQ("yes", shim_environ__get("SHIM_TEST_ENVIRON"));
	EXPECT_EQ(NULL, shim_environ__get("SHIM_TEST_NOTHING"));
	EXPECT_FALSE(shim_environ__is_foreign());
}

TEST_HARNESS_MAIN
