// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In PM_MODE_INTERP, a metric that is not a counter has the value of the nearest observation, as in
 * PCP 6.3.2 and later.
 */
#include <stdbool.h>

#include <kselftest_harness.h>

#include <pcp/pmapi.h>

#include "archive_file.h"

#define NONE	-1
#define END	32	/* seconds */

enum {
	INST_U32, INST_DOUBLE, DISC_U32, DISC_U64, DISC_FLOAT, INST_STRING, DISC_STRING, INST_SET,
	DISC_SET, ONCE, ALWAYS,
};

static const struct metric {
	int type, sem;
	uint32_t indom;
} metrics[] = {
	[INST_U32] = { PM_TYPE_U32, PM_SEM_INSTANT, AF_NONE },
	[INST_DOUBLE] = { PM_TYPE_DOUBLE, PM_SEM_INSTANT, AF_NONE },
	[DISC_U32] = { PM_TYPE_U32, PM_SEM_DISCRETE, AF_NONE },
	[DISC_U64] = { PM_TYPE_U64, PM_SEM_DISCRETE, AF_NONE },
	[DISC_FLOAT] = { PM_TYPE_FLOAT, PM_SEM_DISCRETE, AF_NONE },
	[INST_STRING] = { PM_TYPE_STRING, PM_SEM_INSTANT, AF_NONE },
	[DISC_STRING] = { PM_TYPE_STRING, PM_SEM_DISCRETE, AF_NONE },
	[INST_SET] = { PM_TYPE_U32, PM_SEM_INSTANT, AF_PMID(1) },
	[DISC_SET] = { PM_TYPE_U32, PM_SEM_DISCRETE, AF_PMID(1) },
	[ONCE] = { PM_TYPE_U32, PM_SEM_DISCRETE, AF_NONE },
	[ALWAYS] = { PM_TYPE_U32, PM_SEM_INSTANT, AF_NONE },
};

#define METRICS	((int)(sizeof(metrics) / sizeof(metrics[0])))

/*
 * Observations: 10 at 0 s, 11 at 10 s, 12 at 16 s, 13 at 20 s, 14 at 21 s, and none until 32 s. A
 * mark is at 14 s.
 */
static const int observations[] = { 0, 10, 16, 20, 21 };

/*
 * The expected values at each time.  @set_instant and @set_discrete are values of an instance that
 * only the observations 0, 2 and 3 have.
 */
static const struct row {
	int ms, instant, discrete, text_instant, text_discrete, set_instant, set_discrete;
} rows[] = {
	{ 0, 10, 10, 10, 10, 10, 10 },
	{ 4000, 10, 10, 10, 10, NONE, 10 },
	{ 5000, 10, 10, 10, 10, NONE, 10 },	/* halfway: the earlier one is used */
	{ 5001, 11, 11, 10, 10, NONE, 10 },
	{ 9000, 11, 11, 10, 10, NONE, 10 },
	{ 10000, 11, 11, 11, 11, NONE, 10 },
	{ 13000, NONE, 11, NONE, 11, NONE, 10 },	/* 16 s is nearer, but after the mark */
	{ 15000, NONE, NONE, NONE, NONE, NONE, NONE },
	{ 17000, 12, 12, 12, 12, 12, 12 },
	{ 19000, 13, 13, 12, 12, 13, 13 },
	{ 20000, 13, 13, 13, 13, 13, 13 },
	{ 20400, 13, 13, 13, 13, NONE, 13 },
	{ 20600, 14, 14, 13, 13, NONE, 13 },
	{ 24000, NONE, 14, NONE, 14, NONE, 13 },	/* the last one, not an earlier one */
	{ 31000, NONE, 14, NONE, 14, NONE, 13 },
};

#define ROWS	((int)(sizeof(rows) / sizeof(rows[0])))

static void put(struct af *a, int inst, int type, int value)
{
	char text[8];

	snprintf(text, sizeof(text), "%d", value);
	switch (type) {
	case PM_TYPE_U32:
		af_u32(a, inst, (uint32_t)value);
		break;
	case PM_TYPE_U64:
		af_u64(a, inst, type, (uint64_t)value);
		break;
	case PM_TYPE_FLOAT:
		af_float(a, inst, (float)value);
		break;
	case PM_TYPE_DOUBLE:
		af_double(a, inst, value);
		break;
	default:
		af_string(a, inst, text);
	}
}

static void observe(struct af *a, int n)
{
	af_begin(a, observations[n] * AF_SEC);
	for (int i = 0; i < METRICS; i++) {
		const struct metric *m = &metrics[i];

		if (i == ONCE && n)
			continue;
		af_set(a, AF_PMID(i), 0);
		if (m->indom == AF_NONE) {
			put(a, -1, m->type, 10 + n);
			continue;
		}
		put(a, 1, m->type, 10 + n);
		if (n == 0 || n == 2 || n == 3)
			put(a, 2, m->type, 10 + n);
	}
	af_end(a);
}

