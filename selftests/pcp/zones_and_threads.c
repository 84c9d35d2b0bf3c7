// SPDX-License-Identifier: GPL-2.0-or-later
/* The library's reporting zone does not affect the C library's zone, which other threads use. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <kselftest_harness.h>

#include <pcp/pmapi.h>

static atomic_bool over;

/*
 * Use the C library's time functions until the test ends.  Return how often they or TZ were wrong.
 */
static void *asks_the_c_library(void *unused)
{
	const time_t noon = 12 * 3600;
	long wrong = 0;
	struct tm tm;

	(void)unused;
	while (!over) {
		const char *tz = getenv("TZ");

		localtime(&noon);
		localtime_r(&noon, &tm);
		wrong += tm.tm_hour != 12 || !tz || strcmp(tz, "UTC");
	}
	return (void *)wrong;
}

TEST(no_other_thread_sees_it)
{
	pthread_t thread;
	void *wrong;

	setenv("TZ", "UTC", 1);
	tzset();
	ASSERT_LE(0, pmNewZone("Asia/Tokyo"));
	ASSERT_EQ(0, pthread_create(&thread, NULL, asks_the_c_library, NULL));
	for (int i = 0; i < 20000; i++) {
		const time_t noon = 12 * 3600;
		struct tm tm;

		ASSERT_NE(NULL, pmLocaltime(&noon, &tm));
		ASSERT_EQ(21, tm.tm_hour);
	}
	over = true;
	ASSERT_EQ(0, pthread_join(thread, &wrong));
	EXPECT_EQ(0, (long)wrong);
	EXPECT_STREQ("UTC", getenv("TZ"));
}

TEST_HARNESS_MAIN
