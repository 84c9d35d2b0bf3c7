// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Create sets of <shim/shim.h> from names of events, bind, sample and stop them, and cause each
 * error.
 */
#include <errno.h>
#include <string.h>

#include "shim/shim.h"
#include "kselftest_harness.h"

FIXTURE(shim) {
	struct shim_handle *handle;
	struct shim_set *set;
	unsigned int bad;
};

FIXTURE_SETUP(shim)
{
	const char *events[] = { "page-faults", "minor-faults:u" };

	ASSERT_EQ(0, shim_open(&self->handle));
	ASSERT_EQ(0, shim_set_create(self->handle, events, 2, &self->bad, &self->set));
}

FIXTURE_TEARDOWN(shim)
{
	shim_set_destroy(self->set);
	shim_close(self->handle);
}

TEST(version)
{
	EXPECT_EQ(2, strspn(shim_version(), "0123456789") + strspn(strchr(shim_version(), '.'), "."));
}

TEST_F(shim, counts)
{
	struct shim_sample a, b;

	EXPECT_EQ(2, shim_set_size(self->set));
	EXPECT_STREQ("page-faults", shim_set_event(self->set, 0));
	EXPECT_STREQ("minor-faults:u", shim_set_event(self->set, 1));
	EXPECT_EQ(NULL, shim_set_event(self->set, 2));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &a));
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &b));
	EXPECT_EQ(2, a.nr);
	EXPECT_EQ(SHIM_STATE_COUNTING, a.state);
	EXPECT_EQ(a.enabled, a.running);
	EXPECT_LE(a.values[0], b.values[0]);
	EXPECT_LE(a.time, b.time);
	EXPECT_LE(a.tick, b.tick);
	EXPECT_EQ(0, shim_set_unbind(self->set, 0));
}

TEST_F(shim, stops_and_goes_on)
{
	struct shim_sample a, b;

	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	EXPECT_EQ(-EINVAL, shim_set_enable(self->set, 0));
	ASSERT_EQ(0, shim_set_disable(self->set, 0));
	EXPECT_EQ(-EINVAL, shim_set_disable(self->set, 0));
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &a));
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &b));
	EXPECT_EQ(0, a.state);
	EXPECT_EQ(a.values[0], b.values[0]);
	EXPECT_EQ(a.tick, b.tick);
	EXPECT_EQ(0, shim_set_enable(self->set, 0));
}

TEST_F(shim, unbound)
{
	struct shim_sample before, sample;

	memset(&before, 0x5a, sizeof(before));
	sample = before;
	EXPECT_EQ(-EINVAL, shim_set_sample(self->set, 0, &sample));
	EXPECT_EQ(0, memcmp(&before, &sample, sizeof(sample)));
	EXPECT_EQ(-EINVAL, shim_set_unbind(self->set, 0));
	EXPECT_EQ(-EINVAL, shim_set_enable(self->set, 0));
	EXPECT_EQ(-EINVAL, shim_set_disable(self->set, 0));
}

TEST_F(shim, bound_twice)
{
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	EXPECT_EQ(-EBUSY, shim_set_bind(self->set, 0, 0));
}

static const struct {
	int line;
	const char *event;
	int err;
} refused[] = {
	{ __LINE__, "no-such-event", -ENOENT },
	{ __LINE__, "page-faults:", -EINVAL },
	{ __LINE__, "page-faults:u:u", -EINVAL },
	{ __LINE__, "", -EINVAL },
};

TEST_F(shim, refused_events_are_named)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		const char *events[] = { "page-faults", refused[i].event, "no-such-event-either" };
		struct shim_set *set = NULL;
		unsigned int bad = 77;

		EXPECT_EQ(refused[i].err, shim_set_create(self->handle, events, 3, &bad, &set)) {
			TH_LOG("line %d", refused[i].line);
		}
		EXPECT_EQ(1, bad);
		EXPECT_EQ(NULL, set);
	}
}

TEST_F(shim, no_events_or_too_many)
{
	const char *events[SHIM_SET_MAX + 1];
	struct shim_set *set = NULL;
	unsigned int bad = 77;

	for (int i = 0; i <= SHIM_SET_MAX; i++)
		events[i] = "page-faults";
	EXPECT_EQ(-EINVAL, shim_set_create(self->handle, events, 0, &bad, &set));
	EXPECT_EQ(0, bad);
	EXPECT_EQ(-EINVAL, shim_set_create(self->handle, events, SHIM_SET_MAX + 1, &bad, &set));
	EXPECT_EQ(SHIM_SET_MAX + 1, bad);
	EXPECT_EQ(-EINVAL, shim_set_create(self->handle, events, 0, NULL, &set));
	EXPECT_EQ(NULL, set);
}

TEST_F(shim, outlives_its_handle)
{
	struct shim_sample sample;

	shim_close(self->handle);
	ASSERT_EQ(0, shim_open(&self->handle));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	EXPECT_EQ(0, shim_set_sample(self->set, 0, &sample));
}

static int find(void *arg, const char *name, const char *desc)
{
	return !strcmp(name, arg) && desc[0] ? 7 : 0;
}

TEST_F(shim, events)
{
	char meant[SHIM_EVENT_MAX];

	EXPECT_EQ(7, shim_events_walk(self->handle, find, "page-faults"));
	EXPECT_EQ(0, shim_events_walk(self->handle, find, "no-such-event"));
	EXPECT_EQ(7, shim_events_walk(NULL, find, "page-faults"));
	ASSERT_EQ(0, shim_event_suggest("pagefaults", meant, sizeof(meant)));
	EXPECT_STREQ("page-faults", meant);
}

TEST_HARNESS_MAIN
