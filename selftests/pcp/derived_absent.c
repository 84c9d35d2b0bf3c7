// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test derived metrics that have no value: rates of counters that decrease, novalue(), and
 * conditional expressions whose operands do not exist.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kselftest_harness.h>

#include <pcp/import.h>
#include <pcp/pmapi.h>

#define T0	1700000000
#define INDOM	pmiInDom(60, 1)
#define FETCHES	4

static const struct {
	const char *name;
	int type, sem;
} metrics[] = {
	{ "c.u32", PM_TYPE_U32, PM_SEM_COUNTER },
	{ "c.u64", PM_TYPE_U64, PM_SEM_COUNTER },
	{ "c.i32", PM_TYPE_32, PM_SEM_COUNTER },
	{ "c.i64", PM_TYPE_64, PM_SEM_COUNTER },
	{ "c.float", PM_TYPE_FLOAT, PM_SEM_COUNTER },
	{ "c.double", PM_TYPE_DOUBLE, PM_SEM_COUNTER },
	{ "i.u32", PM_TYPE_U32, PM_SEM_INSTANT },
	{ "i.u64", PM_TYPE_U64, PM_SEM_INSTANT },
	{ "i.text", PM_TYPE_STRING, PM_SEM_INSTANT },
};

#define METRICS (sizeof(metrics) / sizeof(metrics[0]))

/* values at 0, 10, 20 and 30 s */
static const int values[FETCHES] = { 100, 200, 50, 150 };

FIXTURE(absent) {
	char dir[64];
	char base[80];
};

FIXTURE_SETUP(absent)
{
	char text[16];

	strcpy(self->dir, "/tmp/absent.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	sprintf(self->base, "%s/a", self->dir);
	ASSERT_GT(pmiStart(self->base, 0), 0);
	ASSERT_EQ(0, pmiSetTimezone("UTC"));
	for (size_t i = 0; i < METRICS; i++)
		ASSERT_EQ(0, pmiAddMetric(metrics[i].name, pmiID(60, 0, (int)i + 1), metrics[i].type,
					  PM_INDOM_NULL, metrics[i].sem, pmiUnits(0, 0, 1, 0, 0, 0)));
	ASSERT_EQ(0, pmiAddMetric("i.set", pmiID(60, 1, 1), PM_TYPE_32, INDOM, PM_SEM_INSTANT,
				  pmiUnits(0, 0, 0, 0, 0, 0)));
	ASSERT_EQ(0, pmiAddInstance(INDOM, "a", 1));
	ASSERT_EQ(0, pmiAddInstance(INDOM, "b", 2));
	for (int r = 0; r < FETCHES; r++) {
		sprintf(text, "%d", values[r]);
		for (size_t i = 0; i < METRICS; i++)
			ASSERT_EQ(0, pmiPutValue(metrics[i].name, NULL, text));
		ASSERT_EQ(0, pmiPutValue("i.set", "a", text));
		ASSERT_EQ(0, pmiPutValue("i.set", "b", "7"));
		ASSERT_EQ(0, pmiWrite(T0 + 10 * r, 0));
	}
	ASSERT_EQ(0, pmiEnd());
}

FIXTURE_TEARDOWN(absent)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", self->dir);
	EXPECT_EQ(0, system(command));
}

/* Print the values of a set to @out: "-" without values, "1=5 2=7" with instances. */
static void print_set(const pmValueSet *set, const pmDesc *desc, char *out)
{
	*out = '\0';
	if (set->numval < 0)
		sprintf(out, "error %d", set->numval);
	if (!set->numval)
		strcpy(out, "-");
	for (int i = 0; i < set->numval; i++) {
		/* In INTERP mode, the order of instances is undefined. */
		bool swap = set->numval == 2 && set->vlist[0].inst > set->vlist[1].inst;
		const pmValue *value = &set->vlist[swap ? 1 - i : i];
		pmAtomValue v;

		if (pmExtractValue(set->valfmt, value, desc->type, &v, PM_TYPE_DOUBLE) < 0)
			v.d = -1e9;
		if (desc->indom != PM_INDOM_NULL)
			out += sprintf(out, "%s%d=", i ? " " : "", value->inst);
		out += sprintf(out, "%g", v.d);
	}
}

