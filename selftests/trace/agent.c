// SPDX-License-Identifier: GPL-2.0-or-later
/* An agent receives each call, and each caller receives the agent's reply or an error in time. */
#include <fcntl.h>
#include <sys/stat.h>

#include "agent_fake.h"
#include "known_work.h"

/* Each test is a separate process, so it can make its own first connection. */

TEST(each_call_synchronous)
{
	struct agent agent;

	ASSERT_LT(0, agent_start(&agent, 0, (struct agent_manners) { .split = 1 }));
	EXPECT_EQ(0, pmtracebegin("a b"));
	EXPECT_EQ(PMTRACE_ERR_INPROGRESS, pmtracebegin("a b"));
	usleep(20000);
	EXPECT_EQ(0, pmtraceend("a b"));
	EXPECT_STREQ("a b", agent.tag);
	EXPECT_LT(0.02, agent.value);
	EXPECT_GT(2, agent.value);
	EXPECT_EQ(PMTRACE_ERR_NOPROGRESS, pmtraceend("a b"));
	EXPECT_EQ(PMTRACE_ERR_NOSUCHTAG, pmtraceend("c"));
	EXPECT_EQ(0, pmtracepoint("a b"));
	EXPECT_EQ(-1, agent.value);
	EXPECT_EQ(0, pmtraceobs("o", -7e300));
	EXPECT_EQ(-7e300, agent.value);
	EXPECT_EQ(0, pmtracecounter("c", 0.1));
	EXPECT_EQ(0.1, agent.value);
	EXPECT_STREQ("c", agent.tag);
	EXPECT_EQ(0, pmtracebegin("a b"));
	EXPECT_EQ(0, pmtraceabort("a b"));
	EXPECT_EQ(-EINVAL, pmtracestate(PMTRACE_STATE_ASYNC));
	agent_stop(&agent);
	EXPECT_EQ(1, agent.connections);
	EXPECT_EQ(4, agent.events);
	for (int kind = 1; kind <= 4; kind++)
		EXPECT_EQ(1, agent.kinds[kind]);
	EXPECT_EQ(4, agent.synchronous);
	EXPECT_EQ(0, agent.bad);
}

/* Make calls with PMTRACE_STATE_PDUBUF, and read their output from @f. */
static void call_with_buffers(FILE *f)
{
	int saved = dup(STDERR_FILENO);

	dup2(fileno(f), STDERR_FILENO);
	pmtracestate(PMTRACE_STATE_PDUBUF);
	pmtracebegin("t");
	pmtraceend("t");
	pmtracepoint("p");
	pmtraceobs("o", 1);
	pmtracecounter("c", 2);
	pmtracepoint("p");
	pmtracepoint("p");
	pmtracestate(PMTRACE_STATE_NONE);
	pmtracepoint("p");
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
}

/*
 * As with PCP's library, the output has two lines for the greeting, and four for each event and its
 * acknowledgment.
 */
TEST(shows_buffers)
{
	struct agent agent;
	FILE *f = tmpfile();
	char line[256];
	int lines = 0, sizes[3] = { 0 };
	void *at, *again;

	ASSERT_NE(NULL, f);
	ASSERT_LT(0, agent_start(&agent, 0, (struct agent_manners) { 0 }));
	call_with_buffers(f);
	agent_stop(&agent);
	while (fgets(line, sizeof(line), f)) {
		unsigned int size;

		if (!(lines++ % 2)) {
			ASSERT_EQ(2, sscanf(line, "__pmtracefindPDUbuf(%u) -> 0x%p", &size, &at));
			sizes[size == 16 ? 0 : size == 28 ? 1 : 2]++;
		} else {
			ASSERT_EQ(2, sscanf(line, "   free pdubuf[size]: 0x%p[%u]", &again, &size));
			EXPECT_EQ(at, again);
		}
	}
	fclose(f);
	EXPECT_EQ(26, lines);
	EXPECT_EQ(7, sizes[0]);
	EXPECT_EQ(6, sizes[1]);
	EXPECT_EQ(0, sizes[2]);
}

TEST(each_call_asynchronous)
{
	struct agent agent;

	ASSERT_LT(0, agent_start(&agent, 0, (struct agent_manners) { .no_answer = 1 }));
	ASSERT_EQ(0, pmtracestate(PMTRACE_STATE_ASYNC));
	EXPECT_EQ(0, pmtracebegin("t"));
	EXPECT_EQ(0, pmtraceend("t"));
	EXPECT_EQ(0, pmtracepoint("t"));
	EXPECT_EQ(0, pmtraceobs("t", 1));
	EXPECT_EQ(0, pmtracecounter("t", 2));
	for (int i = 0; i < 100 && agent.events < 4; i++)
		usleep(10000);
	agent_stop(&agent);
	EXPECT_EQ(4, agent.events);
	EXPECT_EQ(0, agent.synchronous);
	EXPECT_EQ(0, agent.bad);
	/* Each segment ends after a whole event, as PCP's agent requires. */
	EXPECT_EQ(0, agent.segment % 64);
	EXPECT_EQ(PMTRACE_STATE_ASYNC, pmtracestate(PMTRACE_STATE_ASYNC));
}

