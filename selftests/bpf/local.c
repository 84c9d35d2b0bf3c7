// SPDX-License-Identifier: GPL-2.0-or-later
/* A local context has what is traced, as it is: counts, times, instances by their tags, also over off and on. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/trace.h>
#include <shim/trace.h>
#include "kselftest_harness.h"

static pmID find(const char *name)
{
	pmID pmid = PM_ID_NULL;

	pmLookupName(1, &name, &pmid);
	return pmid;
}

static void transactions(const char *tag, int n)
{
	for (int i = 0; i < n; i++) {
		pmtracebegin(tag);
		usleep(1000);
		pmtraceend(tag);
	}
}

/* The value of an instance in the next fetch, or an error below 0 */
static double value_of(const char *metric, const char *instance)
{
	pmID pmid = find(metric);
	pmAtomValue atom;
	pmResult *result;
	pmDesc desc;
	double value;
	int inst, i;

	if (pmLookupDesc(pmid, &desc))
		return -1;
	inst = desc.indom == PM_INDOM_NULL ? (int)PM_IN_NULL : pmLookupInDom(desc.indom, instance);
	if (pmFetch(1, &pmid, &result) < 0)
		return -2;
	value = result->vset[0]->numval < 0 ? result->vset[0]->numval : -3;
	for (i = 0; i < result->vset[0]->numval; i++)
		if (result->vset[0]->vlist[i].inst == inst &&
		    !pmExtractValue(result->vset[0]->valfmt, &result->vset[0]->vlist[i], desc.type,
				    &atom, PM_TYPE_DOUBLE))
			value = atom.d;
	pmFreeResult(result);
	return value;
}

FIXTURE(local) {
	int handle;
};

FIXTURE_SETUP(local)
{
	shim_trace_off();
	self->handle = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	ASSERT_LE(0, self->handle);
}

FIXTURE_TEARDOWN(local)
{
	pmDestroyContext(self->handle);
	shim_trace_off();
}

TEST_F(local, tracing_goes_on_and_values_come)
{
	EXPECT_EQ(PM_ERR_AGAIN, value_of("trace.transact.count", "one"));
	ASSERT_EQ(0, shim_trace_on(NULL));
	transactions("one", 3);
	transactions("two", 2);
	EXPECT_EQ(3, value_of("trace.transact.count", "one"));
	EXPECT_EQ(2, value_of("vcpc.transact.count", "two"));
	EXPECT_LE(0.003, value_of("trace.transact.total_time", "one"));
	EXPECT_LE(0.001, value_of("vcpc.transact.min_time", "one"));
	EXPECT_EQ(0, value_of("vcpc.transact.aborted", "one"));
	EXPECT_LE(1, value_of("vcpc.control.tracing", NULL));
	EXPECT_LE(0, value_of("vcpc.control.dropped", "stat_full"));
}

/* Each fetch begins a window; looking at instances does not. */
TEST_F(local, windows_are_from_fetch_to_fetch)
{
	ASSERT_EQ(0, shim_trace_on(NULL));
	transactions("window", 1);
	EXPECT_EQ(1, value_of("trace.transact.count", "window"));
	transactions("window", 4);
	EXPECT_LE(0, pmLookupInDom(pmInDom_build(450, 1), "window"));
	EXPECT_LE(0.001, value_of("vcpc.transact.p50_time", "window"));
	EXPECT_GT(0, value_of("trace.transact.rate", "window"));
	transactions("window", 2);
	EXPECT_LT(0, value_of("trace.transact.rate", "window"));
}

/* Counters do not go back when tracing begins again */
TEST_F(local, off_and_on)
{
	ASSERT_EQ(0, shim_trace_on(NULL));
	transactions("again", 3);
	EXPECT_EQ(3, value_of("trace.transact.count", "again"));
	ASSERT_EQ(0, shim_trace_off());
	EXPECT_EQ(3, value_of("trace.transact.count", "again"));
	EXPECT_EQ(0, value_of("vcpc.control.tracing", NULL));
	ASSERT_EQ(0, shim_trace_on(NULL));
	EXPECT_LE(0, value_of("vcpc.control.dropped", "tag_full"));
	transactions("again", 2);
	EXPECT_EQ(5, value_of("trace.transact.count", "again"));
}

TEST_F(local, store_turns_tracing_on_and_off)
{
	pmValueSet set = { .pmid = find("vcpc.control.tracing"), .numval = 1, .valfmt = PM_VAL_INSITU };
	pmResult result = { .numpmid = 1, .vset = { &set } };

	set.vlist[0].inst = PM_IN_NULL;
	set.vlist[0].value.lval = 1;
	ASSERT_EQ(0, pmStore(&result));
	EXPECT_LT(0, shim_trace_status());
	EXPECT_EQ(0, pmStore(&result));
	set.vlist[0].value.lval = 0;
	EXPECT_EQ(0, pmStore(&result));
	EXPECT_EQ(0, shim_trace_status());
}

TEST_HARNESS_MAIN