/*
 * Print an expression's descriptor to @out, as "type sem units", then its results in all four
 * fetches, separated by commas.
 */
static void evaluate(const char *base, const char *expr, int mode, char *out)
{
	static unsigned int number;
	struct timeval start = { T0, 0 };
	char name[32], type[20], units[60];
	const char *names[] = { name };
	/*
	 * Also fetch a metric of the archive, because records without any requested metric are
	 * skipped.
	 */
	pmID pmids[2] = { PM_ID_NULL, pmiID(60, 0, 7) };
	pmResult *result;
	pmDesc desc;
	int ctx, err;

	sprintf(name, "absent.x%u", number++);
	*out = '\0';
	if (pmRegisterDerived(name, expr)) {
		strcpy(out, "no syntax");
		return;
	}
	ctx = pmNewContext(PM_CONTEXT_ARCHIVE, base);
	err = ctx < 0 ? ctx : pmLookupName(1, names, pmids);
	if (err >= 0)
		err = pmLookupDesc(pmids[0], &desc);
	if (err < 0) {
		sprintf(out, "error %d", err);
	} else {
		out += sprintf(out, "%s %d %s:", pmTypeStr_r(desc.type, type, sizeof(type)), desc.sem,
			       pmUnitsStr_r(&desc.units, units, sizeof(units)));
		pmSetMode(mode, &start, mode == PM_MODE_INTERP ? 10000 : 0);
		for (int i = 0; i < FETCHES && pmFetch(2, pmids, &result) >= 0; i++) {
			strcpy(out, i ? ", " : " ");
			print_set(result->vset[0], &desc, out + strlen(out));
			out += strlen(out);
			pmFreeResult(result);
		}
	}
	if (ctx >= 0)
		pmDestroyContext(ctx);
}

#define NOTHING ": -, -, -, -"

