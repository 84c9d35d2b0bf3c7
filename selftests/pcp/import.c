// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An archive contains the values that an importer puts, and LOGIMPORT rejects values that an
 * archive cannot contain.
 */
#include <locale.h>

#include "import_fixture.h"

TEST_F(import, what_is_put_can_be_read)
{
	pmAtomValue v = { .d = 0.25 };
	pmLogLabel label;
	struct timeval end;
	int handle = pmiGetHandle("demo.set", "left");

	ASSERT_GT(handle, 0);
	EXPECT_EQ(0, pmiPutValue("demo.one", NULL, "18446744073709551615"));
	EXPECT_EQ(0, pmiPutAtomValueHandle(handle, &v));
	EXPECT_EQ(0, pmiPutValue("demo.set", "right", "-1.5"));
	EXPECT_EQ(0, pmiWrite(T0, 500000));
	v.cp = (char *)"two words";
	EXPECT_EQ(0, pmiPutAtomValue("demo.text", "", &v));
	EXPECT_EQ(0, pmiHighResWrite(T0 + 10, 123456789));
	/* Write a first record, so that the records requested below follow it. */
	EXPECT_EQ(0, pmiPutValue("demo.one", NULL, "0"));
	EXPECT_EQ(0, pmiPutAtomValueHandle(handle, &v));
	EXPECT_EQ(0, pmiPutValue("demo.set", "right", "0"));
	EXPECT_EQ(0, pmiPutValue("demo.text", NULL, "end"));
	EXPECT_EQ(0, pmiHighResWrite(T0 + 20, 123456789));
	EXPECT_EQ(0, pmiEnd());

	ASSERT_GE(reopen(self->base), 0);
	ASSERT_EQ(0, pmGetArchiveLabel(&label));
	EXPECT_EQ(PM_LOG_MAGIC | variant->version, label.ll_magic);
	EXPECT_STREQ("h1", label.ll_hostname);
	EXPECT_STREQ("UTC", label.ll_tz);
	EXPECT_EQ(T0, label.ll_start.tv_sec);
	EXPECT_EQ(500000, label.ll_start.tv_usec);
	ASSERT_EQ(0, pmGetArchiveEnd(&end));
	EXPECT_EQ(T0 + 20, end.tv_sec);
	EXPECT_EQ(123456, end.tv_usec);
	EXPECT_STREQ("18446744073709551615", value_at("demo.one", T0 + 1, -1));
	EXPECT_STREQ("2.500000e-01", value_at("demo.set", T0 + 1, 7));
	EXPECT_STREQ("-1.500000e+00", value_at("demo.set", T0 + 1, 3));
	EXPECT_STREQ("\"two words\"", value_at("demo.text", T0 + 11, -1));
	EXPECT_EQ(pmiID(245, 0, 3), pmid_of("demo.text"));
}

