// SPDX-License-Identifier: GPL-2.0-or-later
/* Convert and print values, and print types, units, identifiers and errors. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <kselftest_harness.h>

#include <pcp/pmapi.h>

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const struct {
	int from;
	double value;
	int to;
	int code;
} conversions[] = {
	{ PM_TYPE_32, -1, PM_TYPE_U32, PM_ERR_SIGN },
	{ PM_TYPE_32, -1, PM_TYPE_U64, PM_ERR_SIGN },
	{ PM_TYPE_32, -1, PM_TYPE_DOUBLE, 0 },
	{ PM_TYPE_32, 7, PM_TYPE_STRING, PM_ERR_CONV },
	{ PM_TYPE_U32, 2147483647.0, PM_TYPE_32, 0 },
	{ PM_TYPE_U32, 2147483648.0, PM_TYPE_32, PM_ERR_TRUNC },
	{ PM_TYPE_64, 2147483648.0, PM_TYPE_32, PM_ERR_TRUNC },
	{ PM_TYPE_64, 4294967296.0, PM_TYPE_U32, PM_ERR_TRUNC },
	{ PM_TYPE_64, -1, PM_TYPE_U32, PM_ERR_SIGN },
	{ PM_TYPE_64, -1, PM_TYPE_U64, PM_ERR_SIGN },
	{ PM_TYPE_64, -4294967296.0, PM_TYPE_FLOAT, 0 },
	{ PM_TYPE_U64, 9223372036854775808.0, PM_TYPE_64, PM_ERR_TRUNC },
	{ PM_TYPE_U64, 4294967296.0, PM_TYPE_U32, PM_ERR_TRUNC },
	{ PM_TYPE_U64, 4294967295.0, PM_TYPE_U32, 0 },
	{ PM_TYPE_FLOAT, 2147483648.0, PM_TYPE_32, PM_ERR_TRUNC },
	{ PM_TYPE_FLOAT, -2147483648.0, PM_TYPE_32, PM_ERR_TRUNC },
	{ PM_TYPE_FLOAT, -1, PM_TYPE_U32, PM_ERR_SIGN },
	{ PM_TYPE_DOUBLE, 2147483646.5, PM_TYPE_32, 0 },
	{ PM_TYPE_DOUBLE, 2147483647.0, PM_TYPE_32, PM_ERR_TRUNC },
	{ PM_TYPE_DOUBLE, 4294967295.0, PM_TYPE_U32, PM_ERR_TRUNC },
	{ PM_TYPE_DOUBLE, 9223372036854775808.0, PM_TYPE_64, PM_ERR_TRUNC },
	{ PM_TYPE_DOUBLE, 18446744073709551616.0, PM_TYPE_U64, PM_ERR_TRUNC },
	{ PM_TYPE_DOUBLE, 9223372036854775808.0, PM_TYPE_U64, 0 },
	{ PM_TYPE_DOUBLE, -1, PM_TYPE_U64, PM_ERR_SIGN },
};

static double as_double(const pmAtomValue *v, int type)
{
	switch (type) {
	case PM_TYPE_32:
		return v->l;
	case PM_TYPE_U32:
		return v->ul;
	case PM_TYPE_64:
		return v->ll;
	case PM_TYPE_U64:
		return v->ull;
	case PM_TYPE_FLOAT:
		return v->f;
	}
	return v->d;
}

struct block {
	pmValueBlock b;
	char more[16];
};

static int wrap(pmValue *value, struct block *block, int type, double number)
{
	float f = (float)number;
	uint64_t u;

	value->inst = PM_IN_NULL;
	if (type == PM_TYPE_32 || type == PM_TYPE_U32) {
		value->value.lval = (int)(int64_t)number;
		return PM_VAL_INSITU;
	}
	value->value.pval = &block->b;
	block->b.vtype = type;
	block->b.vlen = PM_VAL_HDR_SIZE + (type == PM_TYPE_FLOAT ? 4 : 8);
	if (type == PM_TYPE_64)
		u = (uint64_t)(int64_t)number;
	else if (type == PM_TYPE_U64)
		u = (uint64_t)number;
	else
		memcpy(&u, &number, 8);
	memcpy(block->b.vbuf, type == PM_TYPE_FLOAT ? (void *)&f : (void *)&u, block->b.vlen - 4);
	return PM_VAL_DPTR;
}

TEST(numbers_to_numbers)
{
	for (int i = 0; i < N(conversions); i++) {
		struct block block;
		pmAtomValue v;
		pmValue value;
		int fmt = wrap(&value, &block, conversions[i].from, conversions[i].value);

		EXPECT_EQ(pmExtractValue(fmt, &value, conversions[i].from, &v, conversions[i].to),
			  conversions[i].code) {
			TH_LOG("row %d", i);
		}
		if (!conversions[i].code)
			EXPECT_EQ((int64_t)as_double(&v, conversions[i].to),
				  (int64_t)conversions[i].value);
	}
}

TEST(malformed_values)
{
	struct block block;
	pmAtomValue v;
	pmValue value;

	wrap(&value, &block, PM_TYPE_U64, 5);
	EXPECT_EQ(pmExtractValue(PM_VAL_DPTR, &value, PM_TYPE_64, &v, PM_TYPE_64), PM_ERR_CONV);
	block.b.vlen = 9;
	EXPECT_EQ(pmExtractValue(PM_VAL_DPTR, &value, PM_TYPE_U64, &v, PM_TYPE_U64), PM_ERR_CONV);
	block.b.vlen = 0;
	EXPECT_EQ(pmExtractValue(PM_VAL_DPTR, &value, PM_TYPE_U64, &v, PM_TYPE_U64), PM_ERR_CONV);
	EXPECT_EQ(pmExtractValue(7, &value, PM_TYPE_U64, &v, PM_TYPE_U64), PM_ERR_CONV);
	value.value.pval = NULL;
	EXPECT_EQ(pmExtractValue(PM_VAL_DPTR, &value, PM_TYPE_U64, &v, PM_TYPE_U64), PM_ERR_CONV);
}

static const struct {
	unsigned int bits;
	const char *text;
} units[] = {
	{ 0x1f023000, "Mbyte / sec" },
	{ 0x01f05600, "hour / count x 10^6" },
	{ 0x10010000, "Kbyte" },
	{ 0x00100000, "count" },
	{ 0x00000000, "" },
	{ 0x00000100, "x 10" },
	{ 0x00000f00, "x 10^-1" },
	{ 0x0f003000, "/ sec" },
	{ 0x20000000, "byte^2" },
	{ 0x0e004000, "/ min^2" },
	{ 0x10090000, "space-9" },
	{ 0x01007000, "time-7" },
	{ 0x11102000, "byte millisec count" },
};

TEST(units_in_words)
{
	char small[59];

	for (int i = 0; i < N(units); i++) {
		pmUnits u;

		memcpy(&u, &units[i].bits, sizeof(u));
		EXPECT_STREQ(pmUnitsStr(&u), units[i].text);
		EXPECT_EQ(pmUnitsStr_r(&u, small, sizeof(small)), NULL);
	}
}

TEST(types_semantics_identifiers)
{
	EXPECT_STREQ(pmTypeStr(PM_TYPE_NOSUPPORT), "NO_SUPPORT");
	EXPECT_STREQ(pmTypeStr(PM_TYPE_UNKNOWN), "UNKNOWN");
	EXPECT_STREQ(pmTypeStr(PM_TYPE_HIGHRES_EVENT), "HIGHRES_EVENT");
	EXPECT_STREQ(pmTypeStr(11), "???");
	/* Two calls in one expression return different buffers. */
	EXPECT_NE(pmTypeStr(PM_TYPE_32), pmTypeStr(PM_TYPE_U64));
	EXPECT_NE(pmSemStr(PM_SEM_COUNTER), pmSemStr(PM_SEM_INSTANT));
	EXPECT_STREQ(pmSemStr(PM_SEM_COUNTER), "counter");
	EXPECT_STREQ(pmSemStr(2), "???");
	EXPECT_STREQ(pmSemStr(-5), "???");
	EXPECT_STREQ(pmIDStr(pmID_build(60, 8, 3)), "60.8.3");
	EXPECT_STREQ(pmIDStr(pmID_build(511, 29, 0)), "29.*.*");
	EXPECT_STREQ(pmIDStr(PM_ID_NULL), "PM_ID_NULL");
	EXPECT_STREQ(pmInDomStr(pmInDom_build(60, 1)), "60.1");
	EXPECT_STREQ(pmInDomStr(PM_INDOM_NULL), "PM_INDOM_NULL");
	EXPECT_EQ(pmID_build(511, 4095, 1023), 0x7fffffff);
	EXPECT_EQ(pmID_domain(0x7fffffff), 511);
	EXPECT_EQ(pmID_cluster(0x7fffffff), 4095);
	EXPECT_EQ(pmID_item(0x7fffffff), 1023);
	EXPECT_EQ(pmInDom_domain(pmInDom_build(29, 4194303)), 29);
	EXPECT_EQ(pmInDom_serial(pmInDom_build(29, 4194303)), 4194303);
	EXPECT_TRUE(IS_DERIVED(pmID_build(511, 0, 1)));
	EXPECT_FALSE(IS_DERIVED(pmID_build(511, 2048, 1)));
}

