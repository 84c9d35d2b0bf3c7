// SPDX-License-Identifier: GPL-2.0-or-later
/* Query the names, descriptors, instances, label and end of an archive. */
#include "pcp_fixture.h"

TEST_F(archive, names_to_metrics)
{
	const char *names[] = { "v.cu32", "nothing", "v", "v.", ".v", "v.cu32.x", "w.late", "" };
	static const int want[] = { 1, PM_ERR_NAME, PM_ERR_NONLEAF, PM_ERR_NAME, PM_ERR_NAME,
				    PM_ERR_NAME, 1, PM_ERR_NAME };
	pmID pmids[8];

	for (int i = 0; i < 8; i++) {
		EXPECT_EQ(pmLookupName(1, &names[i], &pmids[i]), want[i]) {
			TH_LOG("'%s'", names[i]);
		}
	}
	EXPECT_EQ(pmLookupName(8, names, pmids), 2);
	EXPECT_EQ(pmids[0], AF_PMID(CU32));
	EXPECT_EQ(pmids[1], PM_ID_NULL);
	EXPECT_EQ(pmids[6], AF_PMID(LATE));
	EXPECT_EQ(pmLookupName(1, &names[1], pmids), PM_ERR_NAME);
}

TEST_F(archive, metrics_to_names)
{
	char **all;
	char *name;

	ASSERT_EQ(pmNameID(AF_PMID(CU64), &name), 0);
	EXPECT_STREQ(name, "v.cu64");
	free(name);
	ASSERT_EQ(pmNameAll(AF_PMID(CU64), &all), 1);
	EXPECT_STREQ(all[0], "v.cu64");
	free(all);
	EXPECT_EQ(pmNameID(1, &name), PM_ERR_PMID);
	EXPECT_EQ(pmNameAll(PM_ID_NULL, &all), PM_ERR_PMID);
}

static void count(const char *name, void *closure)
{
	char *last = closure;
	const char *list[] = { name };
	pmID pmid;

	/* The callback can call PMAPI functions. */
	if (pmLookupName(1, list, &pmid) == 1)
		snprintf(last, 64, "%s", name);
}

/*
 * The names of a metric are returned in the order of the name tree, whose groups are sorted by
 * their first names.
 */
TEST_F(archive, names_in_the_order_of_the_tree)
{
	static const char *const want[] = { "a.two.y", "a.three.y", "y" };
	struct af a;
	char base[256], *name, **names;

	af_folder(base, sizeof(base));
	af_open(&a, base, 3);
	af_desc(&a, AF_PMID(C32), 1, AF_NONE, 3, 0, "a.two.x");
	af_desc(&a, AF_PMID(CU32), 1, AF_NONE, 3, 0, "a.three.y a.two.y y");
	af_index(&a, 0);
	af_begin(&a, 0);
	af_set(&a, AF_PMID(CU32), 0);
	af_u32(&a, -1, 1);
	af_end(&a);
	af_close(&a);
	ASSERT_EQ(pmDestroyContext(pmWhichContext()), 0);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, base), 0);
	ASSERT_EQ(pmNameID(AF_PMID(CU32), &name), 0);
	EXPECT_STREQ(name, want[0]);
	free(name);
	ASSERT_EQ(pmNameAll(AF_PMID(CU32), &names), 3);
	for (int i = 0; i < 3; i++)
		EXPECT_STREQ(names[i], want[i]);
	free(names);
	af_remove(base);
}

TEST_F(archive, the_tree)
{
	char last[64] = "";
	char **names;
	int *status;

	ASSERT_EQ(pmGetChildrenStatus("", &names, &status), 3);
	EXPECT_STREQ(names[0], "w");
	EXPECT_STREQ(names[1], "v");
	EXPECT_STREQ(names[2], "event");
	EXPECT_EQ(status[0], PMNS_NONLEAF_STATUS);
	free(names);
	free(status);
	ASSERT_EQ(pmGetChildrenStatus("w", &names, &status), 3);
	EXPECT_STREQ(names[0], "late");
	EXPECT_EQ(status[0], PMNS_LEAF_STATUS);
	free(names);
	free(status);
	EXPECT_EQ(pmGetChildren("v.cu32", &names), 0);
	EXPECT_EQ(names, NULL);
	EXPECT_EQ(pmGetChildren("x", &names), PM_ERR_NAME);
	EXPECT_EQ(pmTraversePMNS_r("", count, last), 16);
	EXPECT_EQ(pmTraversePMNS_r("v", count, last), 11);
	EXPECT_STREQ(last, "v.cu32");
	EXPECT_EQ(pmTraversePMNS_r("v.inst", count, last), 1);
	EXPECT_STREQ(last, "v.inst");
	EXPECT_EQ(pmTraversePMNS_r("vv", count, last), PM_ERR_NAME);
}