TEST_F(import, instances_come_and_go)
{
	int handle = pmiGetHandle("demo.set", "left"), *ids;
	struct timeval when = { T0 + 5, 0 };
	char **names, *name;

	ASSERT_EQ(0, pmiPutValueHandle(handle, "1"));
	ASSERT_EQ(0, pmiPutValue("demo.set", "right", "2"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	/*
	 * If an instance is removed before a record is written, the record does not contain its
	 * value.
	 */
	ASSERT_EQ(0, pmiPutValueHandle(handle, "3"));
	EXPECT_EQ(0, pmiDelInstance(INDOM, 7));
	EXPECT_EQ(PM_ERR_INST, pmiDelInstance(INDOM, 7));
	EXPECT_EQ(PM_ERR_INDOM, pmiDelInstance(pmiInDom(60, 9), 7));
	EXPECT_EQ(PM_ERR_INST, pmiPutValueHandle(handle, "3"));
	EXPECT_EQ(PM_ERR_INST, pmiPutValue("demo.set", "left", "3"));
	EXPECT_EQ(PMI_ERR_NODATA, pmiWrite(T0 + 5, 0));
	EXPECT_EQ(0, pmiAddInstance(INDOM, "middle", 5));
	ASSERT_EQ(0, pmiPutValue("demo.set", "middle", "4"));
	ASSERT_EQ(0, pmiWrite(T0 + 5, 0));
	/* The name and the number can be used again, even separately. */
	EXPECT_EQ(0, pmiAddInstance(INDOM, "other", 7));
	EXPECT_EQ(0, pmiAddInstance(INDOM, "left", 8));
	EXPECT_EQ(PM_ERR_INST, pmiPutValueHandle(handle, "3"));
	ASSERT_EQ(0, pmiPutValue("demo.set", "left", "6"));
	ASSERT_EQ(0, pmiWrite(T0 + 10, 0));
	ASSERT_EQ(0, pmiEnd());

	ASSERT_GE(reopen(self->base), 0);
	ASSERT_EQ(0, pmSetMode(PM_MODE_INTERP, &when, 0));
	ASSERT_EQ(2, pmGetInDom(INDOM, &ids, &names));
	EXPECT_EQ(3, ids[0]);
	EXPECT_EQ(5, ids[1]);
	EXPECT_STREQ("middle", names[1]);
	free(ids);
	free(names);
	when.tv_sec = T0 + 10;
	ASSERT_EQ(0, pmSetMode(PM_MODE_INTERP, &when, 0));
	ASSERT_EQ(0, pmNameInDom(INDOM, 7, &name));
	EXPECT_STREQ("other", name);
	free(name);
	EXPECT_EQ(8, pmLookupInDom(INDOM, "left"));
	EXPECT_STREQ("6.000000e+00", value_at("demo.set", T0 + 10, 8));
}

TEST_F(import, refusals_change_nothing)
{
	EXPECT_EQ(PMI_ERR_BADVERSION, pmiSetVersion(1));
	EXPECT_EQ(PMI_ERR_DUPMETRICNAME, pmiAddMetric("demo.one", PM_ID_NULL, PM_TYPE_32,
						      PM_INDOM_NULL, PM_SEM_INSTANT, NONE));
	EXPECT_EQ(PMI_ERR_DUPMETRICNAME, pmiAddMetric("demo.one.more", PM_ID_NULL, PM_TYPE_32,
						      PM_INDOM_NULL, PM_SEM_INSTANT, NONE));
	EXPECT_EQ(PMI_ERR_DUPMETRICNAME, pmiAddMetric("demo", PM_ID_NULL, PM_TYPE_32,
						      PM_INDOM_NULL, PM_SEM_INSTANT, NONE));
	EXPECT_EQ(PMI_ERR_DUPMETRICID, pmiAddMetric("a", pmiID(60, 0, 1), PM_TYPE_32,
						    PM_INDOM_NULL, PM_SEM_INSTANT, NONE));
	EXPECT_EQ(PMI_ERR_BADMETRICNAME, pmiAddMetric("1a", PM_ID_NULL, PM_TYPE_32, PM_INDOM_NULL,
						      PM_SEM_INSTANT, NONE));
	EXPECT_EQ(PMI_ERR_BADMETRICNAME, pmiAddMetric(NULL, PM_ID_NULL, PM_TYPE_32, PM_INDOM_NULL,
						      PM_SEM_INSTANT, NONE));
	EXPECT_EQ(PMI_ERR_BADTYPE, pmiAddMetric("a", PM_ID_NULL, PM_TYPE_AGGREGATE, PM_INDOM_NULL,
						PM_SEM_INSTANT, NONE));
	EXPECT_EQ(PMI_ERR_BADSEM, pmiAddMetric("a", PM_ID_NULL, PM_TYPE_32, PM_INDOM_NULL, 2,
					       NONE));
	EXPECT_EQ(PM_ERR_UNIT, pmiAddMetric("a", PM_ID_NULL, PM_TYPE_32, PM_INDOM_NULL,
					    PM_SEM_INSTANT, pmiUnits(3, 0, 0, 0, 0, 0)));
	EXPECT_EQ(PM_ERR_INDOM, pmiAddMetric("a", PM_ID_NULL, PM_TYPE_32, INDOM, PM_SEM_INSTANT,
					     NONE));
	EXPECT_EQ(PM_ERR_INDOM, pmiAddMetric("a", pmiID(511, 0, 1), PM_TYPE_32, INDOM | 1U << 31,
					     PM_SEM_INSTANT, NONE));
	/* pmrep writes derived metrics with the instances of their operands. */
	EXPECT_EQ(0, pmiAddMetric("demo.derived", pmiID(511, 0, 1), PM_TYPE_32, INDOM,
				  PM_SEM_INSTANT, NONE));
	EXPECT_EQ(PMI_ERR_DUPINSTNAME, pmiAddInstance(INDOM, "left", 9));
	EXPECT_EQ(PMI_ERR_DUPINSTID, pmiAddInstance(INDOM, "x", 7));
	EXPECT_EQ(PM_ERR_INST, pmiAddInstance(INDOM, "", 9));
	EXPECT_EQ(PM_ERR_INST, pmiAddInstance(INDOM, "x", -1));
	EXPECT_EQ(PM_ERR_INDOM, pmiAddInstance(PM_INDOM_NULL, "x", 1));
	EXPECT_EQ(PM_ERR_NAME, pmiGetHandle("nope", NULL));
	EXPECT_EQ(PM_ERR_INST, pmiGetHandle("demo.set", "nobody"));
	EXPECT_EQ(0, pmiAddMetric("demo.empty", pmiID(60, 0, 99), PM_TYPE_32, pmiInDom(60, 99),
				  PM_SEM_INSTANT, NONE));
	EXPECT_EQ(PM_ERR_INDOM, pmiGetHandle("demo.empty", "nobody"));
	EXPECT_EQ(PM_ERR_INDOM, pmiPutValue("demo.empty", "nobody", "1"));
	EXPECT_EQ(PMI_ERR_INSTNULL, pmiGetHandle("demo.set", ""));
	EXPECT_EQ(PMI_ERR_INSTNOTNULL, pmiGetHandle("demo.one", "left"));
	EXPECT_EQ(PMI_ERR_BADHANDLE, pmiPutValueHandle(1, "1"));
	EXPECT_EQ(PM_ERR_CONV, pmiPutValue("demo.one", NULL, "12 apples"));
	EXPECT_EQ(PM_ERR_CONV, pmiPutValue("demo.one", NULL, NULL));
	EXPECT_EQ(PMI_ERR_NODATA, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	EXPECT_EQ(PMI_ERR_DUPVALUE, pmiPutValue("demo.one", NULL, "2"));
	EXPECT_EQ(PMI_ERR_BADTIMESTAMP, pmiWrite(T0, 1000000));
	EXPECT_EQ(PMI_ERR_BADTIMESTAMP, pmiWrite(T0, -1));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "3"));
	EXPECT_EQ(PMI_ERR_BADTIMESTAMP, pmiWrite(T0 - 1, 0));
	EXPECT_STREQ(pmiErrStr(PMI_ERR_BADTIMESTAMP), pmiErrStr(-1));
	/* After the error, the value is still waiting to be written. */
	ASSERT_EQ(0, pmiWrite(T0 + 1, 0));
	ASSERT_EQ(0, pmiEnd());
	EXPECT_EQ(2, records(self->base));
	EXPECT_EQ(PM_ERR_NOCONTEXT, pmiPutValue("demo.one", NULL, "1"));
	EXPECT_EQ(PM_ERR_NOCONTEXT, pmiUseContext(0));
	EXPECT_EQ(PM_ERR_NOCONTEXT, pmiUseContext(1000));
}

static pmResult *result_of(int sec, pmID pmid, int numval, int inst, pmValueBlock *block)
{
	pmResult *r = calloc(1, sizeof(*r));
	pmValueSet *set = calloc(1, sizeof(*set) + sizeof(pmValue));

	r->timestamp.tv_sec = sec;
	r->numpmid = 1;
	r->vset[0] = set;
	set->pmid = pmid;
	set->numval = numval;
	set->valfmt = PM_VAL_DPTR;
	for (int i = 0; i < numval; i++) {
		set->vlist[i].inst = inst;
		set->vlist[i].value.pval = block;
	}
	return r;
}

static int put_result(int sec, pmID pmid, int numval, int inst, pmValueBlock *block)
{
	pmResult *r = result_of(sec, pmid, numval, inst, block);
	int err = pmiPutResult(r);

	free(r->vset[0]);
	free(r);
	return err;
}

/* Texts or labels alone make one pmiWrite() succeed.  They are written with the next record. */
TEST_F(import, a_write_without_values)
{
	ASSERT_EQ(0, pmiPutText(PM_TEXT_PMID, PM_TEXT_ONELINE, pmiID(60, 0, 1), "early"));
	EXPECT_EQ(0, pmiWrite(T0, 0));
	EXPECT_EQ(PMI_ERR_NODATA, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiPutLabel(PM_LABEL_DOMAIN, 60, 0, "x", "1"));
	EXPECT_EQ(0, pmiWrite(T0, 0));
	EXPECT_EQ(PMI_ERR_NODATA, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	EXPECT_EQ(PMI_ERR_NODATA, pmiWrite(T0, 0));
	/* A label that was written with a record does not make another pmiWrite() succeed. */
	ASSERT_EQ(0, pmiPutLabel(PM_LABEL_DOMAIN, 60, 0, "y", "1"));
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(T0 + 1, 0));
	EXPECT_EQ(PMI_ERR_NODATA, pmiWrite(T0 + 1, 0));
	ASSERT_EQ(0, pmiEnd());
}

/*
 * If the name and the number are in use by different instances, the instance that was added first
 * determines the error.  After a record with values of the domain, the instance with the smaller
 * number does.
 */
TEST_F(import, two_reasons_to_refuse_an_instance)
{
	ASSERT_EQ(0, pmiAddInstance(INDOM, "first", 100));
	ASSERT_EQ(0, pmiAddInstance(INDOM, "second", 99));
	EXPECT_EQ(PMI_ERR_DUPINSTNAME, pmiAddInstance(INDOM, "first", 99));
	EXPECT_EQ(PMI_ERR_DUPINSTID, pmiAddInstance(INDOM, "second", 100));
	EXPECT_EQ(PMI_ERR_DUPINSTNAME, pmiAddInstance(INDOM, "second", 99));
	EXPECT_EQ(PMI_ERR_DUPINSTID, pmiAddInstance(INDOM, "third", 100));
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	EXPECT_EQ(PMI_ERR_DUPINSTNAME, pmiAddInstance(INDOM, "first", 99));
	ASSERT_EQ(0, pmiPutValue("demo.set", "first", "1"));
	ASSERT_EQ(0, pmiWrite(T0 + 1, 0));
	EXPECT_EQ(PMI_ERR_DUPINSTID, pmiAddInstance(INDOM, "first", 99));
	EXPECT_EQ(PMI_ERR_DUPINSTNAME, pmiAddInstance(INDOM, "second", 100));
	ASSERT_EQ(0, pmiAddInstance(INDOM, "third", 98));
	EXPECT_EQ(PMI_ERR_DUPINSTID, pmiAddInstance(INDOM, "third", 100));
	EXPECT_EQ(PMI_ERR_DUPINSTNAME, pmiAddInstance(INDOM, "first", 98));
	EXPECT_EQ(0, pmiPutLabel(PM_LABEL_DOMAIN, 60, 0, "_x", "1"));
	EXPECT_EQ(0, pmiPutLabel(PM_LABEL_DOMAIN, 60, 0, "0x", "1"));
	EXPECT_EQ(PMI_ERR_ADDLABELERROR, pmiPutLabel(PM_LABEL_DOMAIN, 60, 0, "x-", "1"));
}

TEST_F(import, results)
{
	union {
		pmValueBlock block;
		char bytes[16];
	} v = { .block = { .vtype = PM_TYPE_DOUBLE, .vlen = PM_VAL_HDR_SIZE + 8 } };
	const double number = 2.5;
	pmResult none = { .timestamp = { T0 + 2, 0 } };

	memcpy(v.block.vbuf, &number, sizeof(number));
	EXPECT_EQ(PM_ERR_PMID, put_result(T0, pmiID(60, 9, 9), 1, 3, &v.block));
	EXPECT_EQ(PM_ERR_INST, put_result(T0, pmiID(60, 0, 2), 1, 4, &v.block));
	EXPECT_EQ(PM_ERR_CONV, put_result(T0, pmiID(60, 0, 1), 1, -1, &v.block));
	EXPECT_EQ(PMI_ERR_DUPVALUE, put_result(T0, pmiID(60, 0, 2), 2, 3, &v.block));
	v.block.vlen--;
	EXPECT_EQ(PM_ERR_CONV, put_result(T0, pmiID(60, 0, 2), 1, 3, &v.block));
	v.block.vlen++;
	EXPECT_EQ(0, put_result(T0, pmiID(60, 0, 2), 1, 3, &v.block));
	EXPECT_EQ(0, put_result(T0 + 1, pmiID(60, 0, 1), PM_ERR_APPVERSION, 0, NULL));
	EXPECT_EQ(0, pmiPutResult(&none));
	EXPECT_EQ(PMI_ERR_BADTIMESTAMP, put_result(T0, pmiID(60, 0, 2), 1, 3, &v.block));
	EXPECT_EQ(0, put_result(T0 + 3, pmiID(60, 0, 2), 1, 3, &v.block));
	ASSERT_EQ(0, pmiEnd());
	EXPECT_EQ(4, records(self->base));
	ASSERT_GE(reopen(self->base), 0);
	EXPECT_STREQ("2.500000e+00", value_at("demo.set", T0, 3));
	EXPECT_STREQ("nothing", value_at("demo.set", T0 + 2, 3));
}

/* A scale without its dimension is meaningless, and pmlogcheck would report it. */
TEST_F(import, a_scale_alone_is_dropped)
{
	static const struct {
		const char *name;
		pmUnits units;
	} rows[] = {
		{ "scale.space", { .scaleSpace = PM_SPACE_MBYTE } },
		{ "scale.time", { .scaleTime = PM_TIME_SEC } },
		{ "scale.count", { .scaleCount = 3 } },
		{ "scale.kept", { .dimSpace = 1, .scaleSpace = PM_SPACE_MBYTE, .dimTime = -1,
				  .scaleTime = PM_TIME_SEC, .dimCount = 1, .scaleCount = 3 } },
	};
	const size_t n = sizeof(rows) / sizeof(rows[0]);
	pmDesc desc;
	pmID pmid;

	for (size_t i = 0; i < n; i++) {
		ASSERT_EQ(0, pmiAddMetric(rows[i].name, PM_ID_NULL, PM_TYPE_U32, PM_INDOM_NULL,
					  PM_SEM_INSTANT, rows[i].units));
		ASSERT_EQ(0, pmiPutValue(rows[i].name, "", "1"));
	}
	ASSERT_EQ(0, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiEnd());
	ASSERT_EQ(0, pmNewContext(PM_CONTEXT_ARCHIVE, self->base));
	for (size_t i = 0; i < n; i++) {
		const pmUnits none = { 0 }, *want = i + 1 < n ? &none : &rows[i].units;
		const char *name = rows[i].name;

		ASSERT_EQ(1, pmLookupName(1, &name, &pmid));
		ASSERT_EQ(0, pmLookupDesc(pmid, &desc));
		EXPECT_EQ(0, memcmp(want, &desc.units, sizeof(*want))) TH_LOG("%s", name);
	}
}

/* A set can have 255 labels.  PCP's writer accepts more, and no reader can open the result. */
TEST_F(import, more_labels_than_an_archive_can_have)
{
	pmLabelSet *sets;
	char name[16];

	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "l%d", i);
		EXPECT_EQ(i < 255 ? 0 : PMI_ERR_ADDLABELERROR,
			  pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, name, "true"));
	}
	/* Replacing a value takes no space. */
	EXPECT_EQ(0, pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "l7", "false"));
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
		EXPECT_EQ(0, pmiWrite(T0 + i, 0));
	}
	EXPECT_EQ(0, pmiEnd());
	ASSERT_EQ(0, pmNewContext(PM_CONTEXT_ARCHIVE, self->base));
	ASSERT_EQ(1, pmGetContextLabels(&sets));
	EXPECT_EQ(255, sets->nlabels);
	EXPECT_NE(NULL, strstr(sets->json, "\"l7\":false"));
	pmFreeLabelSets(sets, 1);
}