TEST(values_in_words)
{
	pmAtomValue v;

	v.l = -7;
	EXPECT_STREQ(pmAtomStr(&v, PM_TYPE_32), "-7");
	v.ull = UINT64_MAX;
	EXPECT_STREQ(pmAtomStr(&v, PM_TYPE_U64), "18446744073709551615");
	v.d = 0.5;
	EXPECT_STREQ(pmAtomStr(&v, PM_TYPE_DOUBLE), "5.000000e-01");
	v.d = 0;
	v.f = -1.5f;
	EXPECT_STREQ(pmAtomStr(&v, PM_TYPE_FLOAT), "-1.500000e+00");
	v.cp = NULL;
	EXPECT_STREQ(pmAtomStr(&v, PM_TYPE_STRING), "<null>");
	v.cp = "1234567890123456789012345678901234567";
	EXPECT_STREQ(pmAtomStr(&v, PM_TYPE_STRING), "\"1234567890123456789012345678901234567\"");
	v.cp = "12345678901234567890123456789012345678";
	EXPECT_STREQ(pmAtomStr(&v, PM_TYPE_STRING), "\"1234567890123456789012345678901234...\"");
}

static const int codes[] = {
	PM_ERR_GENERIC, PM_ERR_PMNS, PM_ERR_NOPMNS, PM_ERR_DUPPMNS, PM_ERR_TEXT, PM_ERR_APPVERSION,
	PM_ERR_VALUE, PM_ERR_TIMEOUT, PM_ERR_NODATA, PM_ERR_RESET, PM_ERR_NAME, PM_ERR_PMID,
	PM_ERR_INDOM, PM_ERR_INST, PM_ERR_UNIT, PM_ERR_CONV, PM_ERR_TRUNC, PM_ERR_SIGN,
	PM_ERR_PROFILE, PM_ERR_IPC, PM_ERR_EOF, PM_ERR_NOTHOST, PM_ERR_EOL, PM_ERR_MODE,
	PM_ERR_LABEL, PM_ERR_LOGREC, PM_ERR_NOTARCHIVE, PM_ERR_LOGFILE, PM_ERR_NOCONTEXT,
	PM_ERR_PROFILESPEC, PM_ERR_PMID_LOG, PM_ERR_INDOM_LOG, PM_ERR_INST_LOG, PM_ERR_NOPROFILE,
	PM_ERR_NOAGENT, PM_ERR_PERMISSION, PM_ERR_CONNLIMIT, PM_ERR_AGAIN, PM_ERR_ISCONN,
	PM_ERR_NOTCONN, PM_ERR_NEEDPORT, PM_ERR_NONLEAF, PM_ERR_TYPE, PM_ERR_THREAD,
	PM_ERR_NOCONTAINER, PM_ERR_BADSTORE, PM_ERR_LOGOVERLAP, PM_ERR_LOGHOST,
	PM_ERR_LOGCHANGETYPE, PM_ERR_LOGCHANGESEM, PM_ERR_LOGCHANGEINDOM, PM_ERR_LOGCHANGEUNITS,
	PM_ERR_NEEDCLIENTCERT, PM_ERR_BADDERIVE, PM_ERR_NOLABELS, PM_ERR_PMDAFENCED,
	PM_ERR_RECTYPE, PM_ERR_FEATURE, PM_ERR_TLS, PM_ERR_BOTCH, PM_ERR_TOOSMALL, PM_ERR_TOOBIG,
	PM_ERR_FAULT, PM_ERR_PMDAREADY, PM_ERR_PMDANOTREADY, PM_ERR_NYI,
};