static const struct {
	const char *expr, *result;
} table[] = {
	/* The rate of a counter that decreases has no value. */
	{ "rate(c.u32)", "DOUBLE 3 count / sec: -, 10, -, 10" },
	{ "rate(c.u64)", "DOUBLE 3 count / sec: -, 10, -, 10" },
	{ "rate(c.i32)", "DOUBLE 3 count / sec: -, 10, -, 10" },
	{ "rate(c.i64)", "DOUBLE 3 count / sec: -, 10, -, 10" },
	{ "rate(c.float)", "DOUBLE 3 count / sec: -, 10, -, 10" },
	{ "rate(c.double)", "DOUBLE 3 count / sec: -, 10, -, 10" },
	/* Metrics that are not counters can decrease. */
	{ "rate(i.u32)", "DOUBLE 3 count / sec: -, 10, -15, 10" },
	{ "rate(i.u64)", "DOUBLE 3 count / sec: -, 10, -15, 10" },
	{ "rate(i.set)", "DOUBLE 3 / sec: -, 1=10 2=0, 1=-15 2=0, 1=10 2=0" },
	{ "delta(c.u32)", "64 3 count: -, 100, -150, 100" },
	/* The result of ! has its operand's type, which must be numeric. */
	{ "!c.float", "FLOAT 1 count: 0, 0, 0, 0" },
	{ "!(c.float - c.float)", "FLOAT 1 count: 1, 1, 1, 1" },
	{ "!i.text", "error -12409" },
	/* The operand of a function can be an expression. */
	{ "rate(c.u32 + c.u32)", "DOUBLE 3 count / sec: -, 20, -, 20" },
	{ "rate(instant(c.u32))", "DOUBLE 3 count / sec: -, 10, -15, 10" },
	{ "delta(i.set * 2)", "64 3 : -, 1=200 2=0, 1=-300 2=0, 1=200 2=0" },
	{ "delta(i.set[a])", "32 3 : -, 1=100, 1=-150, 1=100" },
	{ "rate(delta(c.i32))", "DOUBLE 3 count / sec: -, -, -25, 25" },
	{ "instant(c.u32 + 0 * c.u32)", "U32 3 count: 100, 200, 50, 150" },
	/* The branch that is not chosen need not exist. */
	{ "defined(no.such) ? no.such : c.u32", "U32 1 count: 100, 200, 50, 150" },
	{ "defined(c.u32) ? c.u32 : no.such", "U32 1 count: 100, 200, 50, 150" },
	{ "defined(c.u32) ? c.u32 : c.double", "U32 1 count: 100, 200, 50, 150" },
	{ "!defined(no.such) && defined(c.u32) ? c.u32 + c.u32 : no.such", "U32 1 count: 200, 400, 100, 300" },
	{ "rate(defined(no.such) ? no.such : c.u32)", "DOUBLE 3 count / sec: -, 10, -, 10" },
	{ "1 ? c.u32 : no.such", "U32 1 count: 100, 200, 50, 150" },
	{ "defined(no.such) ? c.u32 : no.such", "error -12409" },
	{ "c.u32 > 0 ? c.u32 : no.such", "error -12409" },
	{ "defined(no.such) ? no.such : novalue()", "32 4 " NOTHING },
	{ "!defined(no.such) ? novalue() : no.such", "32 4 " NOTHING },
	{ "!defined(c.u32) ? novalue() : c.u32", "U32 1 count: 100, 200, 50, 150" },
	{ "defined(no.such) ? no.such : novalue(type=u64, semantics=counter, units=Kbyte)", "U64 1 Kbyte" NOTHING },
	{ "defined(no.such) ? no.such : novalue(meta=c.double, semantics=instant)", "DOUBLE 3 count" NOTHING },
	{ "rate(defined(no.such) ? no.such : novalue())", "DOUBLE 3 / sec" NOTHING },
	{ "i.u32 > 100 ? i.u32 : novalue()", "U32 3 count: -, 200, -, 150" },
	{ "i.u32 > 100 ? novalue() : i.u32", "U32 3 count: 100, -, 50, -" },
	{ "i.set > 100 ? i.set : novalue()", "32 3 : -, 1=200, -, 1=150" },
	{ "i.set > 100 ? novalue() : i.set", "32 3 : 1=100 2=7, 2=7, 1=50 2=7, 2=7" },
	{ "rate(i.u32 > 60 ? i.u32 : novalue())", "DOUBLE 3 count / sec: -, 10, -, -" },
	{ "i.u32 ? novalue() : novalue()", "32 4 " NOTHING },
	{ "novalue()", "no syntax" },
	{ "i.u32 + novalue()", "no syntax" },
	{ "i.u32 ? novalue() + 1 : i.u32", "no syntax" },
	{ "i.u32 ? i.u32 : novalue(type=string)", "no syntax" },
	/* mkconst() gives a constant the metadata of a metric. */
	{ "mkconst(7, meta=c.u64)", "U64 1 count: 7, 7, 7, 7" },
	{ "mkconst(7, meta=i.set)", "32 3 : 1=7 2=7, 1=7 2=7, 1=7 2=7, 1=7 2=7" },
	{ "mkconst(7, type=32, indom=60.1)", "32 4 : 1=7 2=7, 1=7 2=7, 1=7 2=7, 1=7 2=7" },
	{ "mkconst(7, meta=no.such)", "error -12409" },
	{ "mkconst(7, indom=511.1)", "no syntax" },
};

TEST_F(absent, gives_values_only_where_there_are_some)
{
	static const int modes[] = { PM_MODE_FORW, PM_MODE_INTERP };

	for (size_t m = 0; m < 2; m++) {
		for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
			char out[512];

			evaluate(self->base, table[i].expr, modes[m], out);
			EXPECT_STREQ(table[i].result, out) {
				TH_LOG("%s", table[i].expr);
			}
		}
	}
}

/* Definitions for one context have the same descriptors as definitions for all contexts. */
TEST_F(absent, constants_of_one_context)
{
	const char *name = "one.context";
	pmDesc desc;
	pmID pmid;

	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, self->base));
	ASSERT_EQ(NULL, pmAddDerived(name, "mkconst(7, meta=c.u64)"));
	ASSERT_EQ(1, pmLookupName(1, &name, &pmid));
	ASSERT_EQ(0, pmLookupDesc(pmid, &desc));
	EXPECT_EQ(PM_TYPE_U64, desc.type);
	EXPECT_EQ(PM_SEM_COUNTER, desc.sem);
	EXPECT_EQ(1, 0 + desc.units.dimCount);
	pmDestroyContext(pmWhichContext());
}

