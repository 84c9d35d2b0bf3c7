// SPDX-License-Identifier: GPL-2.0-or-later
/* The recorder writes the sampled data: metrics, instances, values, and the label. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "archive/reader.h"
#include "core/session.h"
#include "selftests/synthetic/backend_sim.h"
#include "shim/shim.h"
#include "kselftest_harness.h"

#define TICKS	5

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__sim;
}

FIXTURE(archive) {
	char dir[64];
	char base[80];
	struct shim_handle *handle;
	struct shim_set *set;
	struct shim_archive *ar;
	struct timespec before;
};

/* Write five records of three events; the synthetic PMU counts 1000, 2000 and 3000 per sample. */
FIXTURE_SETUP(archive)
{
	const char *events[] = { "page-faults", "cycles:u", "task-clock" };
	struct shim_recorder *rec;

	clock_gettime(CLOCK_REALTIME, &self->before);
	strcpy(self->dir, "/tmp/vcpc-record-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->base, sizeof(self->base), "%s/a", self->dir);
	ASSERT_EQ(0, shim_open(&self->handle));
	ASSERT_EQ(0, shim_set_create(self->handle, events, 3, NULL, &self->set));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	ASSERT_EQ(0, shim_record_open(self->base, NULL, &rec));
	ASSERT_EQ(0, shim_record_add_set(rec, self->set, 0));
	for (int i = 0; i < TICKS; i++)
		ASSERT_EQ(0, shim_record_tick(rec));
	ASSERT_EQ(TICKS, shim_record_count(rec));
	ASSERT_EQ(0, shim_record_close(rec));
	ASSERT_EQ(0, shim_archive__open(self->base, &self->ar));
}

FIXTURE_TEARDOWN(archive)
{
	static const char *const files[] = { ".meta", ".index", ".0" };

	shim_archive__put(self->ar);
	for (int i = 0; i < 3; i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s%s", self->base, files[i]);
		EXPECT_EQ(0, unlink(path));
	}
	EXPECT_EQ(0, rmdir(self->dir));
	shim_set_destroy(self->set);
	shim_close(self->handle);
}

TEST_F(archive, label)
{
	const struct shim_label *label = shim_archive__label(self->ar);
	char host[256];

	ASSERT_EQ(0, gethostname(host, sizeof(host)));
	EXPECT_EQ(3, label->version);
	EXPECT_EQ(getpid(), label->pid);
	EXPECT_STREQ(host, label->host);
	EXPECT_LT(3, strlen(label->tz)) TH_LOG("tz '%s'", label->tz);
	EXPECT_LE(self->before.tv_sec, label->start.sec);
	EXPECT_GE(self->before.tv_sec + 300, label->start.sec);
}

/*
 * The archive starts at its first record.  If it started earlier, the first interpolated row would
 * have no values.
 */
TEST_F(archive, starts_at_its_first_record)
{
	struct shim_cursor cursor;
	struct shim_record rec;

	shim_cursor__init(&cursor, self->ar);
	ASSERT_EQ(0, shim_cursor__next(&cursor, &rec));
	EXPECT_EQ(0, shim_ts__cmp(shim_archive__label(self->ar)->start, rec.stamp));
}

/* domain 450, clusters 0 and 1 */
#define TIME(item)	(450u << 22 | (item))
/* The PMID of a count metric is a fixed function of its name, so archives and agents agree. */
static const unsigned int items[] = { 67, 373, 801 };
#define COUNT(i)	(450u << 22 | 1u << 10 | items[i])

static const struct {
	int line;
	uint32_t pmid;
	const char *name;
	uint32_t units;
} expected[] = {
	{ __LINE__, TIME(0), "vcpc.time.tick", 0x01000000 },
	{ __LINE__, TIME(1), "vcpc.time.enabled", 0x01000000 },
	{ __LINE__, TIME(2), "vcpc.time.running", 0x01000000 },
	{ __LINE__, 450u << 22 | 1u << 10 | 67, "vcpc.count.page_faults", 0x00100000 },
	{ __LINE__, 450u << 22 | 1u << 10 | 373, "vcpc.count.cycles_u", 0x00100000 },
	{ __LINE__, 450u << 22 | 1u << 10 | 801, "vcpc.count.task_clock", 0x01000000 },
};

TEST_F(archive, metrics)
{
	ASSERT_EQ(ARRAY_SIZE(expected), shim_archive__ndescs(self->ar));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct shim_desc *desc = shim_archive__desc(self->ar, expected[i].pmid);

		ASSERT_NE(NULL, desc) TH_LOG("line %d", expected[i].line);
		EXPECT_STREQ(expected[i].name, desc->names[0]);
		EXPECT_EQ(SHIM_TYPE_U64, desc->type);
		EXPECT_EQ(SHIM_SEM_COUNTER, desc->sem);
		EXPECT_EQ(450u << 22, desc->indom);
		EXPECT_EQ(expected[i].units, desc->units) TH_LOG("line %d", expected[i].line);
	}
}

