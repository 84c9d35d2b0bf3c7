// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Detect that a CPU is or was offline, for events that count only a control group.
 *
 * perf does not report that a CPU went offline, but from then on the time enabled of its events
 * lags behind the wall clock.  For a control group's events it also lags whenever the group does
 * not run, so another event on the CPU, which is not limited to the group, shows whether the CPU
 * was offline.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "perf_group.h"
#include "perf_watch.h"

/* Read a CPU's group that perf has split because the CPU went offline */

/*
 * Read one event of a group that perf may have split.
 *
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

/* Read the leader of a group that may have been split; its own count comes first. */
static int read_leader(const struct shim_group *group, struct shim_group_counts *counts)
{
	long got;

	if (!shim_group__is_ours(&group->events[group->lead]))
		return -EBADF;
	got = shim_group__read_event(&group->events[group->lead], counts, sizeof(*counts));
	return got < 0 ? got : got ? 0 : -EAGAIN;
}

/**
 * shim_group__is_taken_apart() - check whether perf has split a group
 * @group: the group of a CPU
 *
 * Return: true or false; false if the group has only one event or cannot be read.
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
 * Return: as for shim_group__read_any().
 */
int shim_group__read_each(const struct shim_group *group, struct shim_group_counts *counts)
{
	__u64 lead;
	int ret = shim_group__read_any(group, counts);

	/* Check after the read: perf may split the group at any time, and never joins it again. */
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

/**
 * shim_watch__is_online() - check whether a CPU exists and is online
 * @cpu: the CPU; a CPU without a file "online" cannot go offline
 *
 * Return: true or false; true if this cannot be read, because perf rejects an offline CPU anyway.
 */
bool shim_watch__is_online(int cpu)
{
	char path[64];
	char c = '1';
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
	if (access(path, F_OK))
		return errno != ENOENT;
	strcat(path, "/online");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	if (read(fd, &c, 1) != 1)
		c = '1';
	close(fd);
	return c != '0';
}

/**
 * shim_watch__open() - start watching a CPU
 * @watch: zero; its group is for shim_group__close() or shim_group__forget()
 * @cpu: the CPU, which is online
 *
 * Return: 0, or an error from shim_group__open().
 */
int shim_watch__open(struct shim_watch *watch, int cpu)
{
	static const struct vcpc_request nothing = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.flags = VCPC_REQ_F_USER,
	};
	struct shim_group_place place = { .tid = -1, .cpu = cpu };
	int bad, ret = shim_group__open(&watch->group, &nothing, 1, place, &bad);

	if (ret)
		return ret;
	watch->enabled = 0;
	watch->since = shim_clock__ns();
	ret = shim_group__turn(&watch->group, true);
	if (ret)
		shim_group__close(&watch->group);
	return ret;
}

/**
 * shim_watch__lags() - check whether the CPU was offline at any time since the last check
 * @watch: the event
 */
bool shim_watch__lags(struct shim_watch *watch)
{
	__u64 before = shim_clock__ns(), wall = before - watch->since;
	struct shim_group_counts counts;

	if (shim_group__read_any(&watch->group, &counts))
		return true;
	if (shim_watch__is_behind(counts.enabled - watch->enabled, wall))
		return true;
	watch->since = shim_clock__ns();
	watch->enabled = counts.enabled;
	return false;
}
