// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Help texts can be added to derived metrics, and derived metrics can be removed, as in libpcp
 * 7.2.2.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "pcp_fixture.h"

static int found(const char *name)
{
	pmID pmid;

	return pmLookupName(1, &name, &pmid);
}

static const char *text_of(const char *name, int level)
{
	static char copy[100];
	char *text;
	pmID pmid;
	int err;

	if (pmLookupName(1, &name, &pmid) != 1)
		return "no metric";
	err = pmLookupText(pmid, level, &text);
	if (err < 0)
		return err == PM_ERR_TEXT ? "none" : "another error";
	snprintf(copy, sizeof(copy), "%s", text);
	free(text);
	return copy;
}

static int define(const char *name, const char *expr)
{
	char *error;
	int err = pmRegisterDerivedMetric(name, expr, &error);

	free(error);
	return err;
}

static int define_here(const char *name, const char *expr)
{
	char *error;
	int err = pmAddDerivedMetric(name, expr, &error);

	free(error);
	return err;
}

TEST_F(archive, texts)
{
	EXPECT_EQ(PM_ERR_NAME, pmAddDerivedText("d.global", PM_TEXT_ONELINE, "one"));
	ASSERT_EQ(0, define("d.global", "v.cu32"));
	ASSERT_EQ(0, define_here("d.own", "v.cu32"));
	EXPECT_STREQ("none", text_of("d.global", PM_TEXT_ONELINE));
	EXPECT_EQ(0, pmAddDerivedText("d.global", PM_TEXT_ONELINE, "one"));
	EXPECT_EQ(PM_ERR_TEXT, pmAddDerivedText("d.global", PM_TEXT_ONELINE, "two"));
	EXPECT_STREQ("one", text_of("d.global", PM_TEXT_ONELINE));
	EXPECT_STREQ("one", text_of("d.global", PM_TEXT_HELP));
	EXPECT_STREQ("none", text_of("d.global", PM_TEXT_HELP | PM_TEXT_DIRECT));
	EXPECT_EQ(0, pmAddDerivedText("d.own", PM_TEXT_HELP, "why\nnot"));
	EXPECT_STREQ("why\nnot", text_of("d.own", PM_TEXT_HELP));
	EXPECT_STREQ("none", text_of("d.own", PM_TEXT_ONELINE));
	EXPECT_EQ(PM_ERR_ARG, pmAddDerivedText("d.own", 0, "one"));
	EXPECT_EQ(PM_ERR_ARG, pmAddDerivedText("d.global", PM_TEXT_HELP | PM_TEXT_DIRECT, "one"));
	EXPECT_EQ(PM_ERR_NAME, pmAddDerivedText("v.cu32", PM_TEXT_HELP, "one"));
	EXPECT_EQ(PM_ERR_NAME, pmAddDerivedText("d.none", 17, "one"));
	EXPECT_EQ(-EINVAL, pmAddDerivedText("d.own", PM_TEXT_ONELINE, NULL));
	EXPECT_EQ(-EINVAL, pmAddDerivedText(NULL, PM_TEXT_ONELINE, "one"));
	EXPECT_EQ(1, pmUnregisterDerived("d.global"));
}

TEST_F(archive, own_text_without_context)
{
	ASSERT_EQ(0, define_here("d.own", "v.cu32"));
	ASSERT_EQ(0, define("d.global", "v.cu32"));
	ASSERT_EQ(0, pmDestroyContext(pmWhichContext()));
	EXPECT_EQ(PM_ERR_NAME, pmAddDerivedText("d.own", PM_TEXT_ONELINE, "one"));
	EXPECT_EQ(0, pmAddDerivedText("d.global", PM_TEXT_ONELINE, "one"));
	EXPECT_EQ(0, pmUnregisterDerived("d.global"));
	EXPECT_EQ(PM_ERR_NAME, pmUnregisterDerived("d.global"));
}

