// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Extra units of PCP 7.2 can be formatted, parsed, converted, used in derived metrics, and stored
 * in an archive.  The expected values come from libpcp 7.2.2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include <pcp/import.h>

static uint32_t bits_of(pmUnits units)
{
	uint32_t word;

	memcpy(&word, &units, sizeof(word));
	return word;
}

static pmUnits from_bits(uint32_t word)
{
	pmUnits units;

	memcpy(&units, &word, sizeof(units));
	return units;
}

TEST(bits)
{
	EXPECT_EQ(0x21, bits_of(pmiExtraUnits(0, 0, 0, 0, 0, 0, PM_UNIT_POWER, PM_POWER_kW)));
	EXPECT_EQ(0xe1, bits_of(pmiExtraUnits(0, 0, 0, 0, 0, 0, -PM_UNIT_POWER, PM_POWER_kW)));
	EXPECT_EQ(0x1f234519, bits_of(pmiExtraUnits(1, -1, 2, 3, 4, 5, PM_UNIT_CURRENT,
						    PM_CURRENT_A)));
	EXPECT_EQ(0x1f013000, bits_of(pmiUnits(1, -1, 0, PM_SPACE_KBYTE, PM_TIME_SEC, 0)));
}

TEST(in_words)
{
	static const struct {
		uint32_t bits;
		const char *text;
	} rows[] = {
		{ 0x00000009, "temperature (C)" }, { 0x0000000a, "temperature (F)" },
		{ 0x0000000b, "temperature (K)" }, { 0x00000011, "voltage (V)" },
		{ 0x00000012, "voltage (mV)" }, { 0x00000013, "voltage (uV)" },
		{ 0x00000019, "current (A)" }, { 0x0000001a, "current (mA)" },
		{ 0x0000001b, "current (uA)" }, { 0x00000021, "power (kW)" },
		{ 0x00000022, "power (W)" }, { 0x00000023, "power (mW)" },
		{ 0x00000024, "power (uW)" }, { 0x00000025, "power (scale-5)" },
		{ 0x0000000c, "temperature (scale-4)" }, { 0x00000029, "extra-5" },
		{ 0x00000080, "/ extra-16" }, { 0x000000e1, "/ power (kW)" },
		{ 0x1f013023, "power (mW) Kbyte / sec" }, { 0x1f0130e1, "Kbyte / power (kW) sec" },
		{ 0x0ff050f9, "/ temperature (C) hour count" }, { 0x00000323, "power (mW)" },
		{ 0x00000007, "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pmUnits units = from_bits(rows[i].bits);

		EXPECT_STREQ(rows[i].text, pmUnitsStr(&units));
	}
}

/* The longest possible text fits into the thread's own buffer. */
TEST(longest)
{
	pmUnits units = from_bits(0x888ff8fcu);

	EXPECT_STREQ("/ temperature (scale-4) space-15^8 time-15^8 count x 10^-8^8",
		     pmUnitsStr(&units));
}

TEST(from_words)
{
	static const struct {
		const char *text;
		int err;
		uint32_t bits;
		double factor;
	} rows[] = {
		{ "temperature (C)", 0, 0x09, 1 }, { "Voltage (V)", 0, 0x11, 1 },
		{ "CURRENT (a)", 0, 0x19, 1 }, { "power (mW)", 0, 0x23, 1 },
		{ "2 power (W)", 0, 0x22, 0.5 }, { "/ power (W)", 0, 0xe2, 1 },
		{ "byte power (kW)", 0, 0x10000021, 1 }, { "power (W) sec", 0, 0x01003022, 1 },
		{ "Kbyte / power (kW)", 0, 0x100100e1, 1 },
		{ "temperature (F) / sec", 0, 0x0f00300a, 1 },
		{ "power", PM_ERR_CONV, 0, 1 }, { "power (3)", PM_ERR_CONV, 0, 1 },
		{ "power(mW)", PM_ERR_CONV, 0, 1 }, { "power  (mW)", PM_ERR_CONV, 0, 1 },
		{ "kW", PM_ERR_CONV, 0, 1 }, { "power (W)byte", PM_ERR_CONV, 0, 1 },
		{ "power (W) power (kW)", PM_ERR_CONV, 0, 1 },
		{ "power (W) voltage (V)", PM_ERR_CONV, 0, 1 },
		{ "power (W) / power (W)", PM_ERR_CONV, 0, 1 },
		/* 7.2.2 parses megawatts as milliwatts, and hangs if there is an exponent. */
		{ "power (MW)", PM_ERR_CONV, 0, 1 }, { "power (W)^2", PM_ERR_CONV, 0, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double factor;
		char *error;
		pmUnits u;

		EXPECT_EQ(rows[i].err, pmParseUnitsStr(rows[i].text, &u, &factor, &error)) {
			TH_LOG("%s", rows[i].text);
		}
		EXPECT_EQ(rows[i].bits, bits_of(u));
		EXPECT_EQ(rows[i].factor, factor);
		if (rows[i].err)
			free(error);
	}
}

TEST(from_words_errors)
{
	double factor;
	char *error;
	pmUnits u;

	ASSERT_EQ(PM_ERR_CONV, pmParseUnitsStr("power (W) voltage (V)", &u, &factor, &error));
	EXPECT_STREQ("multiple extra units not allowed", error);
	free(error);
	ASSERT_EQ(PM_ERR_CONV, pmParseUnitsStr("voltage (V) / current (A)", &u, &factor, &error));
	EXPECT_STREQ("extra units cannot appear in both dividend and divisor", error);
	free(error);
}

TEST(conversion)
{
	static const struct {
		uint32_t from, to;
		double in, out;
	} rows[] = {
		{ 0x09, 0x0a, 36.6, 97.88000000000001 }, { 0x09, 0x0b, 36.6, 309.75 },
		{ 0x0a, 0x09, 0.4, -17.555555555555557 }, { 0x0a, 0x0b, -459.67, 0 },
		{ 0x0b, 0x0a, 0, -459.66999999999996 }, { 0x0b, 0x09, 273.15, 0 },
		{ 0x21, 0x24, 273.15, 273149999999.99997 }, { 0x24, 0x21, 4e9, 4 },
		{ 0x12, 0x11, 12345678901.0, 12345678.901000001 }, { 0x19, 0x1b, 0.4, 400000 },
		{ 0x10010021, 0x10000022, 36.6, 37478400 },
		{ 0x1001000b, 0x1000000a, 5, 8756.3299999999999 },
		{ 0x28, 0x28, 5, 5 }, { 0x20, 0x20, 5, 5 }, { 0xe2, 0xe2, 5, 5 },
		{ 0x00000321, 0x00000021, 5, 5000 }, { 0x01, 0x02, 5, 5 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pmUnits from = from_bits(rows[i].from), to = from_bits(rows[i].to);
		pmAtomValue in = { .d = rows[i].in }, out;

		EXPECT_EQ(0, pmConvScale(PM_TYPE_DOUBLE, &in, &from, &out, &to));
		EXPECT_EQ(rows[i].out, out.d) {
			TH_LOG("row %zu: %.17g", i, out.d);
		}
	}
}

TEST(conversion_of_integers)
{
	pmUnits mw = from_bits(0x23), w = from_bits(0x22), uw = from_bits(0x24);
	pmUnits c = from_bits(0x09), k = from_bits(0x0b);
	pmAtomValue v = { .ul = 1500 };

	EXPECT_EQ(0, pmConvScale(PM_TYPE_U32, &v, &mw, &v, &w));
	EXPECT_EQ(1, v.ul);
	v.l = -1500;
	EXPECT_EQ(0, pmConvScale(PM_TYPE_32, &v, &mw, &v, &w));
	EXPECT_EQ(-1, v.l);
	v.ull = UINT64_MAX;
	EXPECT_EQ(0, pmConvScale(PM_TYPE_U64, &v, &w, &v, &uw));
	EXPECT_EQ(UINT64_MAX, v.ull);
	v.ll = INT64_MIN;
	EXPECT_EQ(0, pmConvScale(PM_TYPE_64, &v, &w, &v, &uw));
	EXPECT_EQ(INT64_MIN, v.ll);
	v.l = -1;
	EXPECT_EQ(0, pmConvScale(PM_TYPE_32, &v, &c, &v, &k));
	EXPECT_EQ(272, v.l);
}

TEST(no_conversion)
{
	static const struct {
		uint32_t from, to;
		int err;
	} rows[] = {
		{ 0x21, 0x11, PM_ERR_CONV }, { 0x21, 0xe1, PM_ERR_CONV }, { 0x21, 0, PM_ERR_CONV },
		{ 0, 0x21, PM_ERR_CONV }, { 0x00100021, 0x00000021, PM_ERR_CONV },
		{ 0x21, 0x20, PM_ERR_UNIT }, { 0x21, 0x25, PM_ERR_UNIT },
		{ 0xe1, 0xe2, PM_ERR_UNIT }, { 0x29, 0x2a, PM_ERR_UNIT },
	};
	pmAtomValue in = { .d = 1 }, out = { .d = 7 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pmUnits from = from_bits(rows[i].from), to = from_bits(rows[i].to);

		EXPECT_EQ(rows[i].err, pmConvScale(PM_TYPE_DOUBLE, &in, &from, &out, &to));
		EXPECT_EQ(PM_ERR_CONV, pmConvScale(PM_TYPE_STRING, &in, &from, &out, &to));
		EXPECT_EQ(7, out.d);
	}
}

FIXTURE(archive) {
	char dir[64];
	char base[80];
};

static int add(const char *name, int item, int type, int unit, unsigned int scale)
{
	return pmiAddMetric(name, pmiID(60, 0, item), type, PM_INDOM_NULL, PM_SEM_INSTANT,
			    pmiExtraUnits(0, 0, 0, 0, 0, 0, unit, scale));
}

FIXTURE_SETUP(archive)
{
	strcpy(self->dir, "/tmp/extra_units.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	sprintf(self->base, "%s/a", self->dir);
	ASSERT_GT(pmiStart(self->base, 0), 0);
	ASSERT_EQ(0, add("x.power", 1, PM_TYPE_U32, PM_UNIT_POWER, PM_POWER_mW));
	ASSERT_EQ(0, add("x.temp", 2, PM_TYPE_DOUBLE, PM_UNIT_TEMPERATURE, PM_TEMPERATURE_C));
	ASSERT_EQ(0, add("x.newer", 3, PM_TYPE_U32, 9, 3));
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, pmiPutValue("x.power", "", "1500"));
		ASSERT_EQ(0, pmiPutValue("x.temp", "", "36.6"));
		ASSERT_EQ(0, pmiPutValue("x.newer", "", "11"));
		ASSERT_EQ(0, pmiWrite(1700000000 + i, 0));
	}
	ASSERT_EQ(0, pmiEnd());
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
}

FIXTURE_TEARDOWN(archive)
{
	char command[128];

	pmDestroyContext(pmWhichContext());
	sprintf(command, "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

static uint32_t units_in_archive(const char *name)
{
	pmDesc desc;
	pmID pmid;

	if (pmLookupName(1, &name, &pmid) != 1 || pmLookupDesc(pmid, &desc) < 0)
		return UINT32_MAX;
	return bits_of(desc.units);
}

TEST_F(archive, through_an_archive)
{
	EXPECT_EQ(0x23, units_in_archive("x.power"));
	EXPECT_EQ(0x09, units_in_archive("x.temp"));
	EXPECT_EQ(0x4b, units_in_archive("x.newer"));
}

/* vcpc check does not report an unknown unit as damage, because a newer PCP can have written it. */
TEST_F(archive, is_sound)
{
	char command[400], self_path[200] = "";

	ASSERT_GT(readlink("/proc/self/exe", self_path, sizeof(self_path) - 1), 0);
	*strrchr(self_path, '/') = '\0';
	sprintf(command, "%s/../../bin/vcpc", self_path);
	if (access(command, X_OK))
		SKIP(return, "vcpc is not next to the tests");
	sprintf(command, "out=$(%s/../../bin/vcpc check %s 2>&1) || { echo \"$out\"; exit 1; }",
		self_path, self->base);
	EXPECT_EQ(0, system(command));
}

TEST_F(archive, derived)
{
	static const struct {
		const char *expr;
		uint32_t bits;
		const char *why;
	} rows[] = {
		{ "x.power + x.power", 0x23, NULL }, { "x.power * 2", 0x23, NULL },
		{ "2 * x.power", 0x23, NULL }, { "2 / x.power", 0xe3, NULL },
		{ "x.power / x.power", 0, NULL }, { "x.power < 3", 0, NULL },
		{ "rate(x.power)", 0x0f003023, NULL }, { "count(x.power)", 0x00100000, NULL },
		{ "rescale(x.temp, \"temperature (F)\")", 0x0a, NULL },
		{ "x.power / mkconst(2, units=\"sec\")", 0x0f003023, NULL },
		{ "x.power + x.temp", 0, "Dimensions are not the same" },
		{ "x.power + 1", 0, "Dimensions are not the same" },
		{ "x.power && x.temp", 0, "Dimensions are not the same" },
		{ "rescale(x.temp, \"power (W)\")", 0, "Incompatible dimensions" },
		{ "x.power * x.temp", 0, "Extra units not allowed for both operands of *" },
		{ "x.power / x.temp", 0, "Different extra units not allowed for both operands of /" },
		{ "x.power < x.temp", 0, "Operands have incompatible extra units or scale" },
		{ "x.power + mkconst(1, units=\"power (kW)\")", 0,
		  "Operands have incompatible extra units or scale" },
		{ "x.power ? x.temp : mkconst(3, units=\"temperature (F)\", type=double,"
		  " semantics=instant)", 0, "Different units or scale (extra) for ternary operands" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[20], *error = NULL;
		int err;

		sprintf(name, "d.m%zu", i);
		err = pmAddDerivedMetric(name, rows[i].expr, &error);
		if (rows[i].why) {
			EXPECT_EQ(PM_ERR_BADDERIVE, err);
			EXPECT_NE(NULL, error ? strstr(error, rows[i].why) : NULL) {
				TH_LOG("%s: %s", rows[i].expr, error ? error : "");
			}
			free(error);
			continue;
		}
		EXPECT_EQ(0, err);
		EXPECT_EQ(rows[i].bits, units_in_archive(name)) {
			TH_LOG("%s", rows[i].expr);
		}
	}
}

TEST_F(archive, in_a_fetch_group)
{
	pmAtomValue watts, kelvin;
	int err1, err2;
	pmFG fg;

	ASSERT_EQ(0, pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, self->base));
	ASSERT_EQ(0, pmExtendFetchGroup_item(fg, "x.power", NULL, "power (W)", &watts,
					     PM_TYPE_DOUBLE, &err1));
	ASSERT_EQ(0, pmExtendFetchGroup_item(fg, "x.temp", NULL, "temperature (K)", &kelvin,
					     PM_TYPE_DOUBLE, &err2));
	EXPECT_EQ(PM_ERR_CONV, pmExtendFetchGroup_item(fg, "x.temp", NULL, "power (W)", &kelvin,
						       PM_TYPE_DOUBLE, NULL));
	ASSERT_EQ(0, pmFetchGroup(fg));
	EXPECT_EQ(0, err1);
	EXPECT_EQ(0, err2);
	EXPECT_EQ(1.5, watts.d);
	EXPECT_EQ(309.75, kelvin.d);
	EXPECT_EQ(0, pmDestroyFetchGroup(fg));
}

TEST_HARNESS_MAIN
