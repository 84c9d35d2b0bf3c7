// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write a random history of an instance domain.  Several threads then read each state of the domain
 * correctly.
 */
#include <pthread.h>

#include "archive/indom.h"
#include "archive/record.h"
#include "archive_sample.h"
#include "kselftest_harness.h"

#define STATES	300
#define IDS	40

/* The state of a domain from @stamp on; an instance exists if its name is not empty */
struct model {
	struct shim_ts stamp;
	char name[IDS][16];
	unsigned int n;
};

FIXTURE(indom) {
	struct place place;
	struct model *models;
};

FIXTURE_VARIANT(indom) {
	int version;
};

FIXTURE_VARIANT_ADD(indom, v2) {
	.version = 2,
};

FIXTURE_VARIANT_ADD(indom, v3) {
	.version = 3,
};

static void evolve(struct model *m, int version, unsigned int *seed)
{
	int changes = rand_r(seed) % 10 ? rand_r(seed) % 4 : rand_r(seed) % 60;

	for (; changes > 0; changes--) {
		int id = rand_r(seed) % IDS;

		if (!m->name[id][0])
			sprintf(m->name[id], "i%d", id);
		else if (rand_r(seed) % 8)
			m->name[id][0] = '\0';
		else
			sprintf(m->name[id], "i%d-%u", id, rand_r(seed) % 1000);
	}
	/* Occasionally the domain becomes empty, which version 2 cannot represent. */
	if (version > 2 && !(rand_r(seed) % 20))
		memset(m->name, 0, sizeof(m->name));
	m->n = 0;
	for (int id = 0; id < IDS; id++)
		m->n += !!m->name[id][0];
	if (version == 2 && !m->n) {
		strcpy(m->name[0], "i0");
		m->n = 1;
	}
}

static int declare(struct shim_writer *w, const struct model *m)
{
	struct shim_indom indom = { .stamp = m->stamp, .indom = SAMPLE_INDOM };
	const char *name[IDS];
	int32_t inst[IDS];

	for (int id = 0; id < IDS; id++) {
		if (m->name[id][0]) {
			inst[indom.n] = id;
			name[indom.n++] = m->name[id];
		}
	}
	indom.inst = inst;
	indom.name = name;
	return shim_writer__indom(w, &indom);
}

/* Write a record with a value for each existing instance. */
static int put_record(struct shim_writer *w, const struct model *m)
{
	struct shim_value v = { .type = SHIM_TYPE_U64 };
	int err = shim_writer__begin(w, m->stamp);

	err = err ? err : shim_writer__vset(w, sample_pmid(M_SET), 0);
	for (v.inst = 0; v.inst < IDS && !err; v.inst++)
		if (m->name[v.inst][0])
			err = shim_writer__value(w, &v);
	/* A value for a nonexistent instance is rejected. */
	for (v.inst = 0; v.inst < IDS && !err; v.inst++)
		if (!m->name[v.inst][0] && shim_writer__value(w, &v) != -EINVAL)
			err = -EPROTO;
	return err ? err : shim_writer__commit(w);
}

FIXTURE_SETUP(indom)
{
	struct shim_label label = sample_label(variant->version);
	struct shim_desc desc = sample_desc(M_SET);
	unsigned int seed = 11;
	struct shim_writer *w;

	ASSERT_EQ(0, place_make(&self->place));
	self->models = calloc(STATES, sizeof(*self->models));
	ASSERT_EQ(0, shim_writer__open(self->place.base, &label, &w));
	ASSERT_EQ(0, shim_writer__desc(w, &desc));
	for (int i = 0; i < STATES; i++) {
		struct model *m = &self->models[i];

		if (i)
			*m = m[-1];
		m->stamp = at(i);
		evolve(m, i ? variant->version : 2, &seed);
		ASSERT_EQ(0, declare(w, m));
		ASSERT_EQ(0, put_record(w, m));
	}
	ASSERT_EQ(0, shim_writer__close(w));
}

FIXTURE_TEARDOWN(indom)
{
	free(self->models);
	place_remove(&self->place);
}

static bool matches(const struct shim_indom *got, const struct model *m)
{
	unsigned int k = 0;

	if (!got || got->n != m->n || got->indom != SAMPLE_INDOM)
		return false;
	for (int id = 0; id < IDS; id++) {
		if (!m->name[id][0])
			continue;
		if (got->inst[k] != id || strcmp(got->name[k], m->name[id]))
			return false;
		k++;
	}
	return true;
}

