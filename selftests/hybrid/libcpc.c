// SPDX-License-Identifier: GPL-2.0-or-later
/* With two kinds of core, libcpc reports the smaller of the two numbers of counters. */
#include <errno.h>
#include <string.h>

#include "cpc/libcpc.h"
#include "kselftest_harness.h"
#include "synthetic.h"

#define CYCLES_FIT	5	/* four programmable counters and a fixed one */

FIXTURE(cpc) {
	cpc_t *cpc;
	cpc_set_t *set;
};

FIXTURE_SETUP(cpc)
{
	if (!is_hybrid())
		return;
	ASSERT_TRUE(move_to(0));
	ASSERT_TRUE(set_manual(true));
	self->cpc = cpc_open(CPC_VER_CURRENT);
	ASSERT_NE(NULL, self->cpc);
	self->set = cpc_set_create(self->cpc);
}

FIXTURE_TEARDOWN(cpc)
{
	if (!self->cpc)
		return;
	cpc_close(self->cpc);
	set_manual(false);
}

#define NEED_HYBRID() do { if (!self->cpc) SKIP(return, "needs VM_PMU=hybrid"); } while (0)

TEST_F(cpc, machine)
{
	NEED_HYBRID();
	EXPECT_EQ(CYCLES_FIT, cpc_npic(self->cpc));
	EXPECT_NE(NULL, strstr(cpc_cciname(self->cpc), " on cpu_core and cpu_atom"));
	/* Overflows are not supported, because an overflow of a sum cannot be detected. */
	EXPECT_EQ(0, cpc_caps(self->cpc));
}

static int add(FIXTURE_DATA(cpc) *self, const char *event)
{
	return cpc_set_add_request(self->cpc, self->set, event, 0,
				   CPC_COUNT_USER | CPC_COUNT_SYSTEM, 0, NULL);
}

TEST_F(cpc, counts)
{
	cpc_buf_t *buf;
	uint64_t value;

	NEED_HYBRID();
	ASSERT_EQ(0, add(self, "PAPI_tot_ins"));
	ASSERT_EQ(1, add(self, "cpu_atom/cycles/"));
	ASSERT_EQ(2, add(self, "cpu_core/core_only/"));
	EXPECT_EQ(-1, add(self, "cpu_atom/core_only/"));
	buf = cpc_buf_create(self->cpc, self->set);
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	for (int i = 0; i < 1000; i++) {
		ASSERT_TRUE(move_to(i % 2));
		ASSERT_TRUE(make_ticks(10));
	}
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, buf));
	ASSERT_EQ(0, cpc_buf_get(self->cpc, buf, 0, &value));
	EXPECT_EQ(5000 * (CORE_INSTRUCTIONS + ATOM_INSTRUCTIONS), value);
	ASSERT_EQ(0, cpc_buf_get(self->cpc, buf, 1, &value));
	EXPECT_EQ(5000 * ATOM_CYCLES, value);
	ASSERT_EQ(0, cpc_buf_get(self->cpc, buf, 2, &value));
	EXPECT_EQ(5000 * 5, value);
}

TEST_HARNESS_MAIN