TEST(every_error_has_its_text)
{
	char texts[N(codes)][PM_MAXERRMSGLEN];
	char small[4];

	for (int i = 0; i < N(codes); i++) {
		char *text = texts[i];

		EXPECT_EQ(pmErrStr_r(codes[i], text, sizeof(texts[i])), text);
		/* The text of an error is a name, not a number. */
		EXPECT_EQ(strstr(text, "(-"), NULL);
		for (int j = 0; j < i; j++)
			EXPECT_NE(strcmp(text, texts[j]), 0);
	}
	EXPECT_STREQ(pmErrStr(-ENOENT), strerror(ENOENT));
	EXPECT_NE(strstr(pmErrStr(-12352), "(-12352)"), NULL);
	EXPECT_NE(strstr(pmErrStr(42), "(42)"), NULL);
	EXPECT_NE(strstr(pmErrStr(-99999), "-99999"), NULL);
	EXPECT_EQ(pmErrStr_r(PM_ERR_EOL, small, sizeof(small)), &small[0]);
	EXPECT_EQ(strlen(small), 3);
}

/* Sizes and numbers are part of the ABI. */
TEST(sizes)
{
	EXPECT_EQ(sizeof(pmDesc), 20);
	EXPECT_EQ(sizeof(pmValue), 16);
	EXPECT_EQ(sizeof(pmValueSet), 32);
	EXPECT_EQ(sizeof(pmResult), 32);
	EXPECT_EQ(sizeof(pmHighResResult), 32);
	EXPECT_EQ(sizeof(pmAtomValue), 8);
	EXPECT_EQ(sizeof(pmLogLabel), 128);
	EXPECT_EQ(sizeof(pmHighResLogLabel), 792);
	EXPECT_EQ(PM_ERR_NYI, -21344);
	EXPECT_EQ(PM_ERR_PMDAREADY, -13393);
	EXPECT_EQ(PM_XTB_GET(PM_MODE_INTERP), -1);
	EXPECT_EQ(PM_XTB_GET(PM_MODE_INTERP | PM_XTB_SET(PM_TIME_HOUR)), PM_TIME_HOUR);
}

