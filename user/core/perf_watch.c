// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find out that a CPU is offline, or was, if the events on it count only a control group.
 *
 * Perf does not report that a CPU went offline, but from then on the enabled time of its events lags
 * behind the wall clock.  That of a control group's events does so whenever the group does not run.
 * Therefore another event on the CPU, of no group, shows the difference.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "perf_watch.h"

/** shim_watch__is_online() - whether a CPU exists and is online; without a file "online" it cannot go offline */
bool shim_watch__is_online(int cpu)
{
	char path[64];
	char c = '1';
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
	if (access(path, F_OK))
		return false;
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
 * shim_watch__open() - begin to watch a CPU
 * @watch: zero; its group is for shim_group__close() or shim_group__forget()
 * @cpu: the CPU, which is online
 *
 * Return: 0, or an error of shim_group__open().
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
 * shim_watch__lags() - whether the CPU was offline at any time since the last look
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
