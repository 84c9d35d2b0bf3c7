// SPDX-License-Identifier: GPL-2.0-or-later
/* The main thread of a process ends while its other threads are counted, inherited and started. */
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "inherited.h"
#include "vcpc_test.h"

#define ROUNDS	6	/* processes per test */
#define CROWDS	5	/* crowds of threads, one after the other, in each process */
#define CROWD	4	/* threads at the same time */
#define FAULTS	20	/* page faults in each thread */

/* What the remaining thread does with the set after its threads have ended, or between them */
enum action { READ, CLOSE, UNBIND };

static enum action action;
static int set;

static void *fault(void *unused)
{
	touch(FAULTS);
	return unused;
}

static void run_crowd(void)
{
	pthread_t threads[CROWD];

	for (int i = 0; i < CROWD; i++)
		if (pthread_create(&threads[i], NULL, fault, NULL))
			_exit(2);
	for (int i = 0; i < CROWD; i++)
		pthread_join(threads[i], NULL);
}

/* Run without the main thread.  Exit with 0 if the counts are right. */
static void *remain(void *unused)
{
	for (int i = 0; i < CROWDS; i++) {
		run_crowd();
		if (action == UNBIND && i == CROWDS / 2 && set_unbind_all(set))
			_exit(3);
	}
	if (action != UNBIND && first_total(set) < CROWDS * CROWD * FAULTS)
		_exit(4);
	if (action == CLOSE)
		close(set);
	_exit(0);
	return unused;
}

static int run_process(enum action what)
{
	pid_t pid = fork();
	pthread_t thread;
	int status;

	if (!pid) {
		action = what;
		set = set_of(&page_faults, 0);
		if (set < 0 || set_bind(set, VCPC_BIND_F_INHERIT) ||
		    pthread_create(&thread, NULL, remain, NULL))
			_exit(1);
		syscall(SYS_exit, 0);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

TEST(total_after_the_main_thread)
{
	for (int i = 0; i < ROUNDS; i++)
		ASSERT_EQ(0, run_process(READ));
}

TEST(close_after_the_main_thread)
{
	for (int i = 0; i < ROUNDS; i++)
		ASSERT_EQ(0, run_process(CLOSE));
}

TEST(unbind_after_the_main_thread)
{
	for (int i = 0; i < ROUNDS; i++)
		ASSERT_EQ(0, run_process(UNBIND));
}

TEST_HARNESS_MAIN