TEST_F(indom, at_every_time)
{
	struct shim_archive *ar;
	unsigned int seed = 5;

	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	for (int i = 0; i < 2000; i++) {
		int t = rand_r(&seed) % STATES;
		const struct shim_indom *got = shim_archive__indom(ar, SAMPLE_INDOM, at(t + 0.5));

		ASSERT_TRUE(matches(got, &self->models[t]));
		ASSERT_EQ(got, shim_archive__indom(ar, SAMPLE_INDOM, at(t)));
		ASSERT_GE(0, shim_ts__cmp(got->stamp, at(t)));
	}
	EXPECT_EQ(NULL, shim_archive__indom(ar, SAMPLE_INDOM, at(-0.1)));
	EXPECT_EQ(NULL, shim_archive__indom(ar, SAMPLE_INDOM + 1, at(1)));
	shim_archive__put(ar);
}

TEST_F(indom, all_states_newest_first)
{
	const struct shim_indom *got;
	struct shim_archive *ar;
	unsigned int n, m = STATES;

	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	n = shim_archive__nindoms(ar, SAMPLE_INDOM);
	ASSERT_LT(STATES / 2, n);
	for (unsigned int i = 0; i < n; i++) {
		got = shim_archive__indom_at(ar, SAMPLE_INDOM, i);
		ASSERT_NE(NULL, got);
		/* Each change made one state; steps without a change made none. */
		while (shim_ts__cmp(got->stamp, self->models[--m].stamp))
			ASSERT_NE(0, m);
		ASSERT_TRUE(matches(got, &self->models[m]));
		if (i + 1 < n)
			ASSERT_FALSE(matches(shim_archive__indom_at(ar, SAMPLE_INDOM, i + 1),
					     &self->models[m]));
	}
	EXPECT_EQ(0, m);
	EXPECT_EQ(NULL, shim_archive__indom_at(ar, SAMPLE_INDOM, n));
	EXPECT_EQ(0, shim_archive__nindoms(ar, SAMPLE_INDOM + 1));
	shim_archive__put(ar);
}

/*
 * Return whether @set contains, from position *@n on, the instances of state @newest that occur in
 * no newer state.  Advance *@n past these instances.
 */
static bool has_older(const struct shim_instances *set, const struct shim_archive *ar,
		      unsigned int newest, unsigned int *n)
{
	const struct shim_indom *state = shim_archive__indom_at(ar, SAMPLE_INDOM, newest);
	uint32_t number = (uint32_t)set->nstates - 1 - newest;

	for (unsigned int i = 0; i < state->n; i++) {
		int at = shim_instances__find(set, state->inst[i]);

		if (at < 0 || set->first[at] > number || set->last[at] < number)
			return false;
		if ((unsigned int)at < *n)
			continue;
		if ((unsigned int)at != *n || set->last[at] != number ||
		    set->ids[at] != state->inst[i] || strcmp(set->names[at], state->name[i]))
			return false;
		++*n;
	}
	return state->n <= set->largest;
}

/*
 * The set of all instances is derived from the records, and contains exactly the instances of all
 * states.
 */
TEST_F(indom, all_instances_are_those_of_all_states)
{
	const struct shim_instances *set;
	unsigned int n = 0, most = 0;
	struct shim_archive *ar;

	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	set = shim_archive__instances(ar, SAMPLE_INDOM);
	ASSERT_NE(NULL, set);
	EXPECT_EQ(set, shim_archive__instances(ar, SAMPLE_INDOM));
	ASSERT_EQ(shim_archive__nindoms(ar, SAMPLE_INDOM), set->nstates);
	for (unsigned int i = 0; i < set->nstates; i++) {
		ASSERT_TRUE(has_older(set, ar, i, &n));
		if (shim_archive__indom_at(ar, SAMPLE_INDOM, i)->n > most)
			most = shim_archive__indom_at(ar, SAMPLE_INDOM, i)->n;
	}
	EXPECT_EQ(set->n, n);
	EXPECT_EQ(set->largest, most);
	for (unsigned int i = 0; i < n; i++)
		EXPECT_GE(shim_instances__search(shim_archive__indom_at(ar, SAMPLE_INDOM,
			  (unsigned int)set->nstates - 1 - set->first[i]), set->ids[i]), 0);
	EXPECT_EQ(-1, shim_instances__find(set, IDS));
	EXPECT_EQ(NULL, shim_archive__instances(ar, SAMPLE_INDOM + 1));
	shim_archive__put(ar);
}

