// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test features of derived metrics that are not compared with PCP: limits, arbitrary expressions,
 * circular definitions, and threads.
 */
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/import.h>

#include "pcp_fixture.h"

#define MANY		20000
#define DEEP		100000
#define RANDOM_EXPRS	20000

static pmID find(const char *name)
{
	pmID pmid = PM_ID_NULL;

	pmLookupName(1, &name, &pmid);
	return pmid;
}

/* Return the first value of a metric in the next fetch (0 or more), an error, or NOTHING. */
static int64_t value_of(const char *name)
{
	return fetch_number(find(name), NULL);
}

static char *repeat(const char *before, const char *part, int n, const char *after)
{
	size_t len = strlen(part);
	char *text = malloc(strlen(before) + len * (size_t)n + strlen(after) + 1), *to = text;

	to = stpcpy(to, before);
	for (int i = 0; i < n; i++)
		to = stpcpy(to, part);
	strcpy(to, after);
	return text;
}

TEST_F(archive, deep_expressions_end_in_an_error)
{
	static const char *const openings[] = { "(", "!", "-", "scalar(", "1?", "1*(" };

	for (unsigned int i = 0; i < sizeof(openings) / sizeof(openings[0]); i++) {
		char *expr = repeat("", openings[i], DEEP, "1");

		EXPECT_NE(pmRegisterDerived("deep.one", expr), NULL);
		EXPECT_STREQ(pmDerivedErrStr(), "Expression too deep");
		free(expr);
	}
	EXPECT_EQ(find("deep.one"), PM_ID_NULL);
}

TEST_F(archive, long_expressions_have_values)
{
	char *expr = repeat("1", "+1", DEEP, "");

	ASSERT_EQ(pmRegisterDerived("long.one", expr), NULL);
	free(expr);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 1000, 1000), 0);
	EXPECT_EQ(value_of("long.one"), DEEP + 1);
	expr = repeat("", "(", 5000, "2");
	EXPECT_NE(pmRegisterDerived("long.two", expr), NULL);
	EXPECT_STREQ(pmDerivedErrStr(), "Unexpected initial '('");
	free(expr);
	expr = repeat("5", "-(1", 5000, "");
	expr = realloc(expr, strlen(expr) + 5001);
	memset(expr + strlen(expr) + 5000, 0, 1);
	memset(strchr(expr, '\0'), ')', 5000);
	EXPECT_EQ(pmRegisterDerived("long.three", expr), NULL);
	free(expr);
	EXPECT_EQ(value_of("long.three"), 5);
}

/* Evaluate at 30 s, where v.inst is 103. */
TEST_F(archive, arithmetic)
{
	static const struct {
		const char *expr;
		double want;
	} rows[] = {
		{ "v.inst + 2", 105 }, { "v.inst - 3", 100 }, { "v.inst * 2", 206 },
		{ "v.inst / 2", 51.5 }, { "2 / v.inst", 2 / 103. }, { "(v.inst - 103) / 0", 0 },
		{ "v.inst + 0.5", 103.5 }, { "v.inst * 0.5", 51.5 }, { "v.inst > 102", 1 },
		{ "v.inst < 103", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pmAtomValue v = { .d = -1 };
		pmResult *r;
		pmDesc desc;
		char name[32];
		pmID pmid;

		snprintf(name, sizeof(name), "number.n%zu", i);
		ASSERT_EQ(pmAddDerived(name, rows[i].expr), NULL);
		pmid = find(name);
		ASSERT_EQ(pmLookupDesc(pmid, &desc), 0);
		ASSERT_EQ(go_to(PM_MODE_INTERP, 30000, 0), 0);
		ASSERT_EQ(pmFetch(1, &pmid, &r), 0);
		ASSERT_EQ(r->vset[0]->numval, 1);
		EXPECT_EQ(pmExtractValue(r->vset[0]->valfmt, &r->vset[0]->vlist[0], desc.type, &v,
					 PM_TYPE_DOUBLE), 0);
		EXPECT_EQ(v.d, rows[i].want) {
			TH_LOG("%s: %g", rows[i].expr, v.d);
		}
		pmFreeResult(r);
	}
}

TEST_F(archive, many_definitions)
{
	char name[32], expr[32];
	pmDesc desc;

	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "many.m%d", i);
		snprintf(expr, sizeof(expr), "%d", i);
		ASSERT_EQ(pmRegisterDerived(name, expr), NULL);
	}
	EXPECT_NE(pmRegisterDerived(name, "1"), NULL);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 1000, 1000), 0);
	EXPECT_EQ(value_of("many.m19999"), 19999);
	EXPECT_EQ(pmLookupDesc(find("many.m12345"), &desc), 0);
	EXPECT_EQ(desc.pmid, find("many.m12345"));
	EXPECT_EQ(pmLookupDesc(pmID_build(DYNAMIC_PMID, 2047, 1023), &desc), PM_ERR_PMID_LOG);
}