/* Numbers have a decimal point in every locale. */
TEST_F(import, numbers_in_another_locale)
{
	static const char *const text[] = { "1.5", "1.5e3", "-2.25e-1" };
	static const double want[] = { 1.5, 1500, -0.225 };
	char command[192];
	pmResult *r;
	pmID pmid = pmiID(60, 0, 2);

	snprintf(command, sizeof(command), "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>&1",
		 self->dir);
	if (system(command))
		SKIP(return, "localedef has no German here");
	setenv("LOCPATH", self->dir, 1);
	ASSERT_NE(NULL, setlocale(LC_NUMERIC, "de_DE.UTF-8"));
	ASSERT_EQ(',', localeconv()->decimal_point[0]);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(0, pmiPutValue("demo.set", "left", text[i]));
		EXPECT_EQ(0, pmiWrite(T0 + i, 0));
	}
	EXPECT_EQ(0, pmiEnd());
	ASSERT_EQ(0, pmNewContext(PM_CONTEXT_ARCHIVE, self->base));
	for (int i = 0; i < 3; i++) {
		pmAtomValue atom = { .d = 0 };

		ASSERT_EQ(0, pmFetch(1, &pmid, &r));
		EXPECT_EQ(0, pmExtractValue(r->vset[0]->valfmt, &r->vset[0]->vlist[0],
					    PM_TYPE_DOUBLE, &atom, PM_TYPE_DOUBLE));
		EXPECT_EQ(want[i], atom.d);
		pmFreeResult(r);
	}
}

