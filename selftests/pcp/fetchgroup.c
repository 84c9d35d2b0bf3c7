// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test properties of fetch groups that are not compared with PCP: bounds of the program's arrays,
 * strings that the caller frees, outputs that are NULL, and the cleanup of groups.
 */
#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <string.h>

#include <pcp/import.h>

#include "pcp_fixture.h"

#define ROOM 2

static int step_of(pmFG fg, int mode, int64_t ms, int delta_ms)
{
	pmUseContext(pmGetFetchGroupContext(fg));
	return go_to(mode, ms, delta_ms);
}

TEST_F(archive, an_item_and_its_stamp)
{
	struct timespec ts = { 1, 1 };
	struct timeval tv = { 1, 1 };
	pmAtomValue v, s;
	pmFG fg;
	int sts, string_sts;

	ASSERT_EQ(pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, self->base), 0);
	ASSERT_EQ(pmExtendFetchGroup_item(fg, "v.cu32", NULL, "instant", &v, PM_TYPE_DOUBLE, &sts), 0);
	ASSERT_EQ(pmExtendFetchGroup_item(fg, "v.cu32", NULL, "instant", &s, PM_TYPE_STRING,
					  &string_sts), 0);
	ASSERT_EQ(pmExtendFetchGroup_timespec(fg, &ts), 0);
	ASSERT_EQ(pmExtendFetchGroup_timeval(fg, &tv), 0);
	EXPECT_TRUE(isnan(v.d));
	EXPECT_EQ(s.cp, NULL);
	EXPECT_EQ(ts.tv_sec, 0);
	EXPECT_EQ(tv.tv_usec, 0);
	EXPECT_EQ(sts, PM_ERR_VALUE);
	ASSERT_EQ(step_of(fg, PM_MODE_INTERP, 1000, 1000), 0);
	ASSERT_EQ(pmFetchGroup(fg), 0);
	EXPECT_EQ(sts, 0);
	EXPECT_EQ(string_sts, 0);
	ASSERT_NE(s.cp, NULL);
	EXPECT_EQ(v.d, atof(s.cp));
	EXPECT_EQ(ts.tv_sec, AF_START + 1);
	EXPECT_EQ(tv.tv_sec, AF_START + 1);
	EXPECT_EQ(pmClearFetchGroup(fg), 0);
	EXPECT_EQ(s.cp, NULL);
	EXPECT_EQ(pmFetchGroup(fg), PM_ERR_TOOSMALL);
	EXPECT_EQ(pmDestroyFetchGroup(fg), 0);
	EXPECT_EQ(pmDestroyFetchGroup(NULL), 0);
}

/*
 * Fetch each record once, and return the number of fetches after which the discrete metric has a
 * value.
 */
static int with_a_discrete_value(const char *base)
{
	pmAtomValue discrete, other;
	int sts, n = 0;
	pmFG fg;

	if (pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, base) ||
	    pmExtendFetchGroup_item(fg, "v.disc", NULL, NULL, &discrete, PM_TYPE_STRING, &sts) ||
	    pmExtendFetchGroup_item(fg, "v.cu32", NULL, "instant", &other, PM_TYPE_DOUBLE, NULL) ||
	    step_of(fg, PM_MODE_FORW, 0, 0))
		return -1;
	while (!pmFetchGroup(fg))
		n += sts == 0;
	pmDestroyFetchGroup(fg);
	return n;
}

TEST_F(archive, a_discrete_value_stays_unless_it_counts_once)
{
	int kept = with_a_discrete_value(self->base), once;

	setenv("PCP_DISCRETE_ONCE", "", 1);
	once = with_a_discrete_value(self->base);
	EXPECT_GT(once, 0);
	EXPECT_GT(kept, once);
}

