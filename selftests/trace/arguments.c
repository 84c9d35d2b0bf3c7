// SPDX-License-Identifier: GPL-2.0-or-later
/* All six calls reject invalid tags before they check anything else. */
#include "trace_test.h"

static int obs(const char *tag)
{
	return pmtraceobs(tag, 1.5);
}

static int counter(const char *tag)
{
	return pmtracecounter(tag, 1.5);
}

static int (*const calls[])(const char *tag) = {
	pmtracebegin, pmtraceend, pmtraceabort, pmtracepoint, obs, counter,
};

#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

FIXTURE(tag) {
	char text[300];
};

FIXTURE_SETUP(tag)
{
	memset(self->text, 'x', sizeof(self->text));
	pmtracestate(PMTRACE_STATE_NOAGENT);
}

FIXTURE_TEARDOWN(tag)
{
}

TEST_F(tag, null)
{
	for (size_t i = 0; i < N_CALLS; i++)
		EXPECT_EQ(PMTRACE_ERR_TAGNAME, calls[i](NULL));
}

TEST_F(tag, empty)
{
	for (size_t i = 0; i < N_CALLS; i++)
		EXPECT_EQ(PMTRACE_ERR_TAGNAME, calls[i](""));
}

TEST_F(tag, too_long)
{
	self->text[255] = '\0';
	for (size_t i = 0; i < N_CALLS; i++)
		EXPECT_EQ(PMTRACE_ERR_TAGLENGTH, calls[i](self->text));
}

TEST_F(tag, longest)
{
	self->text[254] = '\0';
	EXPECT_EQ(0, pmtracebegin(self->text));
	EXPECT_EQ(0, pmtraceend(self->text));
	EXPECT_EQ(0, pmtracepoint(self->text));
	self->text[253] = '\0';
	EXPECT_EQ(PMTRACE_ERR_NOSUCHTAG, pmtraceend(self->text));
}

TEST_F(tag, any_byte)
{
	EXPECT_EQ(0, pmtracebegin(" \xff\x01%s"));
	EXPECT_EQ(PMTRACE_ERR_NOSUCHTAG, pmtraceend(" \xff\x01%"));
	EXPECT_EQ(0, pmtraceend(" \xff\x01%s"));
}

TEST_F(tag, unknown)
{
	EXPECT_EQ(PMTRACE_ERR_NOSUCHTAG, pmtraceend("never begun"));
	EXPECT_EQ(PMTRACE_ERR_NOSUCHTAG, pmtraceabort("never begun"));
}

TEST_F(tag, point_is_no_begin)
{
	EXPECT_EQ(0, pmtracepoint("a point"));
	EXPECT_EQ(PMTRACE_ERR_NOSUCHTAG, pmtraceend("a point"));
}

TEST_HARNESS_MAIN