/* Print 1/3 as pmPrintValue() does. */
static const char *third(int type)
{
	static char text[64];
	FILE *f = fmemopen(text, sizeof(text), "w");
	union {
		pmValueBlock block;
		char room[PM_VAL_HDR_SIZE + sizeof(double)];
	} u;
	float x = 1.0F / 3;
	double y = 1.0 / 3;
	pmValue v = { .inst = PM_IN_NULL };

	if (type == PM_TYPE_FLOAT) {
		memcpy(&v.value.lval, &x, sizeof(x));
	} else {
		u.block.vtype = type;
		u.block.vlen = sizeof(u.room);
		memcpy(u.block.vbuf, &y, sizeof(y));
		v.value.pval = &u.block;
	}
	pmPrintValue(f, type == PM_TYPE_FLOAT ? PM_VAL_INSITU : PM_VAL_DPTR, type, &v, 1);
	fclose(f);
	return text;
}

TEST(precision_of_the_environment)
{
	setenv("PCP_FLOAT_PRECISION", "10", 1);
	setenv("PCP_DOUBLE_PRECISION", "3", 1);
	EXPECT_STREQ("0.3333333433", third(PM_TYPE_FLOAT));
	EXPECT_STREQ("0.333", third(PM_TYPE_DOUBLE));
}

TEST(precision_out_of_range)
{
	setenv("PCP_FLOAT_PRECISION", "11", 1);
	setenv("PCP_DOUBLE_PRECISION", "3x", 1);
	EXPECT_STREQ("0.33333334", third(PM_TYPE_FLOAT));
	EXPECT_STREQ("0.3333333333333333", third(PM_TYPE_DOUBLE));
}

TEST_HARNESS_MAIN