TEST_F(archive, nothing_beyond_the_arrays)
{
	struct {
		int codes[ROOM + 1], stss[ROOM + 1];
		char *names[ROOM + 1];
		pmAtomValue values[ROOM + 1];
	} all;
	static char mark;
	unsigned int num = 77;
	int sts = 77;
	pmFG fg;

	all.codes[ROOM] = all.stss[ROOM] = 1234;
	all.names[ROOM] = &mark;
	all.values[ROOM].ull = 1234;
	ASSERT_EQ(pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, self->base), 0);
	ASSERT_EQ(pmExtendFetchGroup_indom(fg, "v.set", "instant", all.codes, all.names, all.values,
					   PM_TYPE_U64, all.stss, ROOM, &num, &sts), 0);
	ASSERT_EQ(step_of(fg, PM_MODE_FORW, 0, 0), 0);
	for (int i = 0; i < 5 && pmFetchGroup(fg) >= 0; i++)
		EXPECT_LE(num, ROOM);
	EXPECT_EQ(all.codes[ROOM], 1234);
	EXPECT_EQ(all.stss[ROOM], 1234);
	EXPECT_EQ(all.names[ROOM], &mark);
	EXPECT_EQ(all.values[ROOM].ull, 1234);
	pmDestroyFetchGroup(fg);
}

/* Request strings of each kind of item, with and without outputs. */
static int use(const char *base)
{
	pmAtomValue value, number, values[ROOM];
	int fetched = 0;
	pmFG fg;

	if (pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, base))
		return -1;
	pmExtendFetchGroup_item(fg, "v.cu32", NULL, NULL, &value, PM_TYPE_STRING, NULL);
	pmExtendFetchGroup_item(fg, "v.istr", NULL, NULL, NULL, PM_TYPE_STRING, NULL);
	pmExtendFetchGroup_item(fg, "v.istr", NULL, NULL, &number, PM_TYPE_32, NULL);
	pmExtendFetchGroup_item(fg, "v.nosuch", NULL, NULL, &number, PM_TYPE_32, NULL);
	pmExtendFetchGroup_item(fg, "v.cu32", NULL, "no unit", &number, PM_TYPE_32, NULL);
	pmExtendFetchGroup_indom(fg, "v.set", NULL, NULL, NULL, values, PM_TYPE_STRING, NULL, ROOM,
				 NULL, NULL);
	pmExtendFetchGroup_indom(fg, "v.set", "instant", NULL, NULL, NULL, PM_TYPE_STRING, NULL, 1,
				 NULL, NULL);
	pmUseContext(pmGetFetchGroupContext(fg));
	go_to(PM_MODE_INTERP, 0, 1000);
	while (fetched < 20 && pmFetchGroup(fg) >= 0)
		fetched++;
	pmDestroyFetchGroup(fg);
	return fetched;
}

/* As in PCP, all instances are fetched from then on, even if the units do not fit. */
TEST_F(archive, instances_in_other_units)
{
	pmID pmid = AF_PMID(SET);
	pmAtomValue v;
	pmResult *r;
	pmFG fg;

	ASSERT_EQ(pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, self->base), 0);
	ASSERT_EQ(pmExtendFetchGroup_item(fg, "v.set", "i1", NULL, &v, PM_TYPE_U64, NULL), 0);
	EXPECT_EQ(pmExtendFetchGroup_indom(fg, "v.set", "byte", NULL, NULL, NULL, PM_TYPE_U64, NULL, 0,
					   NULL, NULL), PM_ERR_CONV);
	ASSERT_EQ(step_of(fg, PM_MODE_FORW, 0, 0), 0);
	ASSERT_EQ(pmFetch(1, &pmid, &r), 0);
	EXPECT_EQ(r->vset[0]->numval, 2);
	pmFreeResult(r);
	EXPECT_EQ(pmDestroyFetchGroup(fg), 0);
}

TEST_F(archive, memory_does_not_grow)
{
	size_t before;

	for (int i = 0; i < 5; i++)
		ASSERT_LT(5, use(self->base));
	before = mallinfo2().uordblks;
	for (int i = 0; i < 300; i++)
		use(self->base);
	EXPECT_LT(mallinfo2().uordblks, before + 300 * 32);
}