/*
 * Version 3 stores only the changes of a domain if no name changed and the changes take less space
 * than the complete domain.  Otherwise, it stores the complete domain.
 */
TEST_F(indom, records_are_of_the_right_kind)
{
	size_t len, label = variant->version == 3 ? 808 : 132;
	uint8_t *data = slurp(place_file(&self->place, "meta"), &len);
	int full = 0, delta = 0;
	uint32_t n;

	for (size_t at = label; at < len; at += n) {
		struct shim_rec_indom rec;

		ASSERT_EQ(0, shim_frame__len(data + at, len - at, 12, &n));
		if (shim_be32__get(data + at + 4) == SHIM_META_DESC)
			continue;
		ASSERT_EQ(0, shim_rec_indom__decode(data + at, n, &rec));
		full += !rec.delta;
		delta += rec.delta;
		EXPECT_NE(0, rec.n);
	}
	EXPECT_LT(10, full);
	if (variant->version == 2) {
		EXPECT_EQ(0, delta);
	} else {
		EXPECT_LT(50, delta);
	}
	free(data);
}

#define FIXED	1000
#define COMING	1500

/*
 * Write a domain of FIXED instances with short names, then add COMING instances one by one.  Return
 * 0 or an error.
 */
static int write_coming(struct shim_writer *w)
{
	static char text[FIXED + COMING][8];
	static const char *name[FIXED + COMING];
	static int32_t inst[FIXED + COMING];
	const struct shim_value v = { .inst = 0, .type = sample_desc(M_SET).type };
	int err = 0;

	for (unsigned int i = 0; i < FIXED + COMING; i++) {
		inst[i] = i;
		snprintf(text[i], sizeof(text[i]), "%u", i);
		name[i] = text[i];
	}
	for (unsigned int i = 0; i < COMING && !err; i++) {
		const struct shim_indom now = { at(i), SAMPLE_INDOM, FIXED + i, inst, name, false };

		err = shim_writer__indom(w, &now);
		if (!err)
			err = shim_writer__begin(w, at(i));
		if (!err)
			err = shim_writer__vset(w, sample_pmid(M_SET), 0);
		if (!err)
			err = shim_writer__value(w, &v);
		if (!err)
			err = shim_writer__commit(w);
	}
	return err;
}

/*
 * The reader has limits against forged files, but can read all states of a large domain that
 * changes often.
 */
TEST_F(indom, changes_without_end)
{
	struct shim_label label = sample_label(variant->version);
	struct shim_desc desc = sample_desc(M_SET);
	const struct shim_indom *last;
	struct shim_archive *ar;
	struct shim_writer *w;
	struct place place;

	ASSERT_EQ(0, place_make(&place));
	ASSERT_EQ(0, shim_writer__open(place.base, &label, &w));
	ASSERT_EQ(0, shim_writer__desc(w, &desc));
	ASSERT_EQ(0, write_coming(w));
	ASSERT_EQ(0, shim_writer__close(w));
	ASSERT_EQ(0, shim_archive__open(place.base, &ar));
	ASSERT_EQ((unsigned int)COMING, shim_archive__nindoms(ar, SAMPLE_INDOM));
	last = shim_archive__indom(ar, SAMPLE_INDOM, at(COMING));
	ASSERT_NE(NULL, last);
	EXPECT_EQ((unsigned int)(FIXED + COMING - 1), last->n);
	for (unsigned int i = 0; i < COMING; i++) {
		const struct shim_indom *got = shim_archive__indom_at(ar, SAMPLE_INDOM, i);

		ASSERT_NE(NULL, got);
		ASSERT_EQ(FIXED + COMING - 1 - i, got->n);
	}
	shim_archive__put(ar);
	place_remove(&place);
}

struct reader {
	struct shim_archive *ar;
	const struct model *models;
	unsigned int seed;
	pthread_t thread;
};

