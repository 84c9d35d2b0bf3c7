// SPDX-License-Identifier: GPL-2.0-or-later
/* Test names, unusual replies of agents, and the resulting records of vcpc record --with. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <shim/shim.h>

#define PMID(item)	(60u << 22 | (item))
#define INDOM		(60u << 22 | 7)

static const struct {
	const char *name;
	pmID pmid;
	pmInDom indom;
	int type;
} space[] = {
	{ "part.single", PMID(1), PM_INDOM_NULL, PM_TYPE_U32 },
	{ "part.many", PMID(2), INDOM, PM_TYPE_U32 },
	{ "part.unknown", PM_ID_NULL, PM_INDOM_NULL, PM_TYPE_U32 },
	{ "part.event", PMID(3), PM_INDOM_NULL, PM_TYPE_EVENT },
	{ "part.odd", PMID(4), 61u << 22 | 1, PM_TYPE_U32 },
	{ "part.again", PMID(2), INDOM, PM_TYPE_U32 },
};

#define NSPACE	(int)(sizeof(space) / sizeof(space[0]))

static struct {
	int inst[4];
	int n;
	pmResult *result;
	int names;		/* number of calls to strdup() that succeed; -1: all */
	int blocks;		/* number of calls to calloc() before one fails; -1: none fails */
	/* Error codes of the context, of fetches, of the domain, and of looking up part.many */
	int lost, refused, unknown, nameless;
	char messages[2000];
} pmcd;

static int fake_traverse(const char *name, void (*func)(const char *, void *), void *arg)
{
	int n = 0;

	for (int i = 0; i < NSPACE; i++) {
		if (strcmp(name, "part") && strcmp(name, space[i].name))
			continue;
		func(space[i].name, arg);
		n++;
	}
	return n ? n : PM_ERR_NAME;
}

static int fake_name(int n, const char **names, pmID *pmids)
{
	(void)n;
	*pmids = PM_ID_NULL;
	if (pmcd.nameless && !strcmp(names[0], "part.many"))
		return pmcd.nameless;
	for (int i = 0; i < NSPACE; i++)
		if (!strcmp(names[0], space[i].name))
			*pmids = space[i].pmid;
	return *pmids == PM_ID_NULL ? PM_ERR_PMID : 1;
}

static int fake_desc(pmID pmid, pmDesc *desc)
{
	for (int i = 0; i < NSPACE; i++)
		if (space[i].pmid == pmid)
			*desc = (pmDesc){ .pmid = pmid, .indom = space[i].indom,
					  .type = space[i].type, .sem = PM_SEM_INSTANT };
	return 0;
}

static int fake_indom(pmInDom indom, int **inst, char ***names)
{
	static char name[4][2] = { "a", "b", "c", "d" };

	(void)indom;
	if (pmcd.unknown)
		return pmcd.unknown;
	*inst = calloc(pmcd.n, sizeof(**inst));
	*names = calloc(pmcd.n, sizeof(**names));
	for (int i = 0; i < pmcd.n; i++) {
		(*inst)[i] = pmcd.inst[i];
		(*names)[i] = name[i];
	}
	return pmcd.n;
}

static int fake_fetch(int n, pmID *pmids, pmResult **result)
{
	(void)n;
	(void)pmids;
	*result = pmcd.result;
	return pmcd.refused;
}

static int fake_context(int context)
{
	return context;
}

static int fake_use(int context)
{
	return pmcd.lost ? pmcd.lost : context;
}

/* Free a result that this test created. */
static void fake_free(pmResult *result)
{
	(void)result;
}

static int fake_text(pmID pmid, int kind, char **text)
{
	(void)pmid;
	(void)kind;
	*text = NULL;
	return PM_ERR_TEXT;
}

static char *fake_strdup(const char *s)
{
	return pmcd.names && pmcd.names-- ? strcpy(malloc(strlen(s) + 1), s) : NULL;
}

static void *fake_calloc(size_t n, size_t size)
{
	return pmcd.blocks-- ? calloc(n, size) : NULL;
}

