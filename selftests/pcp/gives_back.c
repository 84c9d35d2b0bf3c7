// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory is freed with contexts and results, regardless of how they were used. */
#include <malloc.h>

#include "pcp_fixture.h"

/*
 * Fetch in several modes, from different kinds of records, and with lists of metrics that change
 * between fetches.
 */
static int use(const char *base)
{
	static const int modes[] = { PM_MODE_FORW, PM_MODE_BACK, PM_MODE_INTERP };
	pmID lists[2][3] = {
		{ AF_PMID(CU32), AF_PMID(SET), AF_PMID(CSTR) },
		{ AF_PMID(CDBL), AF_PMID(CU64), AF_PMID(NEVER) },
	};
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, base), n = 0;
	pmResult *r;

	for (int i = 0; i < 3; i++) {
		go_to(modes[i], modes[i] == PM_MODE_BACK ? 50000 : 0, 1000);
		for (int k = 0; k < 40 && pmFetch(3, lists[k / 2 % 2], &r) >= 0; k++, n++)
			pmFreeResult(r);
		go_to(modes[i] == PM_MODE_INTERP ? PM_MODE_FORW : modes[i],
		      modes[i] == PM_MODE_BACK ? 50000 : 0, 0);
		while (pmFetchArchive(&r) >= 0) {
			pmFreeResult(r);
			n++;
		}
	}
	pmDestroyContext(handle);
	return n;
}

TEST_F(archive, memory_does_not_grow)
{
	size_t before;

	for (int i = 0; i < 5; i++)
		ASSERT_LT(20, use(self->base));
	before = mallinfo2().uordblks;
	for (int i = 0; i < 400; i++)
		use(self->base);
	/* The memory in use does not grow with the number of calls. */
	EXPECT_LT(mallinfo2().uordblks, before + 400 * 32);
}

/*
 * A program without standard input can read compressed volumes; one of its files can have
 * descriptor 0.
 */
TEST_F(archive, descriptor_0_is_one_as_any)
{
	char command[600];
	int want, handle;

	handle = pmNewContext(PM_CONTEXT_ARCHIVE, self->base);
	want = number_at(AF_PMID(CU32), 30000);
	ASSERT_NE(0, want);
	pmDestroyContext(handle);
	snprintf(command, sizeof(command), "gzip %s.0", self->base);
	ASSERT_EQ(0, system(command));
	close(0);
	for (int i = 0; i < 3; i++) {
		handle = pmNewContext(PM_CONTEXT_ARCHIVE, self->base);
		ASSERT_LE(0, handle);
		EXPECT_EQ(want, number_at(AF_PMID(CU32), 30000));
		pmDestroyContext(handle);
		EXPECT_EQ(0, dup(1));
		close(0);
	}
}

TEST_HARNESS_MAIN
