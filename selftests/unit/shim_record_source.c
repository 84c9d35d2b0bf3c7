// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values of a program's own metrics are recorded, except those that the recorder rejects or the
 * program omits.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/reader.h"
#include "core/session.h"
#include "selftests/synthetic/backend_sim.h"
#include "shim/shim.h"
#include "kselftest_harness.h"

#define SINGLE	(60u << 22 | 1)
#define MANY	(60u << 22 | 2)
#define TEXT	(60u << 22 | 3)
#define INDOM	(60u << 22 | 7)

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__sim;
}

/* The behavior of the source's functions, and the number of times they were called */
static struct {
	int sampled;
	struct shim_record_value single[2], many[2], text;
	int nsingle, nmany, ntext;
	int single_ret, many_ret, text_ret;
	int instances, values;
} own;

static int sample(void *arg)
{
	(void)arg;
	return own.sampled;
}

static int instances(void *arg, struct shim_recorder *rec)
{
	static const int32_t inst[] = { 1, 2 };
	static const char *const name[] = { "a", "b" };

	(void)arg;
	own.instances++;
	return shim_record_instances(rec, INDOM, 2, inst, name);
}

static int values(void *arg, struct shim_recorder *rec)
{
	(void)arg;
	own.values++;
	own.single_ret = shim_record_values(rec, SINGLE, SHIM_TYPE_U64, own.nsingle, own.single);
	own.many_ret = shim_record_values(rec, MANY, SHIM_TYPE_U64, own.nmany, own.many);
	own.text_ret = shim_record_values(rec, TEXT, SHIM_TYPE_STRING, own.ntext, &own.text);
	return 0;
}

/* Memory in use cannot be extended. */
static bool no_memory, failed;

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_realloc(void *old, size_t size)
{
	if (!no_memory || !old)
		return __real_realloc(old, size);
	failed = true;
	return NULL;
}

int __wrap_asprintf(char **text, const char *fmt, ...);

int __wrap_asprintf(char **text, const char *fmt, ...)
{
	va_list args;
	int n;

	if (no_memory)
		return -1;
	va_start(args, fmt);
	n = vasprintf(text, fmt, args);
	va_end(args);
	return n;
}

static int declare(struct shim_recorder *rec, const char *name, uint32_t pmid, uint32_t indom, int32_t type)
{
	const struct shim_record_metric metric = {
		.name = name, .pmid = pmid, .indom = indom, .type = type, .sem = SHIM_SEM_INSTANT,
	};

	return shim_record_metric(rec, &metric);
}

FIXTURE(source) {
	char dir[64];
	char base[80];
	struct shim_recorder *rec;
	struct shim_archive *ar;
	struct shim_cursor cursor;
	struct shim_record record;
};