#define pmNewContext(type, host)		fake_context(1)
#define pmUseContext				fake_use
#define pmDestroyContext			fake_context
#define pmReconnectContext			fake_context
#define pmFreeResult				fake_free
#define pmLookupText				fake_text
#define pmTraversePMNS_r			fake_traverse
#define pmLookupName				fake_name
#define pmLookupDesc				fake_desc
#define pmGetInDom				fake_indom
#define pmFetch					fake_fetch
#undef strdup
#define strdup					fake_strdup
#define calloc					fake_calloc
#include "../../tools/vcpc/with.c"
#include "../../tools/vcpc/with_archive.c"
#undef calloc

#include "archive/reader.h"
#include "kselftest_harness.h"

int vcpc_fail(int err, const char *fmt, ...)
{
	size_t len = strlen(pmcd.messages);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(pmcd.messages + len, sizeof(pmcd.messages) - len, fmt, ap);
	va_end(ap);
	len = strlen(pmcd.messages);
	snprintf(pmcd.messages + len, sizeof(pmcd.messages) - len, ": %d\n", err);
	return 1;
}

int vcpc_usage(const char *fmt, ...)
{
	(void)fmt;
	return 2;
}

FIXTURE(with) {
	char dir[64];
	char base[80];
	struct vcpc_with *with;
	struct shim_recorder *rec;
};

