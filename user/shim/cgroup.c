// SPDX-License-Identifier: LGPL-2.1-or-later
/* Bind sets to control groups, and look up a group's directory by its name. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/api.h"
#include "set.h"

/*
 * Return whether a mount has version 2's control groups, or version 1's hierarchy that perf can
 * count.
 */
static bool is_wanted(const struct mntent *mount)
{
	return !strcmp(mount->mnt_type, "cgroup2") ||
	       (!strcmp(mount->mnt_type, "cgroup") && hasmntopt(mount, "perf_event"));
}

/* Find where the hierarchy is mounted.  The caller frees @root, even on failure. */
static int find_root(char **root)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent mount;
	char line[4096];
	int ret = -ENODEV;

	if (!mounts)
		return -errno;
	while (ret == -ENODEV && getmntent_r(mounts, &mount, line, sizeof(line))) {
		if (!is_wanted(&mount))
			continue;
		*root = strdup(mount.mnt_dir);
		ret = *root ? 0 : -ENOMEM;
	}
	if (ret == -ENODEV && ferror(mounts))
		ret = -EIO;
	endmntent(mounts);
	return ret;
}

/* Return 0, -ENOENT if @folder is not a control group, or another error. */
static int check(const char *folder)
{
	struct statfs fs;
	struct stat st;

	if (stat(folder, &st) || statfs(folder, &fs))
		return -errno;
	if (!S_ISDIR(st.st_mode) ||
	    (fs.f_type != CGROUP2_SUPER_MAGIC && fs.f_type != CGROUP_SUPER_MAGIC))
		return -ENOENT;
	return 0;
}

/* Find the directory of a group.  The caller frees @folder, even on failure. */
static int find(const char *group, char **folder)
{
	char *root = NULL;
	int ret = find_root(&root);
	size_t len = ret ? 0 : strlen(root);

	if (!ret && !strncmp(group, root, len) && (group[len] == '/' || !group[len]))
		group += len;
	if (!ret && asprintf(folder, "%s/%s", root, group) < 0) {
		*folder = NULL;
		ret = -ENOMEM;
	}
	free(root);
	return ret ? ret : check(*folder);
}

/**
 * shim_set_cgroup() - count only the processes of a control group
 * @set: the set, not bound yet
 * @group: the group's name below the mount point of control groups, such as
 *	"system.slice/ssh.service", or its directory
 *
 * The set can then be bound only to CPUs, with SHIM_BIND_CPU.  It counts while a process of the
 * group or of a group below it runs there.  This is equivalent to perf stat -G.
 *
 * Return: 0, -ENOENT (no such control group), -ENODEV (control groups are not mounted), -EBUSY (the
 * set is bound or has a group), -EOPNOTSUPP (only the module counts the set, or the caller is a
 * forked child), -EINVAL, -ENOMEM, -EACCES, -EMFILE, -EIO.
 */
SHIM_API int shim_set_cgroup(struct shim_set *set, const char *group)
{
	char *folder = NULL;
	int ret;

	if (!set || !group || !*group)
		return -EINVAL;
	ret = find(group, &folder);
	if (!ret)
		ret = shim_counters__limit(set->counters, folder);
	if (!ret && set->always)
		ret = shim_counters__limit(set->always, folder);
	set->in_cgroup |= !ret;
	free(folder);
	return ret;
}