TEST_F(archive, removal)
{
	int first = pmWhichContext(), second;

	ASSERT_EQ(0, define("d.x", "v.cu32"));
	ASSERT_EQ(0, define_here("d.y", "v.cu32"));
	second = pmDupContext();
	ASSERT_GE(second, 0);
	ASSERT_EQ(1, found("d.x"));
	EXPECT_EQ(PM_ERR_NAME, pmUnregisterDerived("d.none"));
	EXPECT_EQ(PM_ERR_NAME, pmUnregisterDerived("v.cu32"));
	EXPECT_EQ(PM_ERR_NAME, pmUnregisterDerived(""));
	EXPECT_EQ(-EINVAL, pmUnregisterDerived(NULL));
	EXPECT_EQ(2, pmUnregisterDerived("d.x"));
	EXPECT_EQ(PM_ERR_NAME, pmUnregisterDerived("d.x"));
	EXPECT_EQ(PM_ERR_NAME, found("d.x"));
	ASSERT_EQ(0, pmUseContext(first));
	EXPECT_EQ(PM_ERR_NAME, found("d.x"));
	EXPECT_EQ(1, found("d.y"));
	EXPECT_EQ(1, pmUnregisterDerived("d.y"));
	EXPECT_EQ(PM_ERR_NAME, found("d.y"));
	pmDestroyContext(second);
}

/*
 * After a metric has been removed, no list of names contains it, and the name can be defined again.
 */
TEST_F(archive, removed_name)
{
	const char *name = "d.x";
	char **names, *text;
	pmID old, new;

	ASSERT_EQ(0, define("d.x", "v.cu32"));
	ASSERT_EQ(1, pmLookupName(1, &name, &old));
	ASSERT_EQ(0, pmAddDerivedText("d.x", PM_TEXT_ONELINE, "one"));
	ASSERT_EQ(1, pmGetChildren("d", &names));
	free(names);
	ASSERT_EQ(1, pmUnregisterDerived("d.x"));
	EXPECT_EQ(PM_ERR_NAME, pmGetChildren("d", &names));
	EXPECT_EQ(PM_ERR_PMID, pmNameID(old, &text));
	EXPECT_NE(0, pmLookupText(old, PM_TEXT_ONELINE, &text));
	ASSERT_EQ(0, define("d.x", "v.cu64"));
	ASSERT_EQ(1, pmLookupName(1, &name, &new));
	EXPECT_NE(old, new);
	EXPECT_STREQ("none", text_of("d.x", PM_TEXT_ONELINE));
	EXPECT_EQ(PM_ERR_PMID, pmNameID(old, &text));
	ASSERT_EQ(1, pmUnregisterDerived("d.x"));
	ASSERT_EQ(0, define_here("d.x", "v.cu32"));
	ASSERT_EQ(1, pmUnregisterDerived("d.x"));
	ASSERT_EQ(0, define_here("d.x", "v.cu32"));
	EXPECT_EQ(1, found("d.x"));
	ASSERT_EQ(1, pmUnregisterDerived("d.x"));
}

/* After a metric has been removed, a fetch with its identifier succeeds, but returns no values. */
TEST_F(archive, fetch_of_what_was_removed)
{
	const char *name = "d.x";
	pmResult *r;
	pmDesc desc;
	pmID pmid;

	ASSERT_EQ(0, define("d.x", "v.cu32 + v.cu32"));
	ASSERT_EQ(1, pmLookupName(1, &name, &pmid));
	ASSERT_EQ(0, go_to(PM_MODE_INTERP, 5000, 0));
	ASSERT_EQ(0, pmFetch(1, &pmid, &r));
	EXPECT_EQ(1, r->vset[0]->numval);
	pmFreeResult(r);
	ASSERT_EQ(1, pmUnregisterDerived("d.x"));
	ASSERT_EQ(0, pmFetch(1, &pmid, &r));
	EXPECT_GE(0, r->vset[0]->numval);
	pmFreeResult(r);
	EXPECT_GT(0, pmLookupDesc(pmid, &desc));
}

static bool enough;

static void *fetch_on(void *arg)
{
	const char *name = "d.often";
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, arg);
	char **names;
	pmResult *r;
	pmID pmid;

	while (!__atomic_load_n(&enough, __ATOMIC_ACQUIRE)) {
		go_to(PM_MODE_INTERP, 5000, 0);
		if (pmLookupName(1, &name, &pmid) == 1 && pmFetch(1, &pmid, &r) >= 0)
			pmFreeResult(r);
		if (pmGetChildren("d", &names) >= 0)
			free(names);
	}
	pmDestroyContext(handle);
	return NULL;
}

/* Metrics can be defined and removed while other threads use them. */
TEST_F(archive, threads)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, fetch_on, self->base));
	for (int i = 0; i < 2000; i++) {
		ASSERT_EQ(0, define("d.often", "v.cu32 + v.cu32"));
		ASSERT_EQ(0, pmAddDerivedText("d.often", PM_TEXT_ONELINE, "one"));
		ASSERT_LE(1, pmUnregisterDerived("d.often"));
	}
	__atomic_store_n(&enough, true, __ATOMIC_RELEASE);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

TEST_HARNESS_MAIN