TEST_F(archive, descriptors)
{
	pmID pmids[] = { AF_PMID(SET), 1, AF_PMID(CU64) };
	pmDesc descs[3];

	ASSERT_EQ(pmLookupDescs(3, pmids, descs), 2);
	EXPECT_EQ(descs[0].pmid, pmids[0]);
	EXPECT_EQ(descs[0].indom, AF_INDOM);
	EXPECT_EQ(descs[0].type, PM_TYPE_U32);
	EXPECT_EQ(descs[0].sem, PM_SEM_COUNTER);
	EXPECT_EQ(descs[1].pmid, PM_ID_NULL);
	EXPECT_EQ((int)descs[2].units.dimSpace, 1);
	EXPECT_EQ((int)descs[2].units.scaleSpace, PM_SPACE_KBYTE);
	EXPECT_EQ((int)descs[2].units.dimTime, 0);
	EXPECT_EQ(pmLookupDesc(1, &descs[0]), PM_ERR_PMID_LOG);
}

TEST_F(archive, instances)
{
	char **names;
	char *name;
	int *ids;

	ASSERT_EQ(go_to(PM_MODE_INTERP, 20000, 0), 0);
	ASSERT_EQ(pmGetInDom(AF_INDOM, &ids, &names), 1);
	free(ids);
	free(names);
	EXPECT_EQ(pmNameInDom(AF_INDOM, 1, &name), PM_ERR_INST_LOG);
	EXPECT_EQ(pmLookupInDom(AF_INDOM, "i1"), PM_ERR_INST_LOG);
	EXPECT_EQ(pmLookupInDom(AF_INDOM, "i0"), 0);
	ASSERT_EQ(pmGetInDomArchive(AF_INDOM, &ids, &names), 2);
	EXPECT_EQ(ids[1], 1);
	EXPECT_STREQ(names[1], "i1");
	free(ids);
	free(names);
	ASSERT_EQ(pmNameInDomArchive(AF_INDOM, 1, &name), 0);
	EXPECT_STREQ(name, "i1");
	free(name);
	EXPECT_EQ(pmLookupInDomArchive(AF_INDOM, "i1"), 1);
	EXPECT_EQ(pmLookupInDomArchive(AF_INDOM, "i2"), PM_ERR_INST_LOG);
	EXPECT_EQ(pmLookupInDomArchive(AF_INDOM + 1, "i1"), PM_ERR_INDOM_LOG);
	ASSERT_EQ(go_to(PM_MODE_INTERP, -1000, 0), 0);
	EXPECT_EQ(pmGetInDom(AF_INDOM, &ids, &names), PM_ERR_INDOM_LOG);
	EXPECT_EQ(ids, NULL);
	EXPECT_EQ(names, NULL);
}

TEST_F(archive, label_and_end)
{
	pmHighResLogLabel full;
	pmLogLabel label;
	struct timespec ts;
	struct timeval tv;

	ASSERT_EQ(pmGetArchiveLabel(&label), 0);
	EXPECT_EQ(label.ll_magic, PM_LOG_MAGIC | PM_LOG_VERS03);
	EXPECT_EQ(label.ll_pid, 4711);
	EXPECT_EQ(label.ll_start.tv_sec, AF_START);
	EXPECT_STREQ(label.ll_hostname, "testhost");
	EXPECT_STREQ(label.ll_tz, "UTC");
	ASSERT_EQ(pmGetHighResArchiveLabel(&full), 0);
	EXPECT_STREQ(full.zoneinfo, ":UTC");
	ASSERT_EQ(pmGetArchiveEnd(&tv), 0);
	EXPECT_EQ(tv.tv_sec, AF_START + 50);
	ASSERT_EQ(pmGetHighResArchiveEnd(&ts), 0);
	EXPECT_EQ(ts.tv_sec, AF_START + 50);
	EXPECT_EQ(ts.tv_nsec, 0);
}

TEST_HARNESS_MAIN
