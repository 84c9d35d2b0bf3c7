// SPDX-License-Identifier: GPL-2.0-or-later
/* Unpack event records from values: valid records, and records with wrong lengths. */
#include <stdbool.h>
#include <stddef.h>

#include "pcp_fixture.h"

static union {
	pmValueBlock block;
	char bytes[256];
} value;
static pmValueSet set;

/* Build a record of @nparams parameters; the first one has the type @type and the length @len. */
static void one_record(int nparams, int type, unsigned int len)
{
	pmEventRecord r = { .er_timestamp = { 10, 20 }, .er_flags = PM_EVENT_FLAG_POINT,
			    .er_nparams = nparams };
	int records = 1;

	r.er_param[0].ep_pmid = AF_PMID(7);
	r.er_param[0].ep_type = type;
	r.er_param[0].ep_len = len;
	memset(&value, 0, sizeof(value));
	memcpy(value.block.vbuf, &records, 4);
	memcpy(value.block.vbuf + 4, &r, sizeof(r));
	memcpy(value.block.vbuf + 4 + sizeof(r), "abc", 4);
	value.block.vtype = PM_TYPE_EVENT;
	value.block.vlen = PM_VAL_HDR_SIZE + 4 + sizeof(r) + 4;
	set = (pmValueSet){ .pmid = AF_PMID(6), .numval = 1, .valfmt = PM_VAL_DPTR };
	set.vlist[0].value.pval = &value.block;
}

TEST(a_record)
{
	pmResult **rap;

	one_record(1, PM_TYPE_STRING, 8);
	ASSERT_EQ(pmUnpackEventRecords(&set, 0, &rap), 1);
	EXPECT_EQ(rap[1], NULL);
	EXPECT_EQ(rap[0]->timestamp.tv_sec, 10);
	EXPECT_EQ(rap[0]->timestamp.tv_usec, 20);
	ASSERT_EQ(rap[0]->numpmid, 2);
	EXPECT_EQ(rap[0]->vset[0]->pmid, pmID_build(DYNAMIC_PMID, 0, 1));
	EXPECT_EQ(rap[0]->vset[0]->vlist[0].value.lval, PM_EVENT_FLAG_POINT);
	EXPECT_EQ(rap[0]->vset[1]->pmid, AF_PMID(7));
	EXPECT_STREQ(rap[0]->vset[1]->vlist[0].value.pval->vbuf, "abc");
	pmFreeEventResult(rap);
}

TEST(lengths_that_do_not_fit)
{
	static const struct {
		int nparams, type;
		unsigned int len;
		int want;
	} rows[] = {
		{ -1, PM_TYPE_32, 8, PM_ERR_TOOSMALL },
		{ 1, PM_TYPE_32, 3, PM_ERR_TOOSMALL },
		{ 1, PM_TYPE_32, 4, PM_ERR_TOOSMALL },
		{ 1, PM_TYPE_STRING, 0, PM_ERR_TOOSMALL },
		{ 1, PM_TYPE_STRING, 9, PM_ERR_TOOBIG },
		{ 2, PM_TYPE_STRING, 8, PM_ERR_TOOBIG },
		{ 1 << 30, PM_TYPE_STRING, 8, PM_ERR_TOOBIG },
		{ 1, PM_TYPE_EVENT, 8, PM_ERR_TYPE },
		{ 1, PM_TYPE_HIGHRES_EVENT, 8, PM_ERR_TYPE },
	};
	pmResult **rap = NULL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		one_record(rows[i].nparams, rows[i].type, rows[i].len);
		EXPECT_EQ(pmUnpackEventRecords(&set, 0, &rap), rows[i].want) {
			TH_LOG("row %zu", i);
		}
		EXPECT_EQ(rap, NULL);
	}
	one_record(1, PM_TYPE_STRING, 8);
	EXPECT_EQ(pmUnpackEventRecords(&set, 1, &rap), -EINVAL);
	EXPECT_EQ(pmUnpackEventRecords(&set, -1, &rap), -EINVAL);
}

/*
 * Begin a value of @n records from 10 s on; records whose bit is set in @missed count missed
 * records.
 */
static void records_without_parameters(int n, unsigned int missed)
{
	char *at = value.block.vbuf + 4;

	memset(&value, 0, sizeof(value));
	memcpy(value.block.vbuf, &n, 4);
	for (int i = 0; i < n; i++, at += offsetof(pmEventRecord, er_param)) {
		bool counts = missed & 1u << i;
		pmEventRecord r = {
			.er_timestamp = { 10 + i, 0 }, .er_nparams = counts ? 5 : 0,
			.er_flags = counts ? PM_EVENT_FLAG_MISSED : PM_EVENT_FLAG_POINT,
		};

		memcpy(at, &r, offsetof(pmEventRecord, er_param));
	}
	value.block.vtype = PM_TYPE_EVENT;
	value.block.vlen = (unsigned int)(at - value.bytes);
	set.vlist[0].value.pval = &value.block;
}

/*
 * After a record that counts missed records, PCP's library treats all later records as if they did.
 */
TEST(printed)
{
	static const struct {
		int n;
		unsigned int missed;
		const char *text;
	} rows[] = {
		{ 0, 0, "[0 event records]" },
		{ 1, 0, "[1 event record timestamp 00:00:10.000]" },
		{ 3, 0, "[3 event records timestamps 00:00:10.000...00:00:12.000]" },
		{ 3, 1, "[3 event records (5 missed) timestamps 00:00:11.000...00:00:12.000]" },
		{ 3, 2, "[3 event records (5 missed) timestamps 00:00:10.000...00:00:12.000]" },
		{ 3, 4, "[3 event records (5 missed) timestamps 00:00:10.000...00:00:11.000]" },
		{ 3, 6, "[3 event records (10 missed) timestamps 00:00:10.000...00:00:10.000]" },
		{ 1, 1, "[1 event record (5 missed)]" },
	};
	char text[200];

	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		FILE *f = fmemopen(text, sizeof(text), "w");

		ASSERT_NE(f, NULL);
		records_without_parameters(rows[i].n, rows[i].missed);
		pmPrintValue(f, PM_VAL_DPTR, PM_TYPE_EVENT, &set.vlist[0], 80);
		fclose(f);
		EXPECT_STREQ(text, rows[i].text);
	}
}

TEST_HARNESS_MAIN