TEST_F(archive, definitions_that_go_in_circles)
{
	pmDesc desc;
	char name[32], expr[32];

	EXPECT_EQ(pmRegisterDerived("ring.self", "ring.self + 1"), NULL);
	EXPECT_EQ(pmRegisterDerived("ring.a", "ring.b"), NULL);
	EXPECT_EQ(pmRegisterDerived("ring.b", "ring.a"), NULL);
	EXPECT_EQ(pmLookupDesc(find("ring.self"), &desc), PM_ERR_BADDERIVE);
	EXPECT_EQ(pmLookupDesc(find("ring.a"), &desc), PM_ERR_BADDERIVE);
	EXPECT_EQ(pmLookupDesc(find("ring.b"), &desc), PM_ERR_BADDERIVE);
	EXPECT_NE(pmAddDerived("ring.own", "ring.own"), NULL);
	EXPECT_STREQ(pmDerivedErrStr(), "Recursive definition");
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "chain.c%d", i);
		snprintf(expr, sizeof(expr), "chain.c%d", i + 1);
		EXPECT_EQ(pmRegisterDerived(name, expr), NULL);
	}
	EXPECT_EQ(pmRegisterDerived("chain.c1000", "1"), NULL);
	EXPECT_EQ(pmLookupDesc(find("chain.c0"), &desc), PM_ERR_BADDERIVE);
	EXPECT_EQ(pmLookupDesc(find("chain.c1000"), &desc), 0);
	EXPECT_EQ(pmLookupDesc(find("chain.c999"), &desc), 0);
}

/*
 * As in 6.3.8, an operand cannot be a derived metric.  The error message contains the operand's
 * name, and no metric is defined.
 */
TEST_F(archive, operands_that_are_derived)
{
	static const char *const exprs[] = {
		"nest.a + 1", "sum(nest.a)", "defined(nest.a)", "nest.a ? 1 : 2", "nest.a[x]",
		"-nest.bad",
	};
	char name[16];
	pmDesc desc;

	ASSERT_EQ(pmRegisterDerived("nest.a", "v.cu32"), NULL);
	ASSERT_EQ(pmRegisterDerived("nest.bad", "v.nosuch"), NULL);
	for (size_t i = 0; i < sizeof(exprs) / sizeof(exprs[0]); i++) {
		snprintf(name, sizeof(name), "nest.m%zu", i);
		EXPECT_NE(pmAddDerived(name, exprs[i]), NULL);
		EXPECT_STREQ(pmDerivedErrStr(), "Illegal nested derived metric");
		EXPECT_EQ(pmLookupDesc(find(name), &desc), PM_ERR_BADDERIVE);
	}
	EXPECT_EQ(pmAddDerived("nest.alias", "nest.a"), NULL);
	EXPECT_EQ(pmAddDerived("nest.meta", "mkconst(1, meta=nest.a)"), NULL);
	EXPECT_EQ(pmLookupDesc(find("nest.meta"), &desc), 0);
}

TEST_F(archive, twice_in_a_fetch)
{
	pmID pmids[3];
	pmResult *r;

	ASSERT_EQ(pmAddDerived("twice.rate", "delta(v.cu32)"), NULL);
	pmids[0] = pmids[2] = find("twice.rate");
	pmids[1] = find("v.cu32");
	ASSERT_EQ(go_to(PM_MODE_INTERP, 1000, 1000), 0);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(pmFetch(3, pmids, &r), 0);
		ASSERT_EQ(r->numpmid, 3);
		EXPECT_EQ(r->vset[0]->numval, r->vset[2]->numval);
		if (r->vset[0]->numval > 0)
			EXPECT_EQ(0, memcmp(r->vset[0]->vlist[0].value.pval->vbuf,
					    r->vset[2]->vlist[0].value.pval->vbuf, 8));
		pmFreeResult(r);
	}
}

