// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads and children send to an agent, with reused descriptors and unusual environments. */
#include <fcntl.h>
#include <sys/stat.h>

#include "agent_fake.h"

/* Each test is a separate process, so it can make its own first connection. */

static void *first_call(void *tag)
{
	long err = pmtracebegin(tag);

	err = err ? err : pmtraceend(tag);
	return (void *)err;
}

static int race(void)
{
	pthread_t threads[4];
	char tags[4][8];
	void *err;
	int bad = 0;

	for (int i = 0; i < 4; i++) {
		sprintf(tags[i], "tag%d", i);
		if (pthread_create(&threads[i], NULL, first_call, tags[i]))
			_exit(100);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &err);
		bad += err != NULL;
	}
	return bad;
}

TEST(first_calls_at_the_same_time)
{
	struct agent *agent;
	pid_t agent_pid;
	int status;

	agent = agent_start_apart((struct agent_manners) { 0 }, &agent_pid);
	ASSERT_NE(NULL, agent);
	for (int i = 0; i < 200; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(race());
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
	}
	agent_stop_apart(agent, agent_pid);
	EXPECT_EQ(200, agent->connections);
	EXPECT_EQ(800, agent->events);
}

#define HUNDREDS 200

static void *pairs_of_thread(void *tag)
{
	long bad = 0;

	for (int i = 0; i < 10; i++)
		bad += pmtracebegin(tag) || pmtraceend(tag);
	return (void *)bad;
}

/* If threads wait for each other's acknowledgments, no event is lost. */
TEST(threads_by_the_hundred)
{
	static char tags[HUNDREDS][16];
	pthread_t threads[HUNDREDS];
	struct agent *agent;
	pid_t agent_pid;
	void *bad;

	agent = agent_start_apart((struct agent_manners) { 0 }, &agent_pid);
	ASSERT_NE(NULL, agent);
	for (int i = 0; i < HUNDREDS; i++) {
		sprintf(tags[i], "thread %d", i);
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, pairs_of_thread, tags[i]));
	}
	for (int i = 0; i < HUNDREDS; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], &bad));
		EXPECT_EQ(NULL, bad);
	}
	agent_stop_apart(agent, agent_pid);
	EXPECT_EQ(1, agent->connections);
	EXPECT_EQ(10 * HUNDREDS, agent->events);
	EXPECT_EQ(0, agent->bad);
	EXPECT_EQ(0, shim_trace_lost());
}

#define SHARING	16

static pthread_barrier_t all_begun;

static void *pairs_of_one_tag(void *arg)
{
	intptr_t bad = 0;

	(void)arg;
	pthread_barrier_wait(&all_begun);
	for (int i = 0; i < 50; i++) {
		bad |= pmtracebegin("shared");
		if (!i)
			pthread_barrier_wait(&all_begun);
		bad |= pmtraceend("shared");
	}
	return (void *)bad;
}

/* If threads share a tag, each thread has separate transactions, and all of them are sent. */
TEST(threads_share_a_tag)
{
	pthread_t threads[SHARING];
	struct agent *agent;
	pid_t agent_pid;
	void *bad;

	agent = agent_start_apart((struct agent_manners) { 0 }, &agent_pid);
	ASSERT_NE(NULL, agent);
	pthread_barrier_init(&all_begun, NULL, SHARING);
	for (int i = 0; i < SHARING; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, pairs_of_one_tag, NULL));
	for (int i = 0; i < SHARING; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], &bad));
		EXPECT_EQ(NULL, bad);
	}
	EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend("shared"));
	agent_stop_apart(agent, agent_pid);
	EXPECT_EQ(50 * SHARING, agent->kinds[1]);
	EXPECT_EQ(50 * SHARING, agent->events);
	EXPECT_EQ(0, shim_trace_lost());
}

static int execs_inside(void *unused)
{
	(void)unused;
	if (pmtracebegin("inside") || pmtracepoint("before"))
		return 1;
	execlp("true", "true", NULL);
	return 2;
}

static int exits_inside(void *unused)
{
	(void)unused;
	return pmtracebegin("inside") || pmtracepoint("before") ? 1 : 0;
}

/*
 * A transaction in which the process executes a program or exits is not sent; other transactions
 * are.
 */
TEST(exec_and_exit_inside)
{
	struct agent *agent;
	pid_t agent_pid;

	agent = agent_start_apart((struct agent_manners) { 0 }, &agent_pid);
	ASSERT_NE(NULL, agent);
	EXPECT_EQ(0, in_child(execs_inside, NULL));
	EXPECT_EQ(0, in_child(exits_inside, NULL));
	agent_stop_apart(agent, agent_pid);
	EXPECT_EQ(2, agent->connections);
	EXPECT_EQ(2, agent->kinds[2]);
	EXPECT_EQ(2, agent->events);
}

static int child_sends(void *unused)
{
	(void)unused;
	if (pmtraceend("parents") != PMTRACE_ERR_NOSUCHTAG)
		return 1;
	return pmtracepoint("p") ? 2 : 0;
}