TEST(long_tags)
{
	struct agent agent;
	char tag[256];

	ASSERT_LT(0, agent_start(&agent, 0, (struct agent_manners) { 0 }));
	memset(tag, 'x', sizeof(tag));
	tag[124] = '\0';
	EXPECT_EQ(0, pmtracepoint(tag));
	EXPECT_STREQ(tag, agent.tag);
	tag[124] = 'x';
	tag[125] = '\0';
	EXPECT_EQ(PMTRACE_ERR_TAGLENGTH, pmtracepoint(tag));
	EXPECT_EQ(PMTRACE_ERR_TAGLENGTH, pmtracebegin(tag));
	EXPECT_EQ(PMTRACE_ERR_TAGLENGTH, pmtraceobs(tag, 1));
	agent_stop(&agent);
	EXPECT_EQ(1, agent.events);
	EXPECT_EQ(0, agent.bad);
}

TEST(nobody_listens)
{
	struct agent agent = { 0 };
	double start;

	ASSERT_LT(0, agent_listen(&agent, 0));
	close(agent.fd);
	EXPECT_EQ(-ECONNREFUSED, pmtracebegin("t"));
	EXPECT_EQ(PMTRACE_ERR_NOSUCHTAG, pmtraceend("t"));
	start = seconds_now();
	for (int i = 0; i < 10000; i++)
		EXPECT_EQ(-ECONNREFUSED, pmtracepoint("t"));
	EXPECT_GT(60, seconds_now() - start);
}

TEST(no_such_host)
{
	setenv("SHIM_TRACE", "agent", 1);
	setenv("PCP_TRACE_HOST", "no such host", 1);
	EXPECT_EQ(-EHOSTUNREACH, pmtracepoint("t"));
}

/* If an agent does not accept the connection, the kernel accepts it.  Calls time out. */
TEST(agent_is_silent)
{
	struct agent agent = { 0 };
	double start = seconds_now();

	ASSERT_LT(0, agent_listen(&agent, 0));
	setenv("PCP_TRACE_REQTIMEOUT", "0.3", 1);
	EXPECT_EQ(PMTRACE_ERR_TIMEOUT, pmtracepoint("t"));
	EXPECT_LT(0.3, seconds_now() - start);
	start = seconds_now();
	for (int i = 0; i < 1000; i++)
		EXPECT_EQ(PMTRACE_ERR_TIMEOUT, pmtracepoint("t"));
	/* If each call waited, it would take 300 s or more. */
	EXPECT_GT(100, seconds_now() - start);
}

/* The time is limited, regardless of the delay of answers and of the host's addresses. */
TEST(agent_is_silent_while_connecting)
{
	struct agent agent = { 0 };
	double start = seconds_now();

	ASSERT_LT(0, agent_listen(&agent, 0));
	setenv("PCP_TRACE_TIMEOUT", "0.3", 1);
	setenv("PCP_TRACE_REQTIMEOUT", "60", 1);
	EXPECT_EQ(PMTRACE_ERR_TIMEOUT, pmtracebegin("t"));
	EXPECT_LT(0.3, seconds_now() - start);
	EXPECT_GT(30, seconds_now() - start);
}

TEST(agent_refuses)
{
	struct agent agent;
	struct agent_manners manners = { .greeting = PMTRACE_ERR_PERMISSION };

	ASSERT_LT(0, agent_start(&agent, 0, manners));
	EXPECT_EQ(PMTRACE_ERR_PERMISSION, pmtracebegin("t"));
	EXPECT_EQ(PMTRACE_ERR_NOSUCHTAG, pmtraceend("t"));
	agent_stop(&agent);
}

/* A call returns the agent's error for an event, and the connection remains usable. */
TEST(agent_complains)
{
	struct agent agent;
	struct agent_manners manners = { .answer = PMTRACE_ERR_VERSION };

	ASSERT_LT(0, agent_start(&agent, 0, manners));
	EXPECT_EQ(PMTRACE_ERR_VERSION, pmtracepoint("t"));
	EXPECT_EQ(PMTRACE_ERR_VERSION, pmtracepoint("t"));
	agent_stop(&agent);
	EXPECT_EQ(1, agent.connections);
}

TEST(agent_answers_for_something_else)
{
	struct agent agent;

	ASSERT_LT(0, agent_start(&agent, 0, (struct agent_manners) { .answer = 4 }));
	EXPECT_EQ(0, pmtracepoint("t"));
	EXPECT_EQ(0, pmtracecounter("t", 1));
	agent_stop(&agent);
	EXPECT_EQ(1, agent.events);
}

TEST(agent_falls_silent)
{
	struct agent agent;
	double start = seconds_now();

	ASSERT_LT(0, agent_start(&agent, 0, (struct agent_manners) { .no_answer = 1 }));
	setenv("PCP_TRACE_REQTIMEOUT", "0.3", 1);
	EXPECT_EQ(PMTRACE_ERR_TIMEOUT, pmtracepoint("t"));
	EXPECT_LT(0.3, seconds_now() - start);
	start = seconds_now();
	for (int i = 0; i < 1000; i++)
		EXPECT_EQ(0, pmtracepoint("t"));
	EXPECT_GT(100, seconds_now() - start);
	agent_stop(&agent);
	EXPECT_EQ(1, agent.events);
	EXPECT_EQ(1001, shim_trace_lost());
}