FIXTURE_SETUP(with)
{
	memset(&pmcd, 0, sizeof(pmcd));
	pmcd.names = pmcd.blocks = -1;
	strcpy(self->dir, "/tmp/vcpc-with-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->base, sizeof(self->base), "%s/a", self->dir);
	ASSERT_EQ(0, shim_record_open(self->base, NULL, &self->rec));
}

FIXTURE_TEARDOWN(with)
{
	if (self->rec)
		shim_record_discard(self->rec);
	vcpc_with_close(self->with);
	for (int i = 0; pmcd.result && i < pmcd.result->numpmid; i++)
		free(pmcd.result->vset[i]);
	free(pmcd.result);
	for (int i = 0; i < 3; i++) {
		static const char *const files[] = { ".meta", ".index", ".0" };
		char path[128];

		snprintf(path, sizeof(path), "%s%s", self->base, files[i]);
		unlink(path);
	}
	EXPECT_EQ(0, rmdir(self->dir));
}

/* Set pmcd's next reply for both metrics; the values are 10 and so on. */
static void answer(int nsingle, int nmany, const int *inst)
{
	const int n[2] = { nsingle, nmany };

	pmcd.result = calloc(1, sizeof(*pmcd.result) + sizeof(pmValueSet *));
	pmcd.result->numpmid = 2;
	for (int i = 0; i < 2; i++) {
		pmValueSet *set = calloc(1, sizeof(*set) + n[i] * sizeof(set->vlist[0]));

		set->pmid = PMID(1 + i);
		set->numval = n[i];
		set->valfmt = PM_VAL_INSITU;
		for (int k = 0; k < n[i]; k++)
			set->vlist[k] = (pmValue){ .inst = inst[k], .value.lval = 10 + k };
		pmcd.result->vset[i] = set;
	}
	memcpy(pmcd.inst, inst, nmany * sizeof(*inst));
	pmcd.n = nmany;
}

/* Record pmcd's reply.  Return the values of a metric as "instance=value ...". */
static const char *recorded(FIXTURE_DATA(with) *self, pmID pmid)
{
	static char text[200];
	struct shim_archive *ar;
	struct shim_cursor cursor;
	struct shim_record record;
	struct shim_value value;
	struct shim_vset vset;
	int ret = shim_record_close(self->rec);

	self->rec = NULL;
	if (ret || shim_archive__open(self->base, &ar))
		return "no archive";
	strcpy(text, "no record");
	shim_cursor__init(&cursor, ar);
	if (!shim_cursor__next(&cursor, &record) && !shim_record__check(&record) &&
	    !shim_record__find(&record, pmid, &vset)) {
		sprintf(text, "%d:", vset.numval);
		for (int i = 0; i < vset.numval; i++)
			if (!shim_vset__value(&record, &vset, i, SHIM_TYPE_U32, &value))
				sprintf(text + strlen(text), " %d=%u", value.inst, value.ul);
	}
	shim_archive__put(ar);
	return text;
}

/* Metrics that cannot be recorded are reported, and the others are recorded. */
TEST_F(with, a_part_of_the_name_space_has_all_that_can_be_recorded)
{
	ASSERT_EQ(0, vcpc_with_open("part", &self->with)) TH_LOG("%s", pmcd.messages);
	ASSERT_EQ(0, vcpc_with_add(self->with, self->rec)) TH_LOG("%s", pmcd.messages);
	ASSERT_EQ(2, self->with->n);
	EXPECT_STREQ("part.single", self->with->metrics[0].name);
	EXPECT_STREQ("part.many", self->with->metrics[1].name);
	EXPECT_NE(NULL, strstr(pmcd.messages, "part.unknown: Unknown or illegal metric identifier; it is skipped"));
	EXPECT_NE(NULL, strstr(pmcd.messages, "part.event: its type cannot be recorded; it is skipped"));
	EXPECT_NE(NULL, strstr(pmcd.messages, "part.odd: an archive cannot represent it; it is skipped"));
	EXPECT_EQ(NULL, strstr(pmcd.messages, "part.again"));
}

TEST_F(with, what_was_named_itself_must_be_recorded)
{
	EXPECT_EQ(1, vcpc_with_open("part.unknown", &self->with));
	EXPECT_EQ(1, vcpc_with_open("part,part.event", &self->with));
	EXPECT_EQ(1, vcpc_with_open("part.nothing", &self->with));
	ASSERT_EQ(0, vcpc_with_open("part,part.odd", &self->with));
	EXPECT_EQ(1, vcpc_with_add(self->with, self->rec));
	EXPECT_NE(NULL, strstr(pmcd.messages, "part.odd: an archive cannot represent it: 0"));
}

TEST_F(with, a_second_name_of_a_metric_is_said)
{
	ASSERT_EQ(0, vcpc_with_open("part.many,part.again,part.many", &self->with));
	EXPECT_EQ(1, self->with->n);
	EXPECT_STREQ("--with: part.again is recorded as part.many: 0\n", pmcd.messages);
}

TEST_F(with, a_name_for_which_there_is_no_memory_is_an_error)
{
	for (pmcd.names = 0; pmcd.names < 9; pmcd.names++) {
		int given = pmcd.names;

		EXPECT_EQ(1, vcpc_with_open("part", &self->with)) TH_LOG("%d names", given);
		EXPECT_NE(NULL, strstr(pmcd.messages, ": -12\n"));
		pmcd.messages[0] = '\0';
		pmcd.names = given;
	}
	EXPECT_EQ(NULL, self->with);
}

TEST_F(with, an_instance_that_is_there_twice_is_recorded_once)
{
	static const int twice[] = { 9, 4, 9, 5 };

	answer(2, 4, twice);
	ASSERT_EQ(0, vcpc_with_open("part.single,part.many", &self->with));
	ASSERT_EQ(0, vcpc_with_add(self->with, self->rec));
	ASSERT_EQ(0, shim_record_tick(self->rec));
	EXPECT_STREQ("3: 9=10 4=11 5=13", recorded(self, PMID(2)));
}

/* A record for which there was no memory fails; the next one is complete. */
TEST_F(with, instances_without_memory_are_an_error)
{
	/*
	 * Each tick fails at one allocation: that of the sorted instances, of their serial numbers,
	 * or of the values of one of the two metrics.  After the third tick, the instances are
	 * known.
	 */
	static const int inst[] = { 2, 1 }, blocks[] = { 0, 1, 2, 1 };

	answer(1, 2, inst);
	ASSERT_EQ(0, vcpc_with_open("part.single,part.many", &self->with));
	ASSERT_EQ(0, vcpc_with_add(self->with, self->rec));
	for (int i = 0; i < 4; i++) {
		pmcd.blocks = blocks[i];
		EXPECT_EQ(-ENOMEM, shim_record_tick(self->rec)) TH_LOG("allocation %d", i);
	}
	pmcd.blocks = -1;
	ASSERT_EQ(0, shim_record_tick(self->rec));
	EXPECT_STREQ("2: 2=10 1=11", recorded(self, PMID(2)));
}

/*
 * If the recorder rejects a set of values, the record lacks this set, has the others, and recording
 * continues.
 */
TEST_F(with, one_bad_answer_is_left_out)
{
	static const int inst[] = { 1, 2 };

	answer(1, 2, inst);
	ASSERT_EQ(0, vcpc_with_open("part.single,part.many", &self->with));
	ASSERT_EQ(0, vcpc_with_add(self->with, self->rec));
	/* The type differs from the declared one. */
	self->with->metrics[0].desc.type = PM_TYPE_32;
	ASSERT_EQ(0, shim_record_tick(self->rec));
	ASSERT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(2, shim_record_count(self->rec));
	EXPECT_STREQ("2: 1=10 2=11", recorded(self, PMID(2)));
}

/* If a fetch fails, the record lacks the values, and the recorder keeps the cause. */
TEST_F(with, the_cause_of_a_failed_fetch_is_kept)
{
	static const struct {
		int lost, refused, missing;
	} rows[] = {
		{ 0, PM_ERR_TIMEOUT, -ETIMEDOUT }, { 0, PM_ERR_IPC, -ENOTCONN }, { 0, -ENOMEM, -ENOMEM },
		{ 0, -EMFILE, -EMFILE }, { 0, PM_ERR_PERMISSION, -EIO }, { PM_ERR_NOCONTEXT, 0, -EIO },
	};
	static const int inst[] = { 1, 2 };

	answer(1, 2, inst);
	ASSERT_EQ(0, vcpc_with_open("part.single,part.many", &self->with));
	ASSERT_EQ(0, vcpc_with_add(self->with, self->rec));
	ASSERT_EQ(0, shim_record_tick(self->rec));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pmcd.lost = rows[i].lost;
		pmcd.refused = rows[i].refused;
		ASSERT_EQ(0, shim_record_tick(self->rec));
		EXPECT_EQ(rows[i].missing, shim_record_missing(self->rec)) TH_LOG("row %zu", i);
	}
	pmcd.lost = pmcd.refused = 0;
	ASSERT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(0, shim_record_missing(self->rec));
}