/* The expected results are those of 7.2.2, except that its max() of an empty set is random. */
static const struct {
	const char *expr, *result;
} unknown[] = {
	{ "no.such", "32 4 " NOTHING },
	{ "no.such + 1", "U32 4 " NOTHING },
	{ "no.such[a]", "32 4 " NOTHING },
	{ "rate(no.such)", "DOUBLE 3 / sec" NOTHING },
	{ "rate(c.u32) / no.such", "DOUBLE 3 count / sec" NOTHING },
	{ "max(no.such)", "32 3 " NOTHING },
	{ "sum(no.such)", "32 4 : 0, 0, 0, 0" },
	{ "count(no.such)", "U32 3 count: 0, 0, 0, 0" },
	{ "defined(no.such)", "U32 4 : 0, 0, 0, 0" },
	{ "defined(no.such) ? no.such : c.u32", "U32 1 count: 100, 200, 50, 150" },
	{ "i.u32 > 100 ? i.u32 : no.such", "U32 3 count: -, 200, -, 150" },
	{ "i.u32 > 100 ? no.such : i.u32", "U32 3 count: 100, -, 50, -" },
	{ "no.such ? i.u32 : i.u32", "U32 3 count" NOTHING },
	{ "no.such + c.u32", "error -12409" },
	{ "rescale(no.such, \"kbyte\")", "error -12409" },
};

TEST_F(absent, unknown_operands_as_novalue)
{
	char out[512];
	int value = -1;

	EXPECT_EQ(0, pmGetDerivedControl(PCP_DERIVED_OPTION_NOVALUE, &value));
	EXPECT_EQ(0, value);
	EXPECT_EQ(PM_ERR_ARG, pmSetDerivedControl(PCP_DERIVED_OPTION_NOVALUE, 2));
	EXPECT_EQ(PM_ERR_ARG, pmSetDerivedControl(PCP_DERIVED_OPTION_NOVALUE, -1));
	ASSERT_EQ(0, pmSetDerivedControl(PCP_DERIVED_OPTION_NOVALUE, 1));
	EXPECT_EQ(0, pmGetDerivedControl(PCP_DERIVED_OPTION_NOVALUE, &value));
	EXPECT_EQ(1, value);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		evaluate(self->base, unknown[i].expr, PM_MODE_FORW, out);
		EXPECT_STREQ(unknown[i].result, out) {
			TH_LOG("%s", unknown[i].expr);
		}
	}
	ASSERT_EQ(0, pmSetDerivedControl(PCP_DERIVED_OPTION_NOVALUE, 0));
	evaluate(self->base, "no.such + 1", PM_MODE_FORW, out);
	EXPECT_STREQ("error -12409", out);
}

/* After a failed fetch, there is no previous value to subtract. */
TEST_F(absent, forgets_after_a_gap)
{
	char out[512];

	evaluate(self->base, "rate(i.u32 < 200 ? i.u32 : novalue())", PM_MODE_FORW, out);
	EXPECT_STREQ("DOUBLE 3 count / sec: -, -, -, 10", out);
}

/* A definition can continue on the next line. */
TEST_F(absent, reads_definitions_of_several_lines)
{
	static const char text[] = "absent.joined = defined(no.such) ? \\\n\tno.such : \\\n\ti.u32\n"
				   "absent.joined(oneline) = two \\\nlines\n"
				   "absent.last = i.u32 \\\n";
	const char *names[] = { "absent.joined", "absent.last" };
	char path[128], *line;
	pmID pmids[2];
	FILE *f;
	int ctx;

	sprintf(path, "%s/conf", self->dir);
	f = fopen(path, "w");
	ASSERT_NE(NULL, f);
	fputs(text, f);
	ASSERT_EQ(0, fclose(f));
	EXPECT_EQ(2, pmLoadDerivedConfig(path));
	ctx = pmNewContext(PM_CONTEXT_ARCHIVE, self->base);
	ASSERT_LE(0, ctx);
	EXPECT_EQ(2, pmLookupName(2, names, pmids));
	EXPECT_EQ(0, pmLookupText(pmids[0], PM_TEXT_ONELINE, &line));
	EXPECT_STREQ("two lines", line);
	free(line);
	pmDestroyContext(ctx);
}

TEST_HARNESS_MAIN