static void restart(struct __test_metadata *_metadata, int async, int lost)
{
	struct agent agent;
	int port, files, i;

	setenv("PCP_TRACE_RECONNECT", "1", 1);
	port = agent_start(&agent, 0, (struct agent_manners) { 0 });
	ASSERT_LT(0, port);
	pmtracestate(async ? PMTRACE_STATE_ASYNC : 0);
	EXPECT_EQ(0, pmtracepoint("t"));
	usleep(100000);
	agent_stop(&agent);
	EXPECT_EQ(1, agent.events);
	files = open_files();
	/* An asynchronous sender receives the error only with a later event. */
	pmtracepoint("t");
	for (i = 0; i < 10; i++) {
		usleep(10000);
		EXPECT_EQ(lost, pmtracepoint("t"));
		EXPECT_EQ(lost, pmtracebegin("u"));
		EXPECT_EQ(lost ? PMTRACE_ERR_NOSUCHTAG : 0, pmtraceend("u"));
	}
	EXPECT_GE(files, open_files());
	ASSERT_EQ(port, agent_start(&agent, port, (struct agent_manners) { 0 }));
	for (i = 0; i < 400 && !agent.events; i++) {
		pmtracepoint("t");
		usleep(10000);
	}
	EXPECT_LT(0, agent.events);
	EXPECT_EQ(0, pmtracepoint("t"));
	agent_stop(&agent);
}

TEST(agent_comes_back_synchronous)
{
	restart(_metadata, 0, 0);
}

TEST(agent_comes_back_asynchronous)
{
	restart(_metadata, 1, PMTRACE_ERR_IPC);
}

/* Accepted events arrive, even if the process exits at once. */
TEST(exit_at_once)
{
	struct agent *agent;
	pid_t agent_pid;
	int pipefd[2], accepted = 0;

	agent = agent_start_apart((struct agent_manners) { 0 }, &agent_pid);
	ASSERT_NE(NULL, agent);
	ASSERT_EQ(0, pipe(pipefd));
	if (!fork()) {
		pmtracestate(PMTRACE_STATE_ASYNC);
		for (int i = 0; i < 20000; i++)
			accepted += !pmtracepoint("123456789012345678901234567890123");
		accepted = write(pipefd[1], &accepted, sizeof(accepted)) < 0;
		_exit(accepted);
	}
	ASSERT_EQ((ssize_t)sizeof(accepted), read(pipefd[0], &accepted, sizeof(accepted)));
	/* The last accepted event may have been sent only in part. */
	for (int i = 0; i < 2000 && agent->events < accepted - 1; i++)
		usleep(10000);
	usleep(50000);
	agent_stop_apart(agent, agent_pid);
	EXPECT_LT(0, accepted);
	EXPECT_GE(accepted, agent->events);
	EXPECT_LE(accepted - 1, agent->events);
	EXPECT_EQ(0, agent->bad);
}

/* If an agent is too slow, only whole events are lost, and no call waits for the agent. */
TEST(agent_is_slow)
{
	struct agent agent;
	double start = seconds_now();
	int accepted = 0, refused = 0, err;

	ASSERT_LT(0, agent_start(&agent, 0, (struct agent_manners) { .slow = 1 }));
	ASSERT_EQ(0, pmtracestate(PMTRACE_STATE_ASYNC));
	while (refused < 1000 && accepted < 1000000) {
		err = pmtracepoint("t");
		ASSERT_TRUE(!err || err == -EAGAIN);
		accepted += !err;
		refused += !!err;
	}
	EXPECT_EQ(1000, refused);
	EXPECT_GT(60, seconds_now() - start);
	agent_stop(&agent);
}

/* Regardless of what the agent sends, no call hangs, and no event is sent in part. */
TEST(garbage)
{
	struct agent *agent;
	pid_t agent_pid;

	setenv("PCP_TRACE_REQTIMEOUT", "0.01", 1);
	setenv("PCP_TRACE_TIMEOUT", "0.5", 1);
	for (unsigned int seed = 1; seed <= 150; seed++) {
		double start = seconds_now();
		pid_t pid;
		int status;

		agent = agent_start_apart((struct agent_manners) { .garbage = seed }, &agent_pid);
		ASSERT_NE(NULL, agent);
		pid = fork();
		if (!pid) {
			if (seed % 3 == 0)
				pmtracestate(PMTRACE_STATE_ASYNC);
			for (int i = 0; i < 20; i++) {
				pmtracebegin("t");
				pmtraceend("t");
				pmtraceobs("o", i);
			}
			_exit(0);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		agent_stop_apart(agent, agent_pid);
		EXPECT_EQ(0, agent->bad);
		EXPECT_GT(100, seconds_now() - start);
	}
}

TEST_HARNESS_MAIN
