/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the tests of <pcp/import.h>: an archive to write, and calls that read it */
#ifndef SELFTESTS_PCP_IMPORT_FIXTURE_H
#define SELFTESTS_PCP_IMPORT_FIXTURE_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include <pcp/import.h>

#define T0	1700000000
#define INDOM	pmiInDom(60, 1)
#define NONE	pmiUnits(0, 0, 0, 0, 0, 0)

FIXTURE(import) {
	char dir[64];
	char base[80];
};

FIXTURE_VARIANT(import) {
	int version;
};

FIXTURE_VARIANT_ADD(import, v2) {
	.version = 2,
};

FIXTURE_VARIANT_ADD(import, v3) {
	.version = 3,
};

FIXTURE_SETUP(import)
{
	strcpy(self->dir, "/tmp/import.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	sprintf(self->base, "%s/a", self->dir);
	ASSERT_GT(pmiStart(self->base, 0), 0);
	ASSERT_EQ(0, pmiSetVersion(variant->version));
	ASSERT_EQ(0, pmiSetHostname("h1"));
	ASSERT_EQ(0, pmiSetTimezone("UTC"));
	ASSERT_EQ(0, pmiAddMetric("demo.one", pmiID(60, 0, 1), PM_TYPE_U64, PM_INDOM_NULL,
				  PM_SEM_INSTANT, NONE));
	ASSERT_EQ(0, pmiAddMetric("demo.set", pmiID(60, 0, 2), PM_TYPE_DOUBLE, INDOM,
				  PM_SEM_INSTANT, NONE));
	ASSERT_EQ(0, pmiAddMetric("demo.text", PM_ID_NULL, PM_TYPE_STRING, PM_INDOM_NULL,
				  PM_SEM_DISCRETE, NONE));
	ASSERT_EQ(0, pmiAddInstance(INDOM, "left", 7));
	ASSERT_EQ(0, pmiAddInstance(INDOM, "right", 3));
}

FIXTURE_TEARDOWN(import)
{
	char command[128];

	pmiEnd();
	pmDestroyContext(pmWhichContext());
	sprintf(command, "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

static inline pmID pmid_of(const char *name)
{
	pmID pmid;

	return pmLookupName(1, &name, &pmid) == 1 ? pmid : PM_ID_NULL;
}

/* Return a metric's value at @sec as text, or the reason why it has none. */
static inline const char *value_at(const char *name, int sec, int inst)
{
	static char text[64];
	struct timeval when = { sec, 0 };
	pmID pmid = pmid_of(name);
	pmAtomValue v;
	pmDesc desc;
	pmResult *r;
	int err = pmLookupDesc(pmid, &desc);

	if (!err)
		err = pmSetMode(PM_MODE_INTERP, &when, 0);
	if (!err)
		err = pmFetch(1, &pmid, &r);
	if (err)
		return pmErrStr(err);
	strcpy(text, "nothing");
	for (int i = 0; i < r->vset[0]->numval; i++) {
		if (r->vset[0]->vlist[i].inst != inst)
			continue;
		err = pmExtractValue(r->vset[0]->valfmt, &r->vset[0]->vlist[i], desc.type, &v,
				     desc.type);
		pmAtomStr_r(&v, desc.type, text, sizeof(text));
		if (!err && desc.type == PM_TYPE_STRING)
			free(v.cp);
	}
	pmFreeResult(r);
	return text;
}

static inline int reopen(const char *base)
{
	return pmNewContext(PM_CONTEXT_ARCHIVE, base);
}

/* Return the number of records of an archive, as a reader sees them. */
static inline int records(const char *base)
{
	struct timeval start = { 0, 0 };
	pmResult *r;
	int n = reopen(base);

	if (n < 0)
		return n;
	pmSetMode(PM_MODE_FORW, &start, 0);
	for (n = 0; !pmFetchArchive(&r); n++)
		pmFreeResult(r);
	pmDestroyContext(pmWhichContext());
	return n;
}

#endif /* SELFTESTS_PCP_IMPORT_FIXTURE_H */