/*
 * Write records in which instances appear, disappear and change position: instance i of record r
 * has the value 100 r + i.
 */
static int make_shifting(const char *base)
{
	pmUnits none = { 0 };
	char name[16];

	if (pmiStart(base, 0) < 0 || pmiSetHostname("h") || pmiSetTimezone("UTC") ||
	    pmiAddMetric("shift.v", pmiID(60, 0, 1), PM_TYPE_32, pmiInDom(60, 1), PM_SEM_INSTANT, none))
		return -1;
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "i%d", i);
		if (pmiAddInstance(pmiInDom(60, 1), name, i))
			return -1;
	}
	for (int r = 0; r < 3; r++) {
		for (int k = 0; k < 30; k++) {
			int i = r == 1 ? 34 - k : k + 5 * r;
			char value[16];

			snprintf(name, sizeof(name), "i%d", i);
			snprintf(value, sizeof(value), "%d", 100 * r + i);
			if (pmiPutValue("shift.v", name, value))
				return -1;
		}
		if (pmiWrite(1700000000 + r, 0))
			return -1;
	}
	return pmiEnd();
}

TEST_F(archive, instances_that_shift)
{
	struct timeval start = { 0 };
	char base[512];
	pmResult *r;
	pmID pmid;

	snprintf(base, sizeof(base), "%s-shifting", self->base);
	ASSERT_EQ(make_shifting(base), 0);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, base), 0);
	ASSERT_EQ(pmAddDerived("shift.delta", "delta(shift.v)"), NULL);
	pmid = find("shift.delta");
	ASSERT_EQ(pmSetMode(PM_MODE_FORW, &start, 0), 0);
	for (int n = 0; n < 3; n++) {
		ASSERT_EQ(pmFetch(1, &pmid, &r), 0);
		EXPECT_EQ(r->vset[0]->numval, n ? 25 : 0);
		for (int i = 0; i < r->vset[0]->numval; i++)
			EXPECT_EQ(r->vset[0]->vlist[i].value.lval, 100);
		pmFreeResult(r);
	}
	pmDestroyContext(pmWhichContext());
}

/*
 * An archive's own metric keeps its identifier 511.0.3, although the first derived metric would
 * have the same one.
 */
TEST_F(archive, an_archives_own_identifiers_stay_its_own)
{
	pmUnits none = { 0 };
	char base[512], **names;
	pmDesc desc;
	pmID pmid = pmID_build(DYNAMIC_PMID, 0, 3);

	snprintf(base, sizeof(base), "%s-taken", self->base);
	ASSERT_EQ(pmRegisterDerived("derived.one", "1.5"), NULL);
	ASSERT_EQ(pmRegisterDerived("derived.two", "2.5"), NULL);
	EXPECT_EQ(find("derived.one"), pmid);
	ASSERT_GE(pmiStart(base, 0), 0);
	ASSERT_EQ(pmiSetHostname("h") | pmiSetTimezone("UTC"), 0);
	ASSERT_EQ(pmiAddMetric("taken.v", pmid, PM_TYPE_32, PM_INDOM_NULL, PM_SEM_INSTANT, none), 0);
	ASSERT_EQ(pmiPutValue("taken.v", NULL, "7") | pmiWrite(1700000000, 0) | pmiEnd(), 0);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, base), 0);
	EXPECT_EQ(find("taken.v"), pmid);
	ASSERT_EQ(pmLookupDesc(pmid, &desc), 0);
	EXPECT_EQ(desc.type, PM_TYPE_32);
	EXPECT_EQ(find("derived.one"), PM_ID_NULL);
	EXPECT_NE(find("derived.two"), PM_ID_NULL);
	ASSERT_EQ(pmNameAll(pmid, &names), 1);
	EXPECT_STREQ(names[0], "taken.v");
	free(names);
	ASSERT_EQ(pmGetChildren("derived", &names), 1);
	EXPECT_STREQ(names[0], "two");
	free(names);
	pmDestroyContext(pmWhichContext());
}

/* In FORW and BACK, a constant has a value in each record except marks. */
TEST_F(archive, constants_alone)
{
	ASSERT_EQ(pmAddDerived("alone.one", "1"), NULL);
	for (int back = 0; back < 2; back++) {
		ASSERT_EQ(go_to(back ? PM_MODE_BACK : PM_MODE_FORW, back * 50000, 0), 0);
		for (int i = 0; i < 6; i++)
			EXPECT_EQ(value_of("alone.one"), 1);
		EXPECT_EQ(value_of("alone.one"), PM_ERR_EOL);
	}
	ASSERT_EQ(go_to(PM_MODE_INTERP, 1000, 0), 0);
	EXPECT_EQ(value_of("alone.one"), 1);
}

