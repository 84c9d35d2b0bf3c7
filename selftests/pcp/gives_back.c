// SPDX-License-Identifier: GPL-2.0-or-later
/* Contexts and results that are given back leave no memory behind, whatever was done with them. */
#include <malloc.h>

#include "pcp_fixture.h"

/* Ways of fetching, records of several shapes, and of metrics that change between the fetches */
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
	/* What the C library keeps for itself does not grow with what was done. */
	EXPECT_LT(mallinfo2().uordblks, before + 400 * 32);
}

TEST_HARNESS_MAIN
