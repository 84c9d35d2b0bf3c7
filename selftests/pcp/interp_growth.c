// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interpolation of a long archive takes little time in both directions, also if instances come and
 * go, and little memory, also if the values are strings.
 */
#include <kselftest_harness.h>

#include <time.h>

#include <pcp/pmapi.h>

#include "archive_file.h"

#define ALIVE		100
#define NEW_EACH	2	/* instances that replace others, each record */
#define RECORDS		3000
#define TEXT_RECORDS	8000
#define TEXT_LEN	4000

/* Instances come and go like processes. */
static void make_processes(const char *base)
{
	int ids[ALIVE], next = 0;
	struct af a;

	af_open(&a, base, 3);
	af_desc(&a, AF_PMID(0), PM_TYPE_U32, AF_PMID(1), PM_SEM_COUNTER, 0, "m.count");
	for (int i = 0; i < ALIVE; i++)
		ids[i] = next++;
	for (int r = 0; r < RECORDS; r++) {
		af_indom(&a, r * AF_SEC, AF_PMID(1), ALIVE, ids);
		if (!r || r == RECORDS - 1)
			af_index(&a, r * AF_SEC);
		af_begin(&a, r * AF_SEC);
		af_set(&a, AF_PMID(0), 0);
		for (int i = 0; i < ALIVE; i++)
			af_u32(&a, ids[i], (uint32_t)(ids[i] + r));
		af_end(&a);
		memmove(ids, ids + NEW_EACH, (ALIVE - NEW_EACH) * sizeof(*ids));
		for (int i = ALIVE - NEW_EACH; i < ALIVE; i++)
			ids[i] = next++;
	}
	af_close(&a);
}

static void make_texts(const char *base)
{
	static char text[TEXT_LEN + 1];
	struct af a;

	memset(text, 'x', TEXT_LEN);
	af_open(&a, base, 3);
	af_desc(&a, AF_PMID(0), PM_TYPE_STRING, AF_NONE, PM_SEM_INSTANT, 0, "m.text");
	for (int r = 0; r < TEXT_RECORDS; r++) {
		if (!r || r == TEXT_RECORDS - 1)
			af_index(&a, r * AF_SEC);
		af_begin(&a, r * AF_SEC);
		af_set(&a, AF_PMID(0), 0);
		af_string(&a, -1, text);
		af_end(&a);
	}
	af_close(&a);
}

/* Return the kilobytes of mapped files in memory. */
static long mapped(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "RssFile: %ld", &kb);
	if (f)
		fclose(f);
	return kb;
}

/*
 * Fetch the whole archive.  Return the seconds of CPU time, and set *@kb to the most that was mapped
 * at once.
 */
static double fetch_all(struct __test_metadata *_metadata, const char *base, const char *name,
			int step_ms, long *kb)
{
	struct timespec begun, ended, end, delta = { step_ms / 1000, step_ms % 1000 * 1000000L };
	pmHighResLogLabel label;
	pmHighResResult *r;
	long most = 0, n = 0;
	pmID pmid;

	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, base));
	ASSERT_EQ(1, pmLookupName(1, &name, &pmid));
	ASSERT_EQ(0, pmGetHighResArchiveLabel(&label));
	ASSERT_EQ(0, pmGetHighResArchiveEnd(&end));
	if (step_ms < 0)
		delta = (struct timespec){ step_ms / 1000, 0 };
	ASSERT_EQ(0, pmSetModeHighRes(PM_MODE_INTERP, step_ms < 0 ? &end : &label.start, &delta));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun);
	while (pmFetchHighRes(1, &pmid, &r) >= 0) {
		pmFreeHighResResult(r);
		if (kb && ++n % 100 == 0 && mapped() > most)
			most = mapped();
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
	pmDestroyContext(pmWhichContext());
	if (kb)
		*kb = most;
	return pmtimespecSub(&ended, &begun);
}

FIXTURE(growth) {
	char base[4096];
};

FIXTURE_SETUP(growth)
{
	af_folder(self->base, sizeof(self->base));
}

FIXTURE_TEARDOWN(growth)
{
	af_remove(self->base);
}

/* The last value of an instance must not be sought again in all later records. */
TEST_F(growth, processes_backward)
{
	double forward, backward;

	make_processes(self->base);
	forward = fetch_all(_metadata, self->base, "m.count", 1000, NULL);
	backward = fetch_all(_metadata, self->base, "m.count", -1000, NULL);
	TH_LOG("forward %.4f s, backward %.4f s", forward, backward);
	EXPECT_GT(10 * forward, backward);
}

TEST_F(growth, memory_of_strings)
{
	long before, most;

	make_texts(self->base);
	before = mapped();
	fetch_all(_metadata, self->base, "m.text", 1000, &most);
	TH_LOG("%ld kB of files before, %ld kB at most, an archive of %d kB", before, most,
	       TEXT_RECORDS * TEXT_LEN / 1000);
	EXPECT_GT(before + 16000, most);
}

TEST_HARNESS_MAIN
