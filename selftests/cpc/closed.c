// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If a daemon closes all descriptors that it did not open, including the library's, and reuses
 * their numbers, the library neither reads nor closes the daemon's descriptors.
 */
#include <fcntl.h>
#include <sys/eventfd.h>

#include "cpc.h"
#include "kselftest_harness.h"

#define FILES	40

FIXTURE(closed) {
	cpc_t *cpc;
	cpc_set_t *set;
	cpc_buf_t *buf;
	int file[FILES];
};

FIXTURE_SETUP(closed)
{
	self->cpc = open_with(&self->set, "page-faults", 7);
	ASSERT_NE(NULL, self->cpc);
	self->buf = cpc_buf_create(self->cpc, self->set);
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	ASSERT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
}

FIXTURE_TEARDOWN(closed)
{
}

static void daemonize(struct __test_metadata *_metadata, FIXTURE_DATA(closed) *self)
{
	closefrom(3);
	for (int i = 0; i < FILES; i++) {
		self->file[i] = i % 2 ? open("/proc/self/exe", O_RDONLY) : eventfd(1, 0);
		ASSERT_EQ(3 + i, self->file[i]);
	}
}

/* Check that all of the test's descriptors are still open, and that no other code used them. */
static void expect_untouched(struct __test_metadata *_metadata, FIXTURE_DATA(closed) *self)
{
	uint64_t one;

	for (int i = 0; i < FILES; i++) {
		if (i % 2) {
			EXPECT_EQ(0, lseek(self->file[i], 0, SEEK_CUR));
		} else {
			EXPECT_EQ(8, read(self->file[i], &one, 8));
		}
	}
}

TEST_F(closed, a_sample_is_refused)
{
	daemonize(_metadata, self);
	errno = 0;
	EXPECT_EQ(-1, cpc_set_sample(self->cpc, self->set, self->buf));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, cpc_disable(self->cpc));
	EXPECT_EQ(-1, cpc_set_restart(self->cpc, self->set));
	expect_untouched(_metadata, self);
}

TEST_F(closed, nothing_of_the_programs_is_closed)
{
	daemonize(_metadata, self);
	EXPECT_EQ(0, cpc_close(self->cpc));
	expect_untouched(_metadata, self);
}

TEST_F(closed, it_counts_again_when_it_is_bound_again)
{
	daemonize(_metadata, self);
	EXPECT_EQ(0, cpc_unbind(self->cpc, self->set));
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0)) TH_LOG("%s", strerror(errno));
	EXPECT_LE(7, sampled(self->cpc, self->set, self->buf));
	EXPECT_EQ(0, cpc_close(self->cpc));
	expect_untouched(_metadata, self);
}

TEST_F(closed, two_sets_are_not_taken_for_each_other)
{
	cpc_set_t *other;

	daemonize(_metadata, self);
	other = set_of(self->cpc, "page-faults", 1000);
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, other, 0));
	EXPECT_LE(1000, sampled(self->cpc, other, self->buf));
	EXPECT_EQ(0, cpc_set_destroy(self->cpc, self->set));
	EXPECT_LE(1000, sampled(self->cpc, other, self->buf));
	EXPECT_EQ(0, cpc_close(self->cpc));
	expect_untouched(_metadata, self);
}

TEST_HARNESS_MAIN