/* Every metric has a help text; an event's text contains its requested name. */
TEST_F(archive, texts)
{
	const char *text;

	for (unsigned int i = 0; i < shim_archive__ndescs(self->ar); i++) {
		uint32_t pmid = shim_archive__desc_at(self->ar, i)->pmid;

		text = shim_archive__text(self->ar, SHIM_TEXT_PMID | SHIM_TEXT_ONELINE, pmid);
		ASSERT_NE(NULL, text);
		EXPECT_LT(10, strlen(text));
		EXPECT_EQ(NULL, strchr(text, '\n'));
		text = shim_archive__text(self->ar, SHIM_TEXT_PMID | SHIM_TEXT_HELP, pmid);
		ASSERT_NE(NULL, text);
		EXPECT_LT(20, strlen(text));
	}
	text = shim_archive__text(self->ar, SHIM_TEXT_PMID | SHIM_TEXT_ONELINE, COUNT(1));
	EXPECT_NE(NULL, strstr(text, "cycles:u"));
	/* Every instance domain also has a help text. */
	for (unsigned int i = 0; i < shim_archive__ndescs(self->ar); i++) {
		uint32_t indom = shim_archive__desc_at(self->ar, i)->indom;

		EXPECT_NE(NULL, shim_archive__text(self->ar, SHIM_TEXT_INDOM | SHIM_TEXT_ONELINE,
						   indom));
		EXPECT_NE(NULL, shim_archive__text(self->ar, SHIM_TEXT_INDOM | SHIM_TEXT_HELP,
						   indom));
	}
}

TEST_F(archive, context_labels)
{
	const struct shim_label *label = shim_archive__label(self->ar);
	struct shim_labels_iter iter;
	struct shim_labelset set;
	char want[300];

	snprintf(want, sizeof(want), "{\"hostname\":\"%s\"}", label->host);
	ASSERT_TRUE(shim_archive__labels(self->ar, SHIM_LEVEL_CONTEXT, SHIM_INDOM_NULL,
					 label->start, &iter));
	ASSERT_EQ(1, iter.n);
	shim_labels__next(&iter, &set);
	EXPECT_EQ(1, set.nlabels);
	ASSERT_EQ(strlen(want), set.jsonlen);
	EXPECT_EQ(0, memcmp(want, set.json, set.jsonlen));
}

TEST_F(archive, instance)
{
	const struct shim_indom *indom = shim_archive__indom_at(self->ar, 450u << 22, 0);
	char name[64], comm[16];

	ASSERT_EQ(0, prctl(PR_GET_NAME, comm));
	ASSERT_NE(NULL, indom);
	ASSERT_EQ(1, indom->n);
	EXPECT_EQ(getpid(), indom->inst[0]);
	snprintf(name, sizeof(name), "%06d %s", getpid(), comm);
	EXPECT_STREQ(name, indom->name[0]);
}

TEST_F(archive, values)
{
	struct shim_cursor cursor;
	struct shim_record rec;
	struct shim_ts last;
	int n;

	last = shim_archive__label(self->ar)->start;
	shim_cursor__init(&cursor, self->ar);
	for (n = 1; !shim_cursor__next(&cursor, &rec); n++) {
		struct shim_value value;
		struct shim_vset vset;

		EXPECT_EQ(ARRAY_SIZE(expected), rec.npmids);
		EXPECT_LE(0, shim_ts__cmp(rec.stamp, last));
		last = rec.stamp;
		for (int item = 0; item < 3; item++) {
			ASSERT_EQ(0, shim_record__find(&rec, COUNT(item), &vset));
			ASSERT_EQ(1, vset.numval);
			ASSERT_EQ(0, shim_vset__value(&rec, &vset, 0, SHIM_TYPE_U64, &value));
			EXPECT_EQ(getpid(), value.inst);
			EXPECT_EQ(n * (item + 1) * 1000, value.ull);
		}
		ASSERT_EQ(0, shim_record__find(&rec, TIME(0), &vset));
		ASSERT_EQ(0, shim_vset__value(&rec, &vset, 0, SHIM_TYPE_U64, &value));
		EXPECT_EQ(n * 1000000, value.ull);
	}
	EXPECT_EQ(TICKS + 1, n);
}

TEST_HARNESS_MAIN
