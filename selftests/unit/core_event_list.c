// SPDX-License-Identifier: GPL-2.0-or-later
/* Every listed event can be opened, and for a mistyped name a similar one is suggested. */
#include <errno.h>
#include <string.h>

#include "core/event.h"
#include "selftests/synthetic/backend_sim.h"
#include "kselftest_harness.h"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__sim;
}

struct seen {
	unsigned int n;
	unsigned int stop_after;
	unsigned int bad;
	int page_faults;
	int cache;
};

static int look(void *arg, const char *name, const char *desc)
{
	struct seen *seen = arg;
	struct vcpc_request req;

	seen->n++;
	seen->bad += shim_event__parse(name, &req) != 0 || !desc || !desc[0];
	seen->page_faults += !strcmp(name, "page-faults");
	seen->cache += !strcmp(name, "LLC-loads");
	return seen->n == seen->stop_after ? 42 : 0;
}

TEST(names_can_be_parsed)
{
	struct seen seen = { 0 };

	EXPECT_EQ(0, shim_event__walk(NULL, look, &seen));
	EXPECT_LT(30, seen.n);
	EXPECT_EQ(0, seen.bad);
	EXPECT_EQ(1, seen.page_faults);
	EXPECT_EQ(1, seen.cache);
}

TEST(a_callback_ends_the_walk)
{
	struct seen seen = { .stop_after = 3 };

	EXPECT_EQ(42, shim_event__walk(NULL, look, &seen));
	EXPECT_EQ(3, seen.n);
}

/* A session does not list cache events, which the synthetic PMU cannot count. */
TEST(a_session_lists_what_it_counts)
{
	struct shim_session *session;
	struct seen seen = { 0 };

	ASSERT_EQ(0, shim_session__open(&session));
	EXPECT_EQ(0, shim_event__walk(session, look, &seen));
	EXPECT_EQ(1, seen.page_faults);
	EXPECT_EQ(0, seen.cache);
	shim_session__close(session);
}

static const struct {
	int line;
	const char *given;
	const char *meant;	/* NULL: no similar name */
} guesses[] = {
	{ __LINE__, "cycels", "cycles" },
	{ __LINE__, "cycle:u", "cycles" },
	{ __LINE__, "instuctions", "instructions" },
	{ __LINE__, "page_faults", "page-faults" },
	{ __LINE__, "pagefaults:u:k", "page-faults" },
	{ __LINE__, "PAGE-FALTS", "page-faults" },
	{ __LINE__, "contextswitches", "context-switches" },
	{ __LINE__, "xyzzyplughxyzzyplughxyzzyplugh!!!!!!!!!!", NULL },
};

TEST(suggestions)
{
	for (size_t i = 0; i < ARRAY_SIZE(guesses); i++) {
		char buf[SHIM_EVENT_LEN] = "kept";
		int ret = shim_event__suggest(guesses[i].given, buf, sizeof(buf));

		EXPECT_EQ(guesses[i].meant ? 0 : -ENOENT, ret) TH_LOG("line %d", guesses[i].line);
		EXPECT_STREQ(guesses[i].meant ? guesses[i].meant : "kept", buf) {
			TH_LOG("line %d", guesses[i].line);
		}
	}
}

TEST(suggestion_needs_room)
{
	char buf[5] = "kept";

	EXPECT_EQ(-ENAMETOOLONG, shim_event__suggest("cycels", buf, sizeof(buf)));
	EXPECT_STREQ("kept", buf);
}

TEST_HARNESS_MAIN