TEST_F(import, texts_and_labels)
{
	pmLogLabel label;
	pmLabelSet *sets;
	char *text;
	int n;

	EXPECT_EQ(0, pmiPutText(PM_TEXT_PMID, PM_TEXT_ONELINE, pmiID(60, 0, 1), "old"));
	EXPECT_EQ(0, pmiPutText(PM_TEXT_PMID, PM_TEXT_ONELINE, pmiID(60, 0, 1), "new"));
	EXPECT_EQ(PMI_ERR_DUPTEXT, pmiPutText(PM_TEXT_PMID, PM_TEXT_ONELINE, pmiID(60, 0, 1),
					      "new"));
	EXPECT_EQ(0, pmiPutText(PM_TEXT_INDOM, PM_TEXT_HELP, INDOM, "sides"));
	EXPECT_EQ(PMI_ERR_BADTEXTTYPE, pmiPutText(12, PM_TEXT_HELP, INDOM, "x"));
	EXPECT_EQ(PMI_ERR_BADTEXTCLASS, pmiPutText(PM_TEXT_INDOM, 3, INDOM, "x"));
	EXPECT_EQ(PMI_ERR_BADTEXTID, pmiPutText(PM_TEXT_INDOM, PM_TEXT_HELP, PM_INDOM_NULL, "x"));
	EXPECT_EQ(PMI_ERR_EMPTYTEXTCONTENT, pmiPutText(PM_TEXT_INDOM, PM_TEXT_HELP, INDOM, ""));
	EXPECT_EQ(0, pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "where", "here"));
	EXPECT_EQ(0, pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "good", "true"));
	EXPECT_EQ(0, pmiPutLabel(PM_LABEL_INSTANCES, INDOM, 7, "side", "l"));
	EXPECT_EQ(0, pmiPutLabel(PM_LABEL_INSTANCES, INDOM, 3, "side", "r"));
	EXPECT_EQ(PMI_ERR_BADLABELTYPE, pmiPutLabel(3, INDOM, 3, "side", "r"));
	EXPECT_EQ(PMI_ERR_BADLABELID, pmiPutLabel(PM_LABEL_ITEM, PM_ID_NULL, 3, "side", "r"));
	EXPECT_EQ(PMI_ERR_BADLABELINSTANCE, pmiPutLabel(PM_LABEL_INSTANCES, INDOM, -1, "a", "r"));
	EXPECT_EQ(PMI_ERR_EMPTYLABELNAME, pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "", "r"));
	EXPECT_EQ(PMI_ERR_EMPTYLABELVALUE, pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "a", ""));
	EXPECT_EQ(PMI_ERR_ADDLABELERROR, pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "a", "a\"b"));
	EXPECT_EQ(PMI_ERR_ADDLABELERROR, pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "a.b", "x"));
	/* Labels are written with the first record. */
	EXPECT_EQ(0, pmiWrite(T0 - 1, 0));
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	/* Later labels are added to the earlier ones. */
	EXPECT_EQ(0, pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "where", "there"));
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(T0 + 1, 0));
	ASSERT_EQ(0, pmiEnd());

	ASSERT_GE(reopen(self->base), 0);
	ASSERT_EQ(0, pmGetArchiveLabel(&label));
	EXPECT_EQ(T0, label.ll_start.tv_sec);
	ASSERT_EQ(0, pmLookupText(pmiID(60, 0, 1), PM_TEXT_ONELINE, &text));
	EXPECT_STREQ("new", text);
	free(text);
	ASSERT_EQ(0, pmLookupInDomText(INDOM, PM_TEXT_HELP, &text));
	EXPECT_STREQ("sides", text);
	free(text);
	value_at("demo.one", T0, -1);
	n = pmGetContextLabels(&sets);
	ASSERT_EQ(1, n);
	EXPECT_STREQ("{\"good\":true,\"where\":\"here\"}", sets[0].json);
	pmFreeLabelSets(sets, n);
	n = pmGetInstancesLabels(INDOM, &sets);
	ASSERT_EQ(2, n);
	EXPECT_STREQ("{\"side\":\"r\"}", sets[0].json);
	EXPECT_EQ(7, sets[1].inst);
	pmFreeLabelSets(sets, n);
	value_at("demo.one", T0 + 1, -1);
	n = pmGetContextLabels(&sets);
	ASSERT_EQ(1, n);
	EXPECT_STREQ("{\"good\":true,\"where\":\"there\"}", sets[0].json);
	pmFreeLabelSets(sets, n);
}

