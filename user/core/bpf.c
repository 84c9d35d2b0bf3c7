// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tracing on and off: load the BPF programs, attach them to the module's
 * tracepoints, and pin maps and links, so that they outlive this process.
 *
 * Locking: flock() on the BPF file system's root, so that one process on the
 * machine changes the pins at a time.  What is on is in VC_PIN_DIR, whole:
 * pins are made in NEW_DIR, which is renamed when all is there.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/magic.h>

#include "bpf.h"
#include "trace.skel.h"

#define BPF_ROOT	"/sys/fs/bpf"
#define NEW_DIR		BPF_ROOT "/vcpc_new"	/* the file system keeps dots for itself */
#define LINK_PREFIX	"link_"
#define MAX_LINKS	16

/* All rows are allocated at once, for each CPU. */
#define STAT_MEMORY	(128u << 20)
#define MIN_TAGS	256u

/* What is not allowed is one error for the caller, whoever said no. */
static int permission(int err)
{
	return err == -EACCES ? -EPERM : err;
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

/* Not for ever: where all may enter the folder, all may lock it. */
static int lock_for_a_while(int dir)
{
	const struct timespec pause = { .tv_nsec = 10000000 };

	for (int tries = 0; tries < 500; tries++) {
		/* A kernel may have been built without locks. */
		if (!flock(dir, LOCK_EX | LOCK_NB) || errno == ENOSYS)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return -EBUSY;
}

/* Holds the lock until the descriptor is closed. */
static int lock_root(int *fd, int mount_it)
{
	int dir, err = open_root(&dir);

	if (err == -ENOENT && mount_it) {
		if (mount("bpf", BPF_ROOT, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700"))
			return permission(errno == ENODEV ? -ENOSYS : -errno);
		err = open_root(&dir);
	}
	if (err)
		return permission(err);
	err = lock_for_a_while(dir);
	if (err)
		close(dir);
	else
		*fd = dir;
	return err;
}

/* The ids of the links pinned in a folder, at most @max */
static size_t link_ids(const char *path, uint32_t *ids, size_t max)
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
 * The kernel detaches a link some time after its pin is gone; until then the
 * module cannot be unloaded.  Wait for it, up to a second.
 */
static void wait_detached(const uint32_t *ids, size_t n)
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

static int remove_pins(const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	int err = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (unlinkat(dirfd(dir), entry->d_name, 0) && !err)
			err = -errno;
	}
	closedir(dir);
	if (!err && rmdir(path))
		err = -errno;
	return err;
}

static uint32_t default_tags(void)
{
	uint64_t row = sizeof(struct vc_stat) * (uint64_t)libbpf_num_possible_cpus();
	uint64_t rows = STAT_MEMORY / row;

	if (rows > VC_MAX_TAGS)
		return VC_MAX_TAGS;
	return rows < MIN_TAGS ? MIN_TAGS : rows;
}

static int set_limits(struct vc_trace *skel, struct shim_bpf_limits limits)
{
	uint32_t tags = limits.tags ? limits.tags : default_tags();
	uint32_t open = limits.open ? limits.open : VC_MAX_OPEN;
	int err = bpf_map__set_max_entries(skel->maps.vc_tag, tags);

	if (!err)
		err = bpf_map__set_max_entries(skel->maps.vc_stat, tags);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.vc_open, open);
	return err;
}

static int pin_maps(struct vc_trace *skel, const char *dir)
{
	struct bpf_map *const maps[] = {
		skel->maps.vc_tag, skel->maps.vc_open, skel->maps.vc_stat, skel->maps.vc_drop,
	};
	char pin[sizeof(BPF_ROOT) + NAME_MAX + 32];

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		int err;

		snprintf(pin, sizeof(pin), "%s/%s", dir, bpf_map__name(maps[i]));
		err = bpf_map__pin(maps[i], pin);
		if (err)
			return err;
	}
	return 0;
}

static int attach(struct bpf_program *prog, const char *dir)
{
	char pin[sizeof(BPF_ROOT) + NAME_MAX + 32];
	struct bpf_link *link = bpf_program__attach(prog);
	int err;

	/* The kernel knows no tracepoint of that name: nobody offers it. */
	if (!link)
		return errno == ENOENT ? -ENODEV : -errno;
	snprintf(pin, sizeof(pin), "%s/" LINK_PREFIX "%s", dir, bpf_program__name(prog));
	err = bpf_link__pin(link, pin);
	bpf_link__destroy(link);
	return err;
}

static int pin_all(struct vc_trace *skel, const char *dir)
{
	struct bpf_program *prog;
	int err = pin_maps(skel, dir);

	if (err)
		return err;
	bpf_object__for_each_program(prog, skel->obj) {
		err = attach(prog, dir);
		if (err)
			return err;
	}
	return 0;
}

/* All pins, or none: they are made in another folder first. */
static int publish(struct vc_trace *skel)
{
	int err;

	if (!access(VC_PIN_DIR, F_OK))
		return -EEXIST;
	/* Left by a process that died in here: we hold the lock. */
	err = remove_pins(NEW_DIR);
	if (!err && mkdir(NEW_DIR, 0700))
		err = -errno;
	if (err)
		return err;
	err = pin_all(skel, NEW_DIR);
	if (!err && rename(NEW_DIR, VC_PIN_DIR))
		err = -errno;
	if (err)
		remove_pins(NEW_DIR);
	return err;
}

static int switch_on(struct shim_bpf_limits limits)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct vc_trace *skel = vc_trace__open();
	int err = skel ? set_limits(skel, limits) : -errno;

	/* First, as it tells who may not from what cannot be. */
	if (!err)
		err = vc_trace__load(skel);
	if (!err)
		err = publish(skel);
	vc_trace__destroy(skel);
	libbpf_set_print(print);
	return err;
}

/**
 * shim_bpf__on() - turn the machine's tracing on
 * @limits: sizes of the maps
 *
 * Mounts the BPF file system if it is not there, and leaves it there, also if
 * what follows fails.
 *
 * Return: 0; -EPERM without the privilege, -ENODEV without the module,
 *	-EEXIST if tracing is on, -EBUSY if somebody else has locked the file system
 *	for seconds, -ENOSYS if the kernel has no BPF, -ENOMEM and others.
 */
int shim_bpf__on(struct shim_bpf_limits limits)
{
	int lock, err = lock_root(&lock, 1);

	if (err)
		return err;
	err = permission(switch_on(limits));
	close(lock);
	return err;
}

/**
 * shim_bpf__off() - turn it off, and forget all statistics
 *
 * Return: 0; -ENOENT if tracing is off, -EPERM without the privilege.
 */
int shim_bpf__off(void)
{
	uint32_t ids[MAX_LINKS];
	size_t n = 0;
	int lock, err = lock_root(&lock, 0);

	if (err)
		return err;
	err = remove_pins(NEW_DIR);
	/* One step for those who look: there is no half of it. */
	if (!err && rename(VC_PIN_DIR, NEW_DIR))
		err = -errno;
	if (!err) {
		n = link_ids(NEW_DIR, ids, MAX_LINKS);
		err = remove_pins(NEW_DIR);
	}
	close(lock);
	wait_detached(ids, n);
	return permission(err);
}

/**
 * shim_bpf__status() - is tracing on?
 *
 * Return: 1 if it is, 0 if not, -EPERM if the caller may not know.
 */
int shim_bpf__status(void)
{
	if (!access(VC_PIN_DIR, F_OK))
		return 1;
	return errno == ENOENT ? 0 : permission(-errno);
}