TEST_F(archive, an_instance_that_comes_later)
{
	pmAtomValue v;
	char **names;
	pmFG fg;
	int *insts, n = pmGetInDomArchive(AF_INDOM, &insts, &names);

	ASSERT_LT(0, n);
	ASSERT_EQ(pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, self->base), 0);
	ASSERT_EQ(step_of(fg, PM_MODE_INTERP, 3000, 1000), 0);
	for (int i = 0; i < n; i++)
		EXPECT_EQ(pmExtendFetchGroup_item(fg, "v.set", names[i], "instant", &v, PM_TYPE_U32,
						  NULL), 0);
	/* Adding items does not change the time of the group. */
	ASSERT_EQ(pmFetchGroup(fg), 0);
	pmDestroyFetchGroup(fg);
	free(insts);
	free(names);
}

/*
 * Write an archive of two metrics of one domain.  In the second record, one of them has an instance
 * that the other lacks.
 */
static int two_of_one_domain(const char *archive)
{
	pmInDom indom = pmInDom_build(245, 0);
	pmUnits none = { 0 };
	int bad = pmiStart(archive, 0) < 0;

	bad |= pmiAddMetric("two.a", pmID_build(245, 0, 1), PM_TYPE_U32, indom, PM_SEM_INSTANT, none);
	bad |= pmiAddMetric("two.b", pmID_build(245, 0, 2), PM_TYPE_U32, indom, PM_SEM_INSTANT, none);
	bad |= pmiAddInstance(indom, "first", 1);
	bad |= pmiPutValue("two.a", "first", "1") | pmiPutValue("two.b", "first", "2");
	bad |= pmiWrite(1000, 0) < 0;
	bad |= pmiAddInstance(indom, "second", 2);
	bad |= pmiPutValue("two.a", "first", "1") | pmiPutValue("two.b", "second", "2");
	return bad | pmiWrite(1001, 0) | pmiEnd();
}

/*
 * If a fetch of one metric adds an instance name, the names returned for the other metric stay
 * valid.
 */
TEST_F(archive, names_stay_until_the_next_fetch)
{
	char *a[ROOM], *b[ROOM], path[512];
	unsigned int na, nb;
	pmFG fg;

	snprintf(path, sizeof(path), "%s-two", self->base);
	ASSERT_EQ(0, two_of_one_domain(path));
	ASSERT_EQ(pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, path), 0);
	/* The item that was added last is filled in first. */
	EXPECT_EQ(0, pmExtendFetchGroup_indom(fg, "two.b", NULL, NULL, b, NULL, PM_TYPE_U32, NULL,
					      ROOM, &nb, NULL));
	EXPECT_EQ(0, pmExtendFetchGroup_indom(fg, "two.a", NULL, NULL, a, NULL, PM_TYPE_U32, NULL,
					      ROOM, &na, NULL));
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, pmFetchGroup(fg));
		ASSERT_EQ(1, na);
		ASSERT_EQ(1, nb);
		EXPECT_STREQ("first", a[0]);
		EXPECT_STREQ(i ? "second" : "first", b[0]);
	}
	pmDestroyFetchGroup(fg);
}

static int one_that_comes_later(const char *archive)
{
	pmUnits none = { 0 };
	int bad = pmiStart(archive, 0) < 0;

	bad |= pmiAddMetric("later.name", pmID_build(245, 0, 3), PM_TYPE_STRING, PM_INDOM_NULL,
			    PM_SEM_DISCRETE, none);
	bad |= pmiAddMetric("later.other", pmID_build(245, 0, 4), PM_TYPE_U32, PM_INDOM_NULL,
			    PM_SEM_INSTANT, none);
	for (int i = 0; i < 4; i++) {
		bad |= pmiPutValue("later.other", "", "1");
		if (i == 2)
			bad |= pmiPutValue("later.name", "", "there");
		bad |= pmiWrite(1000 + i, 0) < 0;
	}
	return bad | pmiEnd();
}

/*
 * An item of a discrete metric has no value before the first observation, and keeps the last value
 * afterwards.
 */