static void make(const char *base)
{
	static const int ids[] = { 1, 2 };
	char name[16];
	struct af a;

	af_open(&a, base, 3);
	for (int i = 0; i < METRICS; i++) {
		snprintf(name, sizeof(name), "m.m%d", i);
		af_desc(&a, AF_PMID(i), metrics[i].type, metrics[i].indom, metrics[i].sem, 0, name);
	}
	af_indom(&a, 0, AF_PMID(1), 2, ids);
	af_index(&a, 0);
	for (int n = 0; n < 5; n++) {
		if (n == 2)
			af_mark(&a, 14 * AF_SEC);
		observe(&a, n);
	}
	for (int s = 22; s <= END; s++) {
		af_begin(&a, s * AF_SEC);
		af_set(&a, AF_PMID(ALWAYS), 0);
		af_u32(&a, -1, (uint32_t)s);
		af_end(&a);
	}
	af_index(&a, END * AF_SEC);
	af_close(&a);
}

FIXTURE(nearest)
{
	char base[256];
};

FIXTURE_SETUP(nearest)
{
	af_folder(self->base, sizeof(self->base));
	make(self->base);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
}

FIXTURE_TEARDOWN(nearest)
{
	pmDestroyContext(pmWhichContext());
	af_remove(self->base);
}

static int number_of(const pmValueSet *s, int i, int type)
{
	bool text = type == PM_TYPE_STRING;
	pmAtomValue v;
	int number;

	if (pmExtractValue(s->valfmt, &s->vlist[i], type, &v, text ? type : PM_TYPE_32))
		return -2;
	if (!text)
		return v.l;
	number = atoi(v.cp);
	free(v.cp);
	return number;
}

/*
 * Return the value of an instance, or the only value of a metric without instances; NONE if there
 * is none.
 */
static int value_of(const pmResult *r, int metric, int inst)
{
	const pmValueSet *s = r->vset[metric];

	for (int i = 0; i < s->numval; i++)
		if (!inst || s->vlist[i].inst == inst)
			return number_of(s, i, metrics[metric].type);
	return NONE;
}

static void check(struct __test_metadata *_metadata, const struct row *row, const pmResult *r)
{
	const int want[][3] = {
		{ INST_U32, 0, row->instant }, { INST_DOUBLE, 0, row->instant },
		{ DISC_U32, 0, row->discrete }, { DISC_U64, 0, row->discrete },
		{ DISC_FLOAT, 0, row->discrete },
		{ INST_STRING, 0, row->text_instant }, { DISC_STRING, 0, row->text_discrete },
		{ INST_SET, 1, row->instant }, { DISC_SET, 1, row->discrete },
		{ INST_SET, 2, row->set_instant }, { DISC_SET, 2, row->set_discrete },
		{ ONCE, 0, row->ms < 14000 ? 10 : NONE },
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		EXPECT_EQ(value_of(r, want[i][0], want[i][1]), want[i][2]) {
			TH_LOG("metric %d, instance %d at %d ms", want[i][0], want[i][1], row->ms);
		}
	}
}

static const struct row *row_at(int ms)
{
	for (int i = 0; i < ROWS; i++)
		if (rows[i].ms == ms)
			return &rows[i];
	return NULL;
}

static void fetch(struct __test_metadata *_metadata, int ms)
{
	pmID pmids[METRICS];
	pmResult *r;

	for (int i = 0; i < METRICS; i++)
		pmids[i] = AF_PMID(i);
	ASSERT_EQ(pmFetch(METRICS, pmids, &r), 0);
	EXPECT_EQ((r->timestamp.tv_sec - AF_START) * 1000 + r->timestamp.tv_usec / 1000, ms);
	if (row_at(ms))
		check(_metadata, row_at(ms), r);
	pmFreeResult(r);
}

static void begin(struct __test_metadata *_metadata, int ms, int step)
{
	struct timeval when = { AF_START + ms / 1000, ms % 1000 * 1000 };

	ASSERT_EQ(pmSetMode(PM_MODE_INTERP, &when, step), 0);
}

TEST_F(nearest, each_time_on_its_own)
{
	for (int i = 0; i < 7 * ROWS; i++) {
		const struct row *row = &rows[i * 7 % ROWS];

		begin(_metadata, row->ms, 0);
		fetch(_metadata, row->ms);
		fetch(_metadata, row->ms);
	}
}

/* The values do not depend on earlier fetches. */
TEST_F(nearest, in_steps)
{
	static const int steps[] = { 200, 1000, 2000, 3000, 4000, 5000, 7000 };

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int ms;

		begin(_metadata, 0, steps[i]);
		for (ms = 0; ms <= 31000; ms += steps[i])
			fetch(_metadata, ms);
		begin(_metadata, ms - steps[i], -steps[i]);
		for (ms -= steps[i]; ms >= 0; ms -= steps[i])
			fetch(_metadata, ms);
	}
}

TEST_HARNESS_MAIN
