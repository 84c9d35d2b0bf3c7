// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event names of Solaris's processors are accepted if perf has an equivalent, and listed on
 * request.
 */
#include <stdlib.h>

#include "core/session.h"
#include "cpc/libcpc.h"
#include "selftests/synthetic/backend_sim.h"
#include "kselftest_harness.h"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__sim;
}

FIXTURE(native) {
	cpc_t *cpc;
	cpc_set_t *set;
};

FIXTURE_SETUP(native)
{
	unsetenv("VCPC_NATIVE_EVENTS");
	self->cpc = cpc_open(CPC_VER_CURRENT);
	ASSERT_NE(NULL, self->cpc);
	self->set = cpc_set_create(self->cpc);
}

FIXTURE_TEARDOWN(native)
{
	EXPECT_EQ(0, cpc_close(self->cpc));
}

static int add(FIXTURE_DATA(native) *self, const char *event)
{
	return cpc_set_add_request(self->cpc, self->set, event, 0, CPC_COUNT_USER, 0, NULL);
}

TEST_F(native, requests_take_them)
{
	EXPECT_EQ(0, add(self, "Cycle_cnt"));
	EXPECT_EQ(1, add(self, "Instr_cnt"));
	EXPECT_EQ(-1, add(self, "instr_cnt"));
	EXPECT_EQ(-1, add(self, "Instr_cnt:u"));
	/* Names of Solaris are case-sensitive, but perf's names are not. */
	EXPECT_EQ(2, add(self, "PAPI_tot_cyc"));
	EXPECT_EQ(-1, add(self, "PAPI_TOT_CYC"));
	EXPECT_EQ(3, add(self, "Page-Faults"));
	/* perf has no event for hits. */
	EXPECT_EQ(-1, add(self, "EC_hit"));
}

struct seen {
	int instr;
	int calls;
};

static void see(void *arg, const char *event)
{
	struct seen *seen = arg;

	seen->instr += !strcmp(event, "Instr_cnt");
	seen->calls++;
}

static struct seen walk(const char *value)
{
	cpc_t *cpc = cpc_open(CPC_VER_CURRENT);
	struct seen seen = { 0 };

	if (value)
		setenv("VCPC_NATIVE_EVENTS", value, 1);
	cpc_walk_events_all(cpc, &seen, see);
	unsetenv("VCPC_NATIVE_EVENTS");
	cpc_close(cpc);
	return seen;
}

TEST_F(native, walks_list_them_only_if_asked)
{
	struct seen without = walk(NULL), with = walk("1");

	EXPECT_EQ(0, without.instr);
	EXPECT_EQ(0, walk("0").instr);
	EXPECT_EQ(1, with.instr);
	EXPECT_LT(without.calls, with.calls);
}

/* Check that cpc_set_add_request() accepts a listed name. */
static void add_each(void *arg, const char *event)
{
	FIXTURE_DATA(native) *self = ((void **)arg)[0];
	int *refused = ((void **)arg)[1];
	cpc_set_t *set = cpc_set_create(self->cpc);

	*refused += cpc_set_add_request(self->cpc, set, event, 0, CPC_COUNT_USER, 0, NULL) != 0;
	cpc_set_destroy(self->cpc, set);
}

TEST_F(native, what_is_listed_is_taken)
{
	int refused = 0;
	void *arg[] = { self, &refused };

	setenv("VCPC_NATIVE_EVENTS", "1", 1);
	cpc_walk_events_all(self->cpc, arg, add_each);
	EXPECT_EQ(0, refused);
}

TEST_HARNESS_MAIN
