// SPDX-License-Identifier: GPL-2.0-or-later
/* If a thread is cancelled while it waits for the agent, it releases all locks. */
#include <dlfcn.h>

#include "agent_fake.h"

/*
 * Disable the alternate signal stack.  A cancelled thread leaves AddressSanitizer's marks on its
 * stack, and AddressSanitizer would then report its own cleanup of the alternate signal stack.
 */
__attribute__((visibility("default"), used)) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "use_sigaltstack=0";
}

static void *waits(void *unused)
{
	(void)unused;
	pmtracepoint("t");
	return NULL;
}

/* The C library needs libgcc_s to cancel a thread, and the VMs do not have it. */
#define NEEDS_UNWINDER()							\
	do {									\
		if (!dlopen("libgcc_s.so.1", RTLD_NOW))				\
			SKIP(return, "no libgcc_s.so.1");			\
	} while (0)

TEST(while_the_agent_is_silent)
{
	NEEDS_UNWINDER();
	struct agent agent;
	pthread_t thread;

	setenv("PCP_TRACE_REQTIMEOUT", "1", 1);
	alarm(20);
	ASSERT_LT(0, agent_start(&agent, 0, (struct agent_manners) { .no_answer = 1 }));
	ASSERT_EQ(0, pthread_create(&thread, NULL, waits, NULL));
	for (int i = 0; i < 500 && !agent.events; i++)
		usleep(10000);
	ASSERT_EQ(1, agent.events);
	pthread_cancel(thread);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	pmtracepoint("t");
	EXPECT_EQ(0, pmtracebegin("other"));
	agent_stop(&agent);
}

TEST(while_it_connects)
{
	NEEDS_UNWINDER();
	struct agent agent;
	pthread_t thread;

	setenv("PCP_TRACE_REQTIMEOUT", "1", 1);
	alarm(20);
	ASSERT_LT(0, agent_start(&agent, 0, (struct agent_manners) { .no_greeting = 1 }));
	ASSERT_EQ(0, pthread_create(&thread, NULL, waits, NULL));
	for (int i = 0; i < 500 && !agent.connections; i++)
		usleep(10000);
	pthread_cancel(thread);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_NE(1234, pmtracepoint("t"));
	agent_stop(&agent);
}

TEST_HARNESS_MAIN