/* After an error, new instances are omitted, and the first error is kept. */
TEST_F(with, the_cause_of_missing_instances_is_kept)
{
	static const int inst[] = { 1, 2 };

	answer(1, 2, inst);
	ASSERT_EQ(0, vcpc_with_open("part.single,part.many", &self->with));
	ASSERT_EQ(0, vcpc_with_add(self->with, self->rec));
	EXPECT_EQ(0, vcpc_with_missing(self->with));
	pmcd.unknown = PM_ERR_TIMEOUT;
	EXPECT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(-ETIMEDOUT, vcpc_with_missing(self->with));
	pmcd.unknown = -ENOMEM;
	EXPECT_EQ(0, shim_record_tick(self->rec));
	pmcd.unknown = 0;
	EXPECT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(-ETIMEDOUT, vcpc_with_missing(self->with));
}

/* If the lookup of a metric fails, the metric is not skipped, because it might exist. */
TEST_F(with, a_failed_lookup_is_an_error)
{
	static const int errors[] = { PM_ERR_TIMEOUT, PM_ERR_IPC, -ENOMEM, -EMFILE };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		pmcd.nameless = errors[i];
		EXPECT_EQ(1, vcpc_with_open("part", &self->with)) TH_LOG("row %zu", i);
		EXPECT_EQ(NULL, strstr(pmcd.messages, "it is skipped"));
	}
	EXPECT_EQ(NULL, self->with);
}

TEST_HARNESS_MAIN
