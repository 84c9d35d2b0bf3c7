// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If perf splits the group of a CPU that goes offline, no count is lost, regardless of when this
 * happens.
 */
#include <errno.h>
#include <string.h>

#include "core/perf_group.h"
#include "kselftest_harness.h"

#define EVENTS	3
#define LEAD	1

static struct shim_group_event events[EVENTS];
static int reads, split_at;	/* the group is split before this read */

bool __wrap_shim_group__is_ours(const struct shim_group_event *event);
long __wrap_shim_group__read_event(const struct shim_group_event *event, void *to, size_t size);
int __wrap_shim_group__read_any(const struct shim_group *group, struct shim_group_counts *counts);

bool __wrap_shim_group__is_ours(const struct shim_group_event *event)
{
	(void)event;
	return true;
}

static __u64 value(size_t i)
{
	return 100 + i;
}

/*
 * Simulate read(2) on perf: the leader returns the whole group until the group is split, and then
 * only its own count.
 */
long __wrap_shim_group__read_event(const struct shim_group_event *event, void *to, size_t size)
{
	struct shim_group_counts counts = { .nr = 1, .enabled = 7, .running = 7 };
	size_t i = event - events;

	if (++reads < split_at)
		counts.nr = EVENTS;
	if (i != LEAD) {
		memcpy(to, &(__u64[]){ value(i), 7, 7 }, 3 * sizeof(__u64));
		return 3 * sizeof(__u64);
	}
	counts.values[0] = value(LEAD);
	counts.values[1] = value(0);
	counts.values[2] = value(2);
	memcpy(to, &counts, size < sizeof(counts) ? size : sizeof(counts));
	return (3 + counts.nr) * sizeof(__u64);
}

int __wrap_shim_group__read_any(const struct shim_group *group, struct shim_group_counts *counts)
{
	long got = __wrap_shim_group__read_event(&group->events[LEAD], counts, sizeof(*counts));

	if (got != (3 + EVENTS) * (long)sizeof(__u64))
		return -EAGAIN;
	for (size_t i = 0; i < EVENTS; i++)
		counts->values[i] = value(i);
	return 0;
}

TEST(split_before_any_read)
{
	const struct shim_group group = { .n = EVENTS, .lead = LEAD, .events = events };

	for (split_at = 1; split_at < 10; split_at++) {
		struct shim_group_counts counts = { 0 };

		reads = 0;
		EXPECT_EQ(0, shim_group__read_each(&group, &counts)) TH_LOG("split at %d", split_at);
		EXPECT_EQ(EVENTS, counts.nr);
		EXPECT_EQ(7, counts.enabled);
		for (size_t i = 0; i < EVENTS; i++)
			EXPECT_EQ(value(i), counts.values[i]);
	}
}

TEST_HARNESS_MAIN
