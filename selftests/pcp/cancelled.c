// SPDX-License-Identifier: GPL-2.0-or-later
/* A thread that is cancelled within a call releases all locks, so other threads continue. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pcp/import.h>

#include "pcp_fixture.h"

/*
 * If a thread is cancelled, its stack keeps AddressSanitizer's marks.  AddressSanitizer would then
 * report the thread's own clean-up of the alternate signal stack.
 */
__attribute__((visibility("default"), used)) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "use_sigaltstack=0";
}

static int context;

/*
 * Request this thread's cancellation, so that it is cancelled at the first cancellation point
 * within a call.
 */
static void *fetches(void *arg)
{
	pthread_cancel(pthread_self());
	pmUseContext(context);
	fetch_number(*(pmID *)arg, NULL);
	return NULL;
}

static void *opens(void *base)
{
	pthread_cancel(pthread_self());
	pmNewContext(PM_CONTEXT_ARCHIVE, base);
	return NULL;
}

static void *writes(void *unused)
{
	(void)unused;
	pthread_cancel(pthread_self());
	pmiWrite(1700000001, 0);
	return NULL;
}

static void *shows(void *unused)
{
	(void)unused;
	pthread_cancel(pthread_self());
	pmflush();
	return NULL;
}

static void *loads(void *path)
{
	pthread_cancel(pthread_self());
	pmLoadNameSpace(path);
	return NULL;
}

static void in_a_thread(struct __test_metadata *_metadata, void *(*fn)(void *arg), void *arg)
{
	pthread_t thread;

	alarm(20);
	ASSERT_EQ(0, pthread_create(&thread, NULL, fn, arg));
	ASSERT_EQ(0, pthread_join(thread, NULL));
}

TEST_F(archive, in_a_fetch)
{
	pmID pmid = AF_PMID(CU32);
	int alone;

	context = pmWhichContext();
	alone = pmNewContext(PM_CONTEXT_ARCHIVE, self->base);
	ASSERT_GE(alone, 0);
	in_a_thread(_metadata, fetches, &pmid);
	in_a_thread(_metadata, opens, self->base);
	ASSERT_EQ(0, pmUseContext(context));
	EXPECT_GE(fetch_number(pmid, NULL), 0);
	EXPECT_EQ(0, pmDestroyContext(alone));
}

TEST(in_a_record)
{
	char dir[] = "/tmp/cancelled.XXXXXX", base[64], command[64];

	ASSERT_NE(NULL, mkdtemp(dir));
	snprintf(base, sizeof(base), "%s/a", dir);
	ASSERT_EQ(1, pmiStart(base, 0));
	ASSERT_EQ(0, pmiAddMetric("demo.one", PM_ID_NULL, PM_TYPE_U64, PM_INDOM_NULL,
				  PM_SEM_INSTANT, pmiUnits(0, 0, 0, 0, 0, 0)));
	ASSERT_EQ(0, pmiPutValue("demo.one", "", "1"));
	in_a_thread(_metadata, writes, NULL);
	EXPECT_EQ(0, pmiPutValue("demo.one", "", "2"));
	EXPECT_EQ(0, pmiWrite(1700000002, 0));
	EXPECT_EQ(0, pmiEnd());
	snprintf(command, sizeof(command), "rm -r %s", dir);
	EXPECT_EQ(0, system(command));
}

TEST(in_a_message)
{
	setenv("PCP_STDERR", "/dev/null", 1);
	pmprintf("one\n");
	in_a_thread(_metadata, shows, NULL);
	EXPECT_EQ(4, pmprintf("two\n"));
	EXPECT_EQ(0, pmflush());
}

TEST(in_a_name_space)
{
	in_a_thread(_metadata, loads, "/etc/services");
	EXPECT_NE(0, pmLoadNameSpace("/no/such/file"));
}

TEST_HARNESS_MAIN