static void *read_states(void *arg)
{
	struct reader *r = arg;
	struct shim_cursor cur;
	struct shim_record rec;
	struct shim_vset vset;
	struct shim_ts end;

	for (int i = 0; i < 1000; i++) {
		int t = rand_r(&r->seed) % STATES;

		if (!matches(shim_archive__indom(r->ar, SAMPLE_INDOM, at(t)), &r->models[t]))
			return "wrong state";
		shim_cursor__init(&cur, r->ar);
		shim_cursor__seek_before(&cur, at(t));
		if (shim_cursor__next(&cur, &rec) || shim_ts__cmp(rec.stamp, at(t)) ||
		    shim_record__find(&rec, sample_pmid(M_SET), &vset) ||
		    vset.numval != (int)r->models[t].n)
			return "wrong record";
		if (shim_archive__end(r->ar, &end) || shim_ts__cmp(end, at(STATES - 1)))
			return "wrong end";
	}
	return NULL;
}

TEST_F(indom, by_many_threads)
{
	struct reader readers[8];
	void *wrong;

	for (int round = 0; round < 10; round++) {
		struct shim_archive *ar;

		ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
		for (int i = 0; i < 8; i++) {
			readers[i] = (struct reader){ ar, self->models, 100 * round + i, 0 };
			ASSERT_EQ(0, pthread_create(&readers[i].thread, NULL, read_states, &readers[i]));
		}
		for (int i = 0; i < 8; i++) {
			ASSERT_EQ(0, pthread_join(readers[i].thread, &wrong));
			EXPECT_EQ(NULL, wrong) {
				TH_LOG("%s", (char *)wrong);
			}
		}
		shim_archive__put(ar);
	}
}

/*
 * Each change in a forged history adds one instance.  The states that would exceed the limit are
 * not returned; earlier states are.
 */
TEST_F(indom, no_more_is_spelled_out_than_there_is_room_for)
{
	static const char *const names[] = { "x" };
	const struct shim_format *f = shim_format__of(variant->version);
	struct shim_buf meta = { 0 };
	struct shim_archive *ar;
	size_t len;
	uint8_t *data;

	if (variant->version == 2)
		/*
		 * In version 2 every state is complete, so it takes no more memory than its record.
		 */
		return;
	data = slurp(place_file(&self->place, "meta"), &len);
	shim_buf__put(&meta, data, len);
	for (int32_t id = 100; id < 20100; id++) {
		struct shim_indom one = { at(STATES), SAMPLE_INDOM, 1, &id, names, false };

		shim_rec_indom__encode(f, &meta, &one, true);
	}
	spit(place_file(&self->place, "meta"), meta.data, meta.len);
	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	EXPECT_EQ(NULL, shim_archive__indom_at(ar, SAMPLE_INDOM, 0));
	EXPECT_TRUE(matches(shim_archive__indom(ar, SAMPLE_INDOM, at(7)), &self->models[7]));
	shim_archive__put(ar);
	shim_buf__free(&meta);
	free(data);
}

/*
 * The entries of a record can be in any order.  If the same instance occurs twice, the later entry
 * is used.
 */
TEST_F(indom, unsorted_records_are_sorted)
{
	static const int32_t mixed[] = { 9, 2, 9, 5 };
	static const char *const names[] = { "nine", "two", "neuf", "five" };
	const struct shim_format *f = shim_format__of(variant->version);
	struct shim_indom odd = { at(STATES), SAMPLE_INDOM, 4, mixed, names, false };
	const struct shim_indom *got;
	struct shim_buf meta = { 0 };
	struct shim_archive *ar;
	size_t len;
	uint8_t *data = slurp(place_file(&self->place, "meta"), &len);

	shim_buf__put(&meta, data, len);
	shim_rec_indom__encode(f, &meta, &odd, false);
	/* Add a record that is late in the file but early in time. */
	odd.stamp = at(-5);
	odd.n = 1;
	shim_rec_indom__encode(f, &meta, &odd, false);
	spit(place_file(&self->place, "meta"), meta.data, meta.len);
	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	got = shim_archive__indom_at(ar, SAMPLE_INDOM, 0);
	ASSERT_NE(NULL, got);
	ASSERT_EQ(3, got->n);
	EXPECT_EQ(2, got->inst[0]);
	EXPECT_EQ(5, got->inst[1]);
	EXPECT_EQ(9, got->inst[2]);
	EXPECT_STREQ("neuf", got->name[2]);
	got = shim_archive__indom(ar, SAMPLE_INDOM, at(-1));
	ASSERT_NE(NULL, got);
	EXPECT_EQ(1, got->n);
	EXPECT_TRUE(matches(shim_archive__indom(ar, SAMPLE_INDOM, at(0)), &self->models[0]));
	shim_archive__put(ar);
	shim_buf__free(&meta);
	free(data);
}

TEST_HARNESS_MAIN