TEST_F(archive, a_discrete_value_that_comes_later)
{
	const struct timespec start = { 1000, 0 }, step = { 1, 0 };
	char path[512];
	pmAtomValue v;
	pmFG fg;
	int sts;

	snprintf(path, sizeof(path), "%s-later", self->base);
	ASSERT_EQ(0, one_that_comes_later(path));
	ASSERT_EQ(pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, path), 0);
	ASSERT_EQ(pmExtendFetchGroup_item(fg, "later.name", NULL, NULL, &v, PM_TYPE_STRING, &sts), 0);
	pmUseContext(pmGetFetchGroupContext(fg));
	ASSERT_EQ(0, pmSetModeHighRes(PM_MODE_INTERP, &start, &step));
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, pmFetchGroup(fg));
		EXPECT_EQ(i < 2 ? PM_ERR_VALUE : 0, sts) TH_LOG("fetch %d", i);
		EXPECT_STREQ(i < 2 ? "" : "there", v.cp ? v.cp : "");
	}
	pmDestroyFetchGroup(fg);
}

/*
 * A text, and the results of its conversion to each numeric type, as one letter per type: '=' for
 * the value @n, 'r' for out of range, 't' for not a number
 */
static const struct {
	const char *text, *as;
	double n;
} texts[] = {
	{ "12", "======", 12 }, { "-12", "=r=w==", -12 }, { "2147483648", "r=====", 2147483648. },
	{ "4294967296", "rr====", 4294967296. }, { "4294967295", "r=====", 4294967295. },
	{ "18446744073709551615", "rrrw==", 18446744073709551615. }, { "18446744073709551616", "rrrr==", 18446744073709551616. },
	{ "-2147483648", "=r=w==", -2147483648. }, { "-2147483649", "rr=w==", -2147483649. },
	{ "0x1f", "====tt", 31 }, { "-0X1f", "=r=wtt", -31 }, { "0x100000000", "rr==tt", 4294967296. }, { "017", "======", 17 },
	{ "0x1p3", "tttt==", 8 }, { "0x", "tttttt", 0 }, { "1.5", "tttt==", 1.5 }, { "12 ", "tttttt", 0 }, { " 12", "======", 12 },
	{ "1e39", "ttttr=", 1e39 }, { "1e400", "ttttrr", 0 }, { "abc", "tttttt", 0 },
};

static int all_texts(const char *archive)
{
	pmUnits none = { 0 };
	int bad = pmiStart(archive, 0) < 0;

	bad |= pmiAddMetric("text", pmID_build(245, 0, 7), PM_TYPE_STRING, PM_INDOM_NULL, PM_SEM_INSTANT, none);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		bad |= pmiPutValue("text", "", texts[i].text);
		bad |= pmiWrite(1000 + i, 0) < 0;
	}
	return bad | pmiEnd();
}

static double as_double(const pmAtomValue *v, int type)
{
	switch (type) {
	case PM_TYPE_32: return v->l;
	case PM_TYPE_U32: return v->ul;
	case PM_TYPE_64: return v->ll;
	case PM_TYPE_U64: return v->ull;
	case PM_TYPE_FLOAT: return v->f;
	}
	return v->d;
}

/* A number that does not fit has no value, except that strtoull(3) accepts negative numbers (w). */
TEST_F(archive, texts_as_numbers)
{
	const struct timespec start = { 1000, 0 }, step = { 0 };
	pmAtomValue v[6];
	char path[512];
	int sts[6];
	pmFG fg;

	snprintf(path, sizeof(path), "%s-texts", self->base);
	ASSERT_EQ(0, all_texts(path));
	ASSERT_EQ(pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, path), 0);
	for (int type = 0; type < 6; type++)
		ASSERT_EQ(pmExtendFetchGroup_item(fg, "text", NULL, NULL, &v[type], type, &sts[type]), 0);
	pmUseContext(pmGetFetchGroupContext(fg));
	ASSERT_EQ(0, pmSetModeHighRes(PM_MODE_FORW, &start, &step));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ASSERT_EQ(0, pmFetchGroup(fg));
		for (int type = 0; type < 6; type++) {
			char as = texts[i].as[type];

			EXPECT_EQ(as == 'r' ? -ERANGE : as == 't' ? PM_ERR_TYPE : 0, sts[type])
				TH_LOG("%s as %d", texts[i].text, type);
			if (as == '=')
				EXPECT_EQ(type == PM_TYPE_FLOAT ? (float)texts[i].n : texts[i].n, as_double(&v[type], type))
					TH_LOG("%s as %d", texts[i].text, type);
		}
	}
	pmDestroyFetchGroup(fg);
}