FIXTURE_SETUP(source)
{
	static const struct shim_record_source source = { sample, instances, values };

	memset(&own, 0, sizeof(own));
	own.sampled = 3;
	own.nsingle = own.ntext = 1;
	own.nmany = 2;
	own.single[0] = (struct shim_record_value){ .inst = -1, .number = 5 };
	own.many[0] = (struct shim_record_value){ .inst = 1, .number = 6 };
	own.many[1] = (struct shim_record_value){ .inst = 2, .number = 7 };
	own.text = (struct shim_record_value){ .inst = -1, .string = "words" };
	strcpy(self->dir, "/tmp/vcpc-source-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->base, sizeof(self->base), "%s/a", self->dir);
	ASSERT_EQ(0, shim_record_open(self->base, NULL, &self->rec));
	ASSERT_EQ(0, declare(self->rec, "own.single", SINGLE, SHIM_INDOM_NULL, SHIM_TYPE_U64));
	ASSERT_EQ(0, declare(self->rec, "own.many", MANY, INDOM, SHIM_TYPE_U64));
	ASSERT_EQ(0, declare(self->rec, "own.text", TEXT, SHIM_INDOM_NULL, SHIM_TYPE_STRING));
	ASSERT_EQ(0, shim_record_add_source(self->rec, &source, NULL));
}

FIXTURE_TEARDOWN(source)
{
	shim_archive__put(self->ar);
	if (self->rec)
		shim_record_discard(self->rec);
	for (int i = 0; i < 3; i++) {
		static const char *const files[] = { ".meta", ".index", ".0" };
		char path[128];

		snprintf(path, sizeof(path), "%s%s", self->base, files[i]);
		unlink(path);
	}
	EXPECT_EQ(0, rmdir(self->dir));
}

/* Close the archive, and read its first record.  Return whether the record exists and is valid. */
static bool read_back(FIXTURE_DATA(source) *self)
{
	bool closed = !shim_record_close(self->rec);

	self->rec = NULL;
	if (!closed || shim_archive__open(self->base, &self->ar))
		return false;
	shim_cursor__init(&self->cursor, self->ar);
	return !shim_cursor__next(&self->cursor, &self->record) && !shim_record__check(&self->record);
}

/*
 * Return how many values a metric has in the record, the error code in their place, or -EINVAL if
 * it is missing.
 */
static int numval(FIXTURE_DATA(source) *self, uint32_t pmid)
{
	struct shim_vset vset;

	return shim_record__find(&self->record, pmid, &vset) ? -EINVAL : vset.numval;
}

TEST_F(source, values_are_recorded)
{
	struct shim_value value;
	struct shim_vset vset;

	ASSERT_EQ(0, shim_record_tick(self->rec));
	ASSERT_TRUE(read_back(self));
	EXPECT_EQ(1, numval(self, SINGLE));
	EXPECT_EQ(1, numval(self, TEXT));
	ASSERT_EQ(0, shim_record__find(&self->record, MANY, &vset));
	ASSERT_EQ(2, vset.numval);
	ASSERT_EQ(0, shim_vset__value(&self->record, &vset, 1, SHIM_TYPE_U64, &value));
	EXPECT_EQ(2, value.inst);
	EXPECT_EQ(7, value.ull);
}

#define MISSED	(450u << 22 | 10 << 10)

static unsigned long long missed_of(FIXTURE_DATA(source) *self)
{
	struct shim_value value;
	struct shim_vset vset;

	if (shim_record__find(&self->record, MISSED, &vset) ||
	    shim_vset__value(&self->record, &vset, 0, SHIM_TYPE_U64, &value))
		return 0;
	return value.ull;
}

/* The metric exists from the first record after a missed interval on. */
TEST_F(source, missed_intervals_are_recorded)
{
	EXPECT_EQ(0, shim_record_missed(self->rec, 0));
	ASSERT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(0, shim_record_missed(self->rec, 2));
	ASSERT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(0, shim_record_missed(self->rec, 1));
	ASSERT_EQ(0, shim_record_tick(self->rec));
	ASSERT_TRUE(read_back(self));
	EXPECT_EQ(-EINVAL, numval(self, MISSED));
	ASSERT_EQ(0, shim_cursor__next(&self->cursor, &self->record));
	EXPECT_EQ(2, missed_of(self));
	ASSERT_EQ(0, shim_cursor__next(&self->cursor, &self->record));
	EXPECT_EQ(3, missed_of(self));
}

TEST_F(source, a_metric_may_have_no_value)
{
	own.nsingle = own.nmany = 0;
	own.ntext = -12357;
	ASSERT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(0, own.single_ret);
	EXPECT_EQ(0, own.many_ret);
	ASSERT_TRUE(read_back(self));
	EXPECT_EQ(0, numval(self, SINGLE));
	EXPECT_EQ(0, numval(self, MANY));
	EXPECT_EQ(-12357, numval(self, TEXT));
}

/*
 * After a rejected value, the source can continue with the next metric, and the record is written.
 */
TEST_F(source, what_is_refused_is_left_out)
{
	own.nsingle = 2;
	own.single[1] = own.single[0];
	own.many[1].inst = 1;
	own.text.string = NULL;
	ASSERT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(-EINVAL, own.single_ret);
	EXPECT_EQ(-EINVAL, own.many_ret);
	EXPECT_EQ(-EINVAL, own.text_ret);
	ASSERT_TRUE(read_back(self));
	EXPECT_EQ(1, numval(self, SINGLE));
	EXPECT_EQ(1, numval(self, MANY));
	EXPECT_EQ(-EINVAL, numval(self, TEXT));
}

/* If sampling fails, the source's values are not requested, but counts are recorded. */
TEST_F(source, without_a_sample_there_is_nothing_to_ask_for)
{
	const char *event = "page-faults";
	struct shim_handle *handle;
	struct shim_set *set;

	ASSERT_EQ(0, shim_open(&handle));
	ASSERT_EQ(0, shim_set_create(handle, &event, 1, NULL, &set));
	ASSERT_EQ(0, shim_set_bind(set, 0, 0));
	ASSERT_EQ(0, shim_record_add_set(self->rec, set, 0));
	own.sampled = -EIO;
	ASSERT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(-EIO, shim_record_missing(self->rec));
	EXPECT_EQ(1, shim_record_count(self->rec));
	EXPECT_EQ(0, own.instances);
	EXPECT_EQ(0, own.values);
	own.sampled = 3;
	ASSERT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(0, shim_record_missing(self->rec));
	EXPECT_EQ(1, own.instances);
	EXPECT_EQ(1, own.values);
	ASSERT_TRUE(read_back(self));
	EXPECT_EQ(-EINVAL, numval(self, SINGLE));
	ASSERT_EQ(0, shim_cursor__next(&self->cursor, &self->record));
	EXPECT_EQ(1, numval(self, SINGLE));
	shim_set_destroy(set);
	shim_close(handle);
}

TEST_F(source, the_recorders_own_domains_are_refused)
{
	static const uint32_t own_domains[] = { 10, 450 };

	for (int i = 0; i < 2; i++) {
		uint32_t base = own_domains[i] << 22;

		EXPECT_EQ(-EINVAL, declare(self->rec, "own.a", base | 1, SHIM_INDOM_NULL, SHIM_TYPE_U64));
		EXPECT_EQ(-EINVAL, declare(self->rec, "own.b", 60u << 22 | 9, base, SHIM_TYPE_U64));
	}
	EXPECT_EQ(-EINVAL, declare(self->rec, NULL, 60u << 22 | 9, SHIM_INDOM_NULL, SHIM_TYPE_U64));
	EXPECT_EQ(0, declare(self->rec, "own.c", 60u << 22 | 9, SHIM_INDOM_NULL, SHIM_TYPE_U64));
}

/*
 * Add a set after @fill bytes of texts.  If the recorder needs more memory for the metrics and texts of the
 * set, the set is not added.
 */
static bool add_set_after(struct __test_metadata *_metadata, const char *base, struct shim_set *set, size_t fill)
{
	char help[5000] = "";
	const struct shim_record_metric metric = {
		.name = "own.filler", .pmid = SINGLE, .indom = SHIM_INDOM_NULL, .type = SHIM_TYPE_U64,
		.sem = SHIM_SEM_INSTANT, .line = "filler", .help = memset(help, 'x', fill),
	};
	struct shim_recorder *rec;
	int ret;

	ASSERT_EQ(0, shim_record_open(base, NULL, &rec));
	ASSERT_EQ(0, shim_record_metric(rec, &metric));
	failed = false;
	no_memory = true;
	ret = shim_record_add_set(rec, set, 0);
	no_memory = false;
	EXPECT_EQ(failed ? -ENOMEM : 0, ret) TH_LOG("after %zu bytes", fill);
	shim_record_discard(rec);
	return failed;
}

TEST_F(source, a_set_without_memory_is_refused)
{
	const char *event = "cycles";
	struct shim_handle *handle;
	struct shim_set *set;
	unsigned int tried = 0;
	char base[96];

	snprintf(base, sizeof(base), "%s/b", self->dir);
	ASSERT_EQ(0, shim_open(&handle));
	ASSERT_EQ(0, shim_set_create(handle, &event, 1, NULL, &set));
	ASSERT_EQ(0, shim_set_bind(set, 0, 0));
	for (size_t fill = 1; fill < 4096; fill += 64)
		tried += add_set_after(_metadata, base, set, fill);
	EXPECT_LT(10, tried);
	shim_set_destroy(set);
	shim_close(handle);
}

/* The label of the host is written with the first record. */
TEST_F(source, a_label_without_memory_is_refused)
{
	struct shim_labels_iter iter;

	no_memory = true;
	EXPECT_EQ(-ENOMEM, shim_record_tick(self->rec));
	no_memory = false;
	EXPECT_EQ(0, shim_record_tick(self->rec));
	ASSERT_TRUE(read_back(self));
	ASSERT_TRUE(shim_archive__labels(self->ar, SHIM_LEVEL_CONTEXT, SHIM_INDOM_NULL,
					 shim_archive__label(self->ar)->start, &iter));
	EXPECT_EQ(1, iter.n);
}

TEST_HARNESS_MAIN