/*
 * If some names are unknown, pmLookupName() returns the number of known names, regardless of their
 * order.
 */
TEST_F(archive, names_of_which_some_are_none)
{
	const char *names[] = { "v.nosuch", "both.kinds", "v.cu32", "v.cu32.below", "both.kinds" };
	pmID pmids[5];

	ASSERT_EQ(NULL, pmAddDerived("both.kinds", "delta(v.cu32)"));
	EXPECT_EQ(3, pmLookupName(5, names, pmids));
	EXPECT_EQ(PM_ID_NULL, pmids[0]);
	EXPECT_EQ(find("both.kinds"), pmids[1]);
	EXPECT_EQ(find("v.cu32"), pmids[2]);
	EXPECT_EQ(PM_ID_NULL, pmids[3]);
	EXPECT_EQ(pmids[1], pmids[4]);
	EXPECT_EQ(1, pmLookupName(2, names, pmids));
	EXPECT_EQ(PM_ERR_NAME, pmLookupName(1, names, pmids));
}

static unsigned int state = 1;

static unsigned int roll(unsigned int sides)
{
	state = state * 1103515245 + 12345;
	return (state >> 16) % sides;
}

static void random_expr(char *text, size_t size)
{
	static const char *const parts[] = {
		"v.cu32", "v.cstr", "v.set", "v.nosuch", "+", "-", "*", "/", "(", ")", "(", ")", "<", "<=",
		"==", "!=", "&&", "||", "!", "?", ":", ",", "=", "1", "2.5", "0", "rate(", "delta(", "avg(",
		"sum(", "min(", "max(", "count(", "instant(", "defined(", "anon(", "PM_TYPE_32", "scalar(",
		"matchinst(", "/a/", "!/b/", "rescale(", "\"byte\"", "\"", "[a]", "[", "]", "mkconst(",
		"type=", "units=", "semantics=", "32", "double", "counter", "@", "\\", " ", "\t", "\377", "&",
	};
	int n = (int)roll(14) + 1;

	*text = '\0';
	for (int i = 0; i < n && strlen(text) + 16 < size; i++)
		strcat(text, parts[roll(sizeof(parts) / sizeof(parts[0]))]);
}

TEST_F(archive, expressions_that_are_anything)
{
	char expr[256], name[32], *message;
	pmID pmids[64];
	int good = 0, context = pmWhichContext();
	pmResult *r;

	for (int i = 0; i < RANDOM_EXPRS; i++) {
		random_expr(expr, sizeof(expr));
		snprintf(name, sizeof(name), "any.x%d", i);
		if (pmAddDerivedMetric(name, expr, &message)) {
			ASSERT_NE(message, NULL);
			free(message);
			continue;
		}
		pmids[good++ % 64] = find(name);
		if (good % 64)
			continue;
		ASSERT_EQ(go_to(PM_MODE_INTERP, 1000, 500), 0);
		for (int k = 0; k < 4; k++) {
			ASSERT_EQ(pmFetch(64, pmids, &r), 0);
			pmFreeResult(r);
		}
	}
	EXPECT_LT(100, good);
	EXPECT_EQ(pmWhichContext(), context);
}

/*
 * Define patterns that would exhaust the stack or memory.  They must be rejected, even in a thread
 * with a small stack.
 */
