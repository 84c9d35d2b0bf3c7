// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read a CPU's group that perf has split, because the CPU went offline. */
#include <errno.h>

#include "perf_group.h"

/*
 * When a CPU goes offline, perf splits its groups, and does not join them again when the CPU comes
 * back.  Each event keeps its own count, and read(2) of the leader reports only one event.  If a
 * member was removed before its leader, which depends on the kernel, a read(2) of the member with
 * PERF_FORMAT_GROUP would report the leader's count.
 */
static int read_alone(const struct shim_group *group, unsigned int i, __u64 *value)
{
	struct {
		__u64 value, enabled, running;
	} counts;
	long got;

	if (!shim_group__is_ours(&group->events[i]))
		return -EBADF;
	got = shim_group__read_event(&group->events[i], &counts, sizeof(counts));
	*value = counts.value;
	return got < 0 ? got : got == sizeof(counts) ? 0 : -EAGAIN;
}

/* Read the leader of a group that may have been split.  Its own count comes first. */
static int read_leader(const struct shim_group *group, struct shim_group_counts *counts)
{
	long got;

	if (!shim_group__is_ours(&group->events[group->lead]))
		return -EBADF;
	got = shim_group__read_event(&group->events[group->lead], counts, sizeof(*counts));
	return got < 0 ? got : got ? 0 : -EAGAIN;
}

/**
 * shim_group__is_taken_apart() - whether perf has split a group
 * @group: the group of a CPU
 *
 * Return: false if it has only one event or cannot be read.
 */
bool shim_group__is_taken_apart(const struct shim_group *group)
{
	struct shim_group_counts counts;

	return group->n > 1 && !read_leader(group, &counts) && counts.nr != group->n;
}

/**
 * shim_group__read_each() - read the counts of a group that perf may have split
 * @group: the group of a CPU
 * @counts: filled in
 *
 * Return: as shim_group__read_any().
 */
int shim_group__read_each(const struct shim_group *group, struct shim_group_counts *counts)
{
	__u64 lead;
	int ret = shim_group__read_any(group, counts);

	/* Look afterwards: perf may split the group at any time, and never joins it again. */
	if (ret != -EAGAIN || !shim_group__is_taken_apart(group))
		return ret;
	ret = read_leader(group, counts);
	lead = counts->values[0];
	for (unsigned int i = 0; i < group->n && !ret; i++)
		if (i != group->lead)
			ret = read_alone(group, i, &counts->values[i]);
	counts->values[group->lead] = lead;
	counts->nr = group->n;
	return ret;
}
