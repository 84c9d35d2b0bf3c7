// SPDX-License-Identifier: LGPL-2.1-or-later
/* The directory of pins in the BPF file system: its lock, its links, and its removal. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/magic.h>

#include "bpf_pins.h"
#include "base/lines.h"

/* Report missing permission as -EPERM, regardless of which layer denied it. */
int shim_bpf_pins__error(int err)
{
	return err == -EACCES ? -EPERM : err;
}

/* Open a pinned map, if necessary read-only.  Return a descriptor, or -1 with errno set. */
int shim_bpf_pins__open_to_read(const char *path)
{
	LIBBPF_OPTS(bpf_obj_get_opts, only, .file_flags = BPF_F_RDONLY);
	int map = bpf_obj_get(path);

	if (map < 0 && (errno == EACCES || errno == EPERM))
		map = bpf_obj_get_opts(path, &only);
	return map;
}

/*
 * Open a pinned map to read it.  Its type and sizes must match, because its rows are read into our
 * structs.  @fd may be set even on failure; the caller has to close it.
 */
int shim_bpf_pins__map(const char *path, uint32_t type, size_t key, size_t value, int *fd)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);
	int map = shim_bpf_pins__open_to_read(path);

	if (map < 0)
		return shim_bpf_pins__error(-errno);
	*fd = map;
	if (bpf_obj_get_info_by_fd(map, &info, &len))
		return -errno;
	if (info.type != type || info.key_size != key || info.value_size != value)
		return -EPROTO;
	return 0;
}

static int open_root(int *fd)
{
	struct statfs fs;
	int dir = open(BPF_ROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = 0;

	if (dir < 0)
		return -errno;
	if (fstatfs(dir, &fs))
		err = -errno;
	else if (fs.f_type != BPF_FS_MAGIC)
		err = -ENOENT;
	if (err)
		close(dir);
	else
		*fd = dir;
	return err;
}

/* Give up after 5 seconds: any user who can open the directory can keep it locked. */
static int lock_for_a_while(int dir)
{
	const struct timespec pause = { .tv_nsec = 10000000 };

	for (int tries = 0; tries < 500; tries++) {
		/* ENOSYS: the kernel was built without file locks. */
		if (!flock(dir, LOCK_EX | LOCK_NB) || errno == ENOSYS)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return -EBUSY;
}

/* The lock is held until the caller closes the descriptor. */
int shim_bpf_pins__lock(int *fd, int mount_it)
{
	int dir, err = open_root(&dir);

	if (err == -ENOENT && mount_it) {
		if (mount("bpf", BPF_ROOT, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700"))
			return shim_bpf_pins__error(errno == ENODEV ? -ENOSYS : -errno);
		err = open_root(&dir);
	}
	if (err)
		return shim_bpf_pins__error(err);
	err = lock_for_a_while(dir);
	if (err)
		close(dir);
	else
		*fd = dir;
	return err;
}

/*
 * Get the IDs of the links pinned in a directory, at most @max.  Those that cannot be read are left
 * out: the caller only waits until they are detached.
 */
size_t shim_bpf_pins__links(const char *path, uint32_t *ids, size_t max)
{
	struct bpf_link_info info;
	char pin[sizeof(BPF_ROOT) + NAME_MAX + 32];
	struct dirent *entry;
	DIR *dir = opendir(path);
	size_t n = 0;

	while (dir && n < max && (entry = readdir(dir))) {
		uint32_t len = sizeof(info);
		int fd;

		if (strncmp(entry->d_name, LINK_PREFIX, strlen(LINK_PREFIX)))
			continue;
		snprintf(pin, sizeof(pin), "%s/%s", path, entry->d_name);
		fd = bpf_obj_get(pin);
		if (fd < 0)
			continue;
		memset(&info, 0, sizeof(info));
		if (!bpf_obj_get_info_by_fd(fd, &info, &len))
			ids[n++] = info.id;
		close(fd);
	}
	if (dir)
		closedir(dir);
	return n;
}

/*
 * The kernel detaches a link some time after its pin was removed.  Until then the module cannot be
 * unloaded.  Wait for it, at most one second.
 */
void shim_bpf_pins__wait_detached(const uint32_t *ids, size_t n)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	for (int tries = 0; n && tries < 1000; tries++) {
		int fd = bpf_link_get_fd_by_id(ids[n - 1]);

		if (fd < 0) {
			n--;
			continue;
		}
		close(fd);
		nanosleep(&ms, NULL);
	}
}

int shim_bpf_pins__remove(const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	int err = 0, more;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while ((more = shim_entries__next(dir, &entry)) > 0) {
		if (entry->d_name[0] == '.')
			continue;
		/* The others are removed nevertheless. */
		if (unlinkat(dirfd(dir), entry->d_name, 0) && !err)
			err = -errno;
	}
	closedir(dir);
	if (!err)
		err = more;
	if (!err && rmdir(path))
		err = -errno;
	return err;
}