TEST(child_has_a_connection_of_its_own)
{
	struct agent *agent;
	pid_t agent_pid;

	agent = agent_start_apart((struct agent_manners) { 0 }, &agent_pid);
	ASSERT_NE(NULL, agent);
	EXPECT_EQ(0, pmtracebegin("parents"));
	EXPECT_EQ(0, pmtracepoint("p"));
	EXPECT_EQ(0, in_child(child_sends, NULL));
	EXPECT_EQ(0, pmtraceend("parents"));
	agent_stop_apart(agent, agent_pid);
	EXPECT_EQ(2, agent->connections);
	EXPECT_EQ(3, agent->events);
}

/*
 * If a program closes all its files, the library does not write to the files that it opens later.
 */
TEST(number_is_taken)
{
	char path[] = "/tmp/number_is_taken.XXXXXX";
	struct agent agent;
	struct stat st;
	int file, fd = -1;

	ASSERT_LT(0, agent_start(&agent, 0, (struct agent_manners) { 0 }));
	EXPECT_EQ(0, pmtracepoint("p"));
	for (int i = 3; i < 64; i++)
		if (i != agent.fd && !fstat(i, &st) && S_ISSOCK(st.st_mode))
			fd = fd < 0 ? i : fd;
	ASSERT_LT(0, fd);
	file = mkstemp(path);
	ASSERT_LE(0, file);
	unlink(path);
	for (int i = 3; i < 64; i++)
		if (i != agent.fd && !fstat(i, &st) && S_ISSOCK(st.st_mode))
			dup2(file, i);
	EXPECT_EQ(0, pmtracepoint("p"));
	EXPECT_EQ(0, pmtracepoint("p"));
	ASSERT_EQ(0, fstat(file, &st));
	EXPECT_EQ(0, st.st_size);
	agent_stop(&agent);
}

TEST(environment_that_makes_no_sense)
{
	struct agent agent;

	ASSERT_LT(0, agent_start(&agent, 0, (struct agent_manners) { 0 }));
	setenv("PCP_TRACE_TIMEOUT", "soon", 1);
	setenv("PCP_TRACE_REQTIMEOUT", "-1", 1);
	setenv("SHIM_TRACE", "agent", 1);
	EXPECT_EQ(0, pmtracepoint("p"));
	EXPECT_EQ(0, pmtracepoint("p"));
	agent_stop(&agent);
	EXPECT_EQ(2, agent.events);
}

/* As in PCP, a time limit of 0 does not make each connection attempt fail. */
TEST(time_limits_of_zero)
{
	struct agent agent;

	ASSERT_LT(0, agent_start(&agent, 0, (struct agent_manners) { 0 }));
	setenv("PCP_TRACE_TIMEOUT", "0", 1);
	setenv("PCP_TRACE_REQTIMEOUT", "0.0", 1);
	setenv("SHIM_TRACE", "agent", 1);
	EXPECT_EQ(0, pmtracepoint("p"));
	agent_stop(&agent);
	EXPECT_EQ(1, agent.events);
}

static int lines_on_stderr(void (*fn)(void))
{
	char text[4096];
	int pipefd[2], lines = 0;
	ssize_t n;

	if (pipe(pipefd))
		return -1;
	if (!fork()) {
		dup2(pipefd[1], STDERR_FILENO);
		fn();
		_exit(0);
	}
	close(pipefd[1]);
	while ((n = read(pipefd[0], text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < n; i++)
			lines += text[i] == '\n';
	close(pipefd[0]);
	wait(NULL);
	return lines;
}

static void trace_five(void)
{
	for (int i = 0; i < 5; i++) {
		pmtracebegin("t");
		pmtraceend("t");
	}
}

/* No call connects, so each call reads the environment again, but prints each warning once. */
TEST(one_warning_for_each_variable)
{
	struct agent agent = { 0 };

	ASSERT_LT(0, agent_listen(&agent, 0));
	close(agent.fd);
	setenv("SHIM_TRACE", "kernal", 1);
	EXPECT_EQ(1, lines_on_stderr(trace_five));
	setenv("PCP_TRACE_TIMEOUT", "soon", 1);
	/* with the module, no agent is connected, and no call waits */
	EXPECT_EQ(access("/dev/vcpc", F_OK) ? 2 : 1, lines_on_stderr(trace_five));
}

TEST(wanted_none)
{
	struct agent agent;

	ASSERT_LT(0, agent_start(&agent, 0, (struct agent_manners) { 0 }));
	setenv("SHIM_TRACE", "none", 1);
	EXPECT_EQ(0, pmtracebegin("t"));
	EXPECT_EQ(0, pmtraceend("t"));
	EXPECT_EQ(0, pmtracepoint("p"));
	agent_stop(&agent);
	EXPECT_EQ(0, agent.connections);
}

TEST_HARNESS_MAIN