static void *define_patterns(void *arg)
{
	static const struct {
		const char *head, *part, *tail;
		int times;
		bool good;
	} patterns[] = {
		{ "", "[a-f0-9]{4}-", "(one|two){1,3}", 4, true },
		{ "((((((((((a))))))))))", ".*", "", 100, true },
		{ "", "(", "", 30000, false },
		{ "", "(a)", "", 30000, false },
		{ "", "a|", "b", 30000, false },
		{ "a", "*", "", 20000, false },
		{ "((((a){100}){100}){100}){100}", "", "", 0, false },
		{ "((((a){1,60}){60,}){,60}){60}", "", "", 0, false },
		{ "[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", ".", "[]{9999}[:digit:]]\\\\{-1", 3, true },
		{ "[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", "[[:alpha:]]{100}", "", 9, true },
		{ "(((a?){100}){100}){10}", "", "", 0, false },
		{ "((a*){100}){30}", "", "", 0, false },
		{ "((a|){100}){30}", "", "", 0, false },
		{ "((a?){100}){4}", "", "", 0, true },
		{ "((a*){30}){8}", "|x", "", 10, true },
		{ "a", "+", "", 40, false },
		{ "a", "{1,}", "", 40, false },
		{ "((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)", "", "", 0, false },
	};
	static char expr[100100];
	int *wrong = arg;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		char *message = NULL, name[32];
		int len = sprintf(expr, "matchinst(/%s", patterns[i].head);

		for (int k = 0; k < patterns[i].times; k++)
			len += sprintf(expr + len, "%s", patterns[i].part);
		sprintf(expr + len, "%s/, v.set)", patterns[i].tail);
		snprintf(name, sizeof(name), "pattern.n%zu", i);
		if (!pmRegisterDerivedMetric(name, expr, &message) != patterns[i].good)
			*wrong |= 1 << i;
		free(message);
	}
	return NULL;
}

TEST_F(archive, patterns_of_any_size)
{
	pthread_attr_t attr;
	pthread_t thread;
	int wrong = 0;

	ASSERT_EQ(0, pthread_attr_init(&attr));
	ASSERT_EQ(0, pthread_attr_setstacksize(&attr, 256 << 10));
	ASSERT_EQ(0, pthread_create(&thread, &attr, define_patterns, &wrong));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, wrong);
}

static void *define_and_fetch(void *arg)
{
	const char *base = arg;
	int64_t wrong = 0;

	for (int i = 0; i < 50; i++) {
		int handle = pmNewContext(PM_CONTEXT_ARCHIVE, base);
		char name[64];

		snprintf(name, sizeof(name), "thread.t%lx.i%d", (unsigned long)pthread_self(), i);
		wrong += pmRegisterDerived(name, "1 + 2") != NULL;
		wrong += pmAddDerived("thread.own", "3 *") == NULL || !pmDerivedErrStr();
		wrong += pmAddDerived("thread.own", "3 * 4") != NULL || pmDerivedErrStr();
		go_to(PM_MODE_INTERP, 1000, 0);
		wrong += value_of(name) != 3 || value_of("thread.own") != 12;
		pmDestroyContext(handle);
	}
	return (void *)(intptr_t)wrong;
}

TEST_F(archive, threads)
{
	pthread_t threads[4];
	void *wrong;

	for (int i = 0; i < 4; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, define_and_fetch, self->base), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &wrong);
		EXPECT_EQ(wrong, NULL);
	}
}

/* Constants have a decimal point in every locale. */
TEST_F(archive, constants_in_another_locale)
{
	char dir[] = "/tmp/vcpc-derived-XXXXXX", command[192];
	pmAtomValue v = { .d = -1 };
	pmResult *r;
	pmDesc desc;
	pmID pmid;
	int err;

	ASSERT_NE(NULL, mkdtemp(dir));
	snprintf(command, sizeof(command), "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>&1", dir);
	err = system(command);
	setenv("LOCPATH", dir, 1);
	if (err || !setlocale(LC_NUMERIC, "de_DE.UTF-8"))
		SKIP(return, "localedef has no German here");
	ASSERT_EQ(',', localeconv()->decimal_point[0]);
	ASSERT_EQ(pmAddDerived("in.another.locale", "v.inst + 2.5"), NULL);
	pmid = find("in.another.locale");
	ASSERT_EQ(pmLookupDesc(pmid, &desc), 0);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 30000, 0), 0);
	ASSERT_EQ(pmFetch(1, &pmid, &r), 0);
	EXPECT_EQ(pmExtractValue(r->vset[0]->valfmt, &r->vset[0]->vlist[0], desc.type, &v,
				 PM_TYPE_DOUBLE), 0);
	EXPECT_EQ(v.d, 105.5);
	pmFreeResult(r);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	EXPECT_EQ(0, system(command));
}