/* The values of error codes are the same as the original's, because programs compare them. */
static const struct {
	int code;
	const char *text;
} texts[] = {
	{ PMI_ERR_DUPMETRICNAME, "Metric name already defined" },
	{ PMI_ERR_DUPMETRICID, "Metric pmID already defined" },
	{ PMI_ERR_DUPINSTNAME, "External instance name already defined" },
	{ PMI_ERR_DUPINSTID, "Internal instance identifer already defined" },
	{ PMI_ERR_INSTNOTNULL, "Null instance expected for a singular metric" },
	{ PMI_ERR_INSTNULL, "Null instance not allowed for a non-singular metric" },
	{ PMI_ERR_BADHANDLE, "Illegal handle" },
	{ PMI_ERR_DUPVALUE, "Value already assigned for this metric-instance" },
	{ PMI_ERR_BADTYPE, "Illegal metric type" },
	{ PMI_ERR_BADSEM, "Illegal metric semantics" },
	{ PMI_ERR_NODATA, "No data to output" },
	{ PMI_ERR_BADMETRICNAME, "Illegal metric name" },
	{ PMI_ERR_BADTIMESTAMP, "Illegal result timestamp" },
	{ PMI_ERR_BADTEXTTYPE, "Illegal text type" },
	{ PMI_ERR_BADTEXTCLASS, "Illegal text class" },
	{ PMI_ERR_BADTEXTID, "Illegal text identifier" },
	{ PMI_ERR_EMPTYTEXTCONTENT, "Text is empty" },
	{ PMI_ERR_DUPTEXT, "Help text already exists" },
	{ PMI_ERR_BADLABELTYPE, "Illegal label type" },
	{ PMI_ERR_BADLABELID, "Illegal label identifier" },
	{ PMI_ERR_BADLABELINSTANCE, "Illegal label instance" },
	{ PMI_ERR_EMPTYLABELNAME, "Label name is empty" },
	{ PMI_ERR_EMPTYLABELVALUE, "Label value is empty" },
	{ PMI_ERR_ADDLABELERROR, "Error adding label" },
	{ PMI_ERR_BADVERSION, "Illegal archive version" },
};

TEST(every_error_has_the_originals_text)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		EXPECT_STREQ(pmiErrStr(texts[i].code), texts[i].text);
	EXPECT_STREQ(pmiErrStr(-PMI_ERR_BASE - 26), pmErrStr(-PMI_ERR_BASE - 26));
}

TEST_HARNESS_MAIN