/*
 * Write an archive in which one metric gets a new instance in each record.  The other metric, which
 * is discrete, has values only in the first record.
 */
static int more_and_more(const char *archive, int n)
{
	pmInDom indom = pmInDom_build(245, 0);
	pmUnits none = { 0 };
	int bad = pmiStart(archive, 0) < 0;

	bad |= pmiAddMetric("more.a", pmID_build(245, 0, 5), PM_TYPE_U32, indom, PM_SEM_INSTANT, none);
	bad |= pmiAddMetric("more.b", pmID_build(245, 0, 6), PM_TYPE_U32, indom, PM_SEM_DISCRETE, none);
	for (int i = 0; i < n; i++) {
		char name[200];

		snprintf(name, sizeof(name), "%0*d", 100 + i % 2, i);
		bad |= pmiAddInstance(indom, name, i);
		bad |= pmiPutValue("more.a", name, "1");
		if (!i)
			bad |= pmiPutValue("more.b", name, "2");
		bad |= pmiWrite(1000 + i, 0) < 0;
	}
	return bad | pmiEnd();
}

/*
 * The instance names of a discrete metric are kept as long as its values.  Other lists of names are
 * freed.
 */
TEST_F(archive, names_of_a_discrete_metric)
{
	const struct timespec start = { 1000, 0 }, step = { 1, 0 };
	char *a[ROOM], *b[ROOM], path[512];
	size_t at_100 = 0;
	unsigned int na, nb;
	pmFG fg;

	snprintf(path, sizeof(path), "%s-more", self->base);
	ASSERT_EQ(0, more_and_more(path, 300));
	ASSERT_EQ(pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, path), 0);
	EXPECT_EQ(0, pmExtendFetchGroup_indom(fg, "more.a", NULL, NULL, a, NULL, PM_TYPE_U32, NULL,
					      ROOM, &na, NULL));
	EXPECT_EQ(0, pmExtendFetchGroup_indom(fg, "more.b", NULL, NULL, b, NULL, PM_TYPE_U32, NULL,
					      ROOM, &nb, NULL));
	ASSERT_EQ(0, pmUseContext(pmGetFetchGroupContext(fg)));
	ASSERT_EQ(0, pmSetModeHighRes(PM_MODE_FORW, &start, &step));
	for (int i = 0; i < 300; i++) {
		ASSERT_EQ(0, pmFetchGroup(fg));
		ASSERT_EQ(1, na);
		EXPECT_EQ(i, atoi(a[0]));
		ASSERT_EQ(1, nb) TH_LOG("fetch %d", i);
		EXPECT_EQ(100, strspn(b[0], "0"));
		if (i == 100)
			at_100 = mallinfo2().uordblks;
	}
	/*
	 * A list of 300 names takes 40 kB.  If no lists are kept, memory usage grows by far less
	 * than 1 MB.
	 */
	EXPECT_LT(mallinfo2().uordblks, at_100 + (1 << 20));
	pmDestroyFetchGroup(fg);
}

/*
 * Destroying a group does not change the current context, unless this is the context of the group.
 */
TEST_F(archive, another_context_stays)
{
	int own = pmNewContext(PM_CONTEXT_ARCHIVE, self->base);
	pmAtomValue v;
	pmFG fg;
	int sts;

	ASSERT_LE(0, own);
	ASSERT_EQ(pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, self->base), 0);
	ASSERT_EQ(pmExtendFetchGroup_item(fg, "v.cu32", NULL, "instant", &v, PM_TYPE_DOUBLE, &sts), 0);
	ASSERT_EQ(0, pmUseContext(own));
	EXPECT_EQ(0, pmDestroyFetchGroup(fg));
	EXPECT_EQ(own, pmWhichContext());
	ASSERT_EQ(pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, self->base), 0);
	ASSERT_EQ(0, pmUseContext(pmGetFetchGroupContext(fg)));
	EXPECT_EQ(0, pmDestroyFetchGroup(fg));
	EXPECT_EQ(PM_ERR_NOCONTEXT, pmWhichContext());
	pmDestroyContext(own);
}

TEST_HARNESS_MAIN
