// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If some of an archive's many volumes are missing, the records of all others are found, from any
 * starting point.
 */
#include <sys/resource.h>

#include "pcp_fixture.h"

#define VOLUMES		300
#define METRIC		AF_PMID(1)

/* Return whether a volume exists: every seventh one is missing. */
static int is_there(int volume)
{
	return volume % 7 != 6;
}

static void add_volume(struct af *a, const char *base, int volume)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", volume);
	if (volume) {
		fclose(a->data);
		a->data = af_file(base, name, 3, volume);
	}
	af_begin(a, volume * AF_SEC);
	af_set(a, METRIC, 0);
	af_u32(a, -1, (uint32_t)volume);
	af_end(a);
}

FIXTURE(volumes) {
	char base[256];
};

FIXTURE_SETUP(volumes)
{
	struct af a;

	af_folder(self->base, sizeof(self->base));
	af_open(&a, self->base, 3);
	af_desc(&a, METRIC, PM_TYPE_U32, AF_NONE, PM_SEM_INSTANT, 0, "metric");
	af_index(&a, 0);
	for (int i = 0; i < VOLUMES; i++)
		if (is_there(i))
			add_volume(&a, self->base, i);
	af_close(&a);
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, self->base));
}

FIXTURE_TEARDOWN(volumes)
{
	pmDestroyContext(pmWhichContext());
	af_remove(self->base);
}

TEST_F(volumes, forward_and_backward)
{
	for (int i = 0; i < VOLUMES; i++) {
		if (is_there(i))
			ASSERT_EQ(i, fetch_number(METRIC, NULL));
	}
	ASSERT_EQ(PM_ERR_EOL, fetch_number(METRIC, NULL));
	ASSERT_EQ(0, pmSetMode(PM_MODE_BACK, NULL, 0));
	for (int i = VOLUMES - 1; i >= 0; i--) {
		if (is_there(i))
			ASSERT_EQ(i, fetch_number(METRIC, NULL));
	}
}

TEST_F(volumes, the_end_comes_first)
{
	struct timeval end;

	ASSERT_EQ(0, pmGetArchiveEnd(&end));
	EXPECT_EQ((VOLUMES - 1) * 1000, ms_of(end));
}

TEST_F(volumes, a_jump_comes_first)
{
	EXPECT_EQ(204, number_at(METRIC, 204500));
	EXPECT_EQ(201, number_at(METRIC, 202000));	/* no volume has the record at 202 s */
	EXPECT_EQ(203, number_at(METRIC, 202500));
	EXPECT_EQ(3, number_at(METRIC, 3000));
}

TEST_F(volumes, backward_comes_first)
{
	ASSERT_EQ(0, go_to(PM_MODE_BACK, 1000000, 0));
	EXPECT_EQ(VOLUMES - 1, fetch_number(METRIC, NULL));
}

/* An archive can be opened by the name of the file of a later volume. */
TEST_F(volumes, by_a_file_of_it)
{
	char name[300];

	snprintf(name, sizeof(name), "%s.211", self->base);
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, name));
	EXPECT_EQ(0, fetch_number(METRIC, NULL));
	EXPECT_EQ(1, fetch_number(METRIC, NULL));
	ASSERT_EQ(0, pmDestroyContext(pmWhichContext()));
}

/* Each context reports damage once, when it first reads the damaged volume, and then skips it. */
TEST_F(volumes, a_damaged_one)
{
	const int modes[] = { PM_MODE_FORW, PM_MODE_BACK, PM_MODE_INTERP };
	char name[300];

	snprintf(name, sizeof(name), "%s.9", self->base);
	ASSERT_EQ(0, truncate(name, 20));
	for (int i = 0; i < 3; i++) {
		int context = pmNewContext(PM_CONTEXT_ARCHIVE, self->base);
		int back = modes[i] == PM_MODE_BACK;

		ASSERT_LE(0, context);
		ASSERT_EQ(0, go_to(modes[i], back ? 10000 : 8000, back ? 0 : 1000));
		EXPECT_EQ(back ? 10 : 8, fetch_number(METRIC, NULL));
		EXPECT_EQ(PM_ERR_LOGREC, fetch_number(METRIC, NULL));
		if (modes[i] == PM_MODE_INTERP)
			/* At 9 s, INTERP returns the value before the damage. */
			EXPECT_EQ(8, fetch_number(METRIC, NULL));
		EXPECT_EQ(back ? 8 : 10, fetch_number(METRIC, NULL));
		ASSERT_EQ(0, go_to(modes[i], back ? 10000 : 8000, back ? 0 : 1000));
		EXPECT_EQ(back ? 10 : 8, fetch_number(METRIC, NULL));
		if (modes[i] == PM_MODE_INTERP)
			EXPECT_EQ(8, fetch_number(METRIC, NULL));
		EXPECT_EQ(back ? 8 : 10, fetch_number(METRIC, NULL));
		ASSERT_EQ(0, pmDestroyContext(context));
	}
}

/*
 * A temporary failure is not treated as damage: it is reported, and the volume is read afterwards.
 */
TEST_F(volumes, no_descriptor_for_one)
{
	struct rlimit before, none;
	int context = pmNewContext(PM_CONTEXT_ARCHIVE, self->base);

	ASSERT_LE(0, context);
	ASSERT_EQ(8, number_at(METRIC, 8000));
	ASSERT_EQ(0, go_to(PM_MODE_FORW, 8000, 0));
	EXPECT_EQ(8, fetch_number(METRIC, NULL));
	EXPECT_EQ(9, fetch_number(METRIC, NULL));
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &before));
	none = before;
	none.rlim_cur = 0;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	EXPECT_EQ(-EMFILE, fetch_number(METRIC, NULL));
	EXPECT_EQ(-EMFILE, fetch_number(METRIC, NULL));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &before));
	EXPECT_EQ(10, fetch_number(METRIC, NULL));
	EXPECT_EQ(11, fetch_number(METRIC, NULL));
	ASSERT_EQ(0, pmDestroyContext(context));
}

TEST_F(volumes, without_its_first_volume)
{
	char name[300];

	snprintf(name, sizeof(name), "%s.0", self->base);
	ASSERT_EQ(0, unlink(name));
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, self->base));
	ASSERT_EQ(0, go_to(PM_MODE_FORW, 0, 0));
	EXPECT_EQ(1, fetch_number(METRIC, NULL));
	ASSERT_EQ(0, pmDestroyContext(pmWhichContext()));
}

TEST_HARNESS_MAIN