/* A backslash at the end of a line joins the next line, unless the backslash is escaped. */
TEST(escapes_at_the_end_of_a_line)
{
	static const struct {
		const char *value, *want;
	} rows[] = {
		{ "\"one \\\ntwo\"", "one two" }, { "\"one \\\\\ntwo\"", "one two" },
		{ "\"one \\\\\\\ntwo\"", "one \\two" }, { "\"a \\\"b\\\" c\"", "a \"b\" c" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char path[] = "/tmp/vcpc-derived-XXXXXX", name[32], *text = NULL;
		int fd = mkstemp(path);
		pmID pmid;

		ASSERT_LE(0, fd);
		snprintf(name, sizeof(name), "escaped.n%zu", i);
		dprintf(fd, "%s = 1 + 2\n%s(oneline) = %s\n", name, name, rows[i].value);
		close(fd);
		EXPECT_EQ(1, pmLoadDerivedConfig(path));
		unlink(path);
		ASSERT_LE(0, pmNewContext(PM_CONTEXT_LOCAL, NULL));
		pmid = find(name);
		EXPECT_EQ(0, pmLookupText(pmid, PM_TEXT_ONELINE, &text));
		EXPECT_STREQ(rows[i].want, text ? text : "");
		free(text);
		pmDestroyContext(pmWhichContext());
	}
}

TEST(folders_that_are_links_to_each_other)
{
	char dir[] = "/tmp/vcpc-derived-XXXXXX", path[64];
	FILE *f;

	ASSERT_NE(NULL, mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a", dir);
	ASSERT_EQ(0, symlink(".", path));
	snprintf(path, sizeof(path), "%s/b", dir);
	ASSERT_EQ(0, symlink(".", path));
	snprintf(path, sizeof(path), "%s/one.conf", dir);
	f = fopen(path, "w");
	ASSERT_NE(NULL, f);
	fputs("in.a.folder = 1 + 2\n", f);
	ASSERT_EQ(0, fclose(f));
	EXPECT_EQ(1, pmLoadDerivedConfig(dir));
	unlink(path);
	snprintf(path, sizeof(path), "%s/a", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/b", dir);
	unlink(path);
	EXPECT_EQ(0, rmdir(dir));
}

/*
 * If an operand has an error, delta() returns this error in two fetches.  A delta() that was not
 * evaluated because another operand had an error continues from its last value.
 */
TEST_F(archive, a_change_after_an_error)
{
	static const struct {
		const char *expr;
		int want[3];
	} rows[] = {
		{ "delta(w.errors)", { NOTHING, -12350, -12350 } },
		{ "instant(w.errors) + delta(v.inst) == 202", { NOTHING, -12350, 1 } },
		{ "delta(v.inst) + delta(w.errors)", { NOTHING, -12350, -12350 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[32];

		snprintf(name, sizeof(name), "d.change%zu", i);
		ASSERT_EQ(NULL, pmAddDerived(name, rows[i].expr));
		ASSERT_EQ(0, go_to(PM_MODE_FORW, 0, 0));
		for (int j = 0; j < 3; j++) {
			EXPECT_EQ(rows[i].want[j], value_of(name)) TH_LOG("%s, record %d", rows[i].expr, j);
		}
	}
}

/*
 * A copy of a context lacks the derived metrics of the original context, so fetches in the copy
 * return no values of them.
 */
TEST_F(archive, a_metric_of_another_context)
{
	const char *name = "d.own";
	pmID pmids[] = { PM_ID_NULL, pmID_build(DYNAMIC_PMID, 0, 999) }, none;
	pmResult *r;

	ASSERT_EQ(NULL, pmAddDerived(name, "v.cu32"));
	ASSERT_EQ(1, pmLookupName(1, &name, pmids));
	ASSERT_LE(0, pmDupContext());
	EXPECT_EQ(PM_ERR_NAME, pmLookupName(1, &name, &none));
	for (int i = 0; i < 4; i++) {
		int back = i % 2;

		ASSERT_EQ(0, go_to(back ? PM_MODE_BACK : PM_MODE_FORW, back ? 25000 : 26000, 0));
		for (int j = 0; j < 3; j++) {
			ASSERT_EQ(0, pmFetch(1 + i / 2, pmids, &r));
			EXPECT_EQ(0, r->vset[0]->numval);
			EXPECT_EQ(AF_START + (back ? 20 - 10 * j : 30 + 10 * j), r->timestamp.tv_sec);
			pmFreeResult(r);
		}
		EXPECT_EQ(PM_ERR_EOL, pmFetch(1 + i / 2, pmids, &r));
	}
	pmids[1] = PM_ID_NULL;
	ASSERT_EQ(0, go_to(PM_MODE_FORW, 0, 0));
	EXPECT_EQ(PM_ERR_EOL, pmFetch(2, pmids, &r));
}

TEST_HARNESS_MAIN
