// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Access the pins in the BPF file system: directory, lock, links, mapped arrays.  Find offsets in
 * kernel structs, and create accounts.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/lines.h"
#include "base/nap.h"
#include "bpf_pins.h"
#include "event.h"

/* Report a missing permission as -EPERM, regardless of which layer denied access. */
int shim_bpf_pins__error(int err)
{
	return err == -EACCES ? -EPERM : err;
}

/* Find out whether a path exists.  Return 1, 0, or a negated errno if this is unknown. */
int shim_bpf_pins__exists(const char *path)
{
	if (!access(path, F_OK))
		return 1;
	return errno == ENOENT ? 0 : shim_bpf_pins__error(-errno);
}

/* Open a pinned map, read-only if necessary.  Return a descriptor, or -1 with errno set. */
static int pin_open(const char *path)
{
	LIBBPF_OPTS(bpf_obj_get_opts, only, .file_flags = BPF_F_RDONLY);
	int map = bpf_obj_get(path);

	if (map < 0 && (errno == EACCES || errno == EPERM))
		map = bpf_obj_get_opts(path, &only);
	return map;
}

/*
 * Open a pinned map to read it.  Its type and sizes must match, because its rows are read into
 * structs of fixed size.  The caller must close @fd if it is set, even on failure.
 */
int shim_bpf_pins__map(const char *path, uint32_t type, size_t key, size_t value, int *fd)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);
	int map = pin_open(path);

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

/* Give up after 5 seconds, because any user who can open the directory can keep it locked. */
static int lock_for_a_while(int dir)
{
	for (int tries = 0; tries < 500; tries++) {
		/* ENOSYS: the kernel was built without file locks. */
		if (!flock(dir, LOCK_EX | LOCK_NB) || errno == ENOSYS)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		shim_nap(10000000);
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
 * Get the IDs of at most @max programs whose links are pinned in a directory.  Links that cannot be
 * read are skipped, because the caller only waits for the programs to end.
 */
size_t shim_bpf_pins__programs(const char *path, uint32_t *ids, size_t max)
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
			ids[n++] = info.prog_id;
		close(fd);
	}
	if (dir)
		closedir(dir);
	return n;
}

/*
 * The kernel detaches a link some time after its pin is removed.  Until then the module cannot be
 * unloaded.  The link's ID disappears before the link is detached, and the program's ID disappears
 * afterwards.  Wait at most one second until @open finds none of the IDs.
 */
void shim_bpf_pins__wait_gone(const uint32_t *ids, size_t n, int (*open)(uint32_t id))
{
	for (int tries = 0; n && tries < 1000; tries++) {
		int fd = open(ids[n - 1]);

		if (fd < 0) {
			n--;
			continue;
		}
		close(fd);
		shim_nap(1000000);
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
		/* If a link cannot be removed, still remove the others. */
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

/*
 * Get the inode of vc_stat, which changes when tracing is turned off and on.  Return 0 or an errno.
 */
int shim_bpf_pins__inode(ino_t *inode)
{
	struct stat st;

	if (stat(VC_PIN_DIR "/vc_stat", &st))
		return errno == EACCES ? -EPERM : -errno;
	*inode = st.st_ino;
	return 0;
}

/* Map a pinned BPF array into memory. */

/* The pin may be another program's map: check its type and the size of its elements. */
static int pin_check(int fd, size_t value, size_t *n)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	if (info.type != BPF_MAP_TYPE_ARRAY || info.value_size != value ||
	    !(info.map_flags & BPF_F_MMAPABLE))
		return -EPROTO;
	*n = info.max_entries;
	return 0;
}

/**
 * shim_bpf_array__length() - get the number of elements of a pinned array
 * @path: its pin
 * @value: an element's size in bytes
 * @n: written on success
 *
 * Return: as for shim_bpf_array__map(); read permission is sufficient.
 */
int shim_bpf_array__length(const char *path, size_t value, size_t *n)
{
	int fd = pin_open(path), err;

	if (fd < 0)
		return shim_bpf_pins__error(-errno);
	err = pin_check(fd, value, n);
	close(fd);
	return err;
}

/**
 * shim_bpf_array__map() - map a pinned array, if its elements have the expected size
 * @path: its pin
 * @value: an element's size in bytes, a multiple of 8, so that there are no gaps between
 *   elements
 * @prot: protection of the mapping, as for mmap()
 * @memory: on success, the first element, for munmap() with @n * @value bytes
 * @n: on success, the number of elements
 *
 * Regardless of @prot, the kernel requires write permission to map an array.
 *
 * Return: 0, -ENOENT, -EPERM, -EPROTO if it is not an array of this element size, or
 * another errno.
 */
int shim_bpf_array__map(const char *path, size_t value, int prot, void **memory, size_t *n)
{
	int fd = bpf_obj_get(path);
	void *map;
	int err;

	if (fd < 0)
		return shim_bpf_pins__error(-errno);
	err = pin_check(fd, value, n);
	if (!err) {
		map = mmap(NULL, value * *n, prot, MAP_SHARED, fd, 0);
		if (map == MAP_FAILED)
			err = -errno;
		else
			*memory = map;
	}
	close(fd);
	return err;
}

/* Find the offsets of kernel struct members, for BPF programs without relocations. */

/* Return the byte offset of a member, including members of anonymous structs and unions, or -1. */
static int offset_in(const struct btf *btf, int id, const char *name)
{
	const struct btf_type *type = btf__type_by_id(btf, btf__resolve_type(btf, id));
	const struct btf_member *member;

	if (!type || !btf_is_composite(type))
		return -1;
	member = btf_members(type);
	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		const char *its = btf__name_by_offset(btf, member[i].name_off);
		int at = btf_member_bit_offset(type, i) / 8, inner;

		if (its && !strcmp(its, name))
			return at;
		inner = its && *its ? -1 : offset_in(btf, member[i].type, name);
		if (inner >= 0)
			return at + inner;
	}
	return -1;
}

static int offset_of(const struct btf *btf, const char *type, const char *member)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);

	return id < 0 ? -1 : offset_in(btf, id, member);
}

/**
 * shim_bpf_offsets__find() - find the members that vc_account_of() in bpf/users.bpf.h reads
 * @offsets: written; all zero if this kernel has no BTF or lacks one of the members
 *
 * Without the offsets, the programs distinguish users less exactly.  Therefore this fails if memory
 * or descriptors run out, instead of returning zeroes.
 *
 * Return: 0, or an error for which shim_event__is_trouble() returns true.
 */
int shim_bpf_offsets__find(struct vc_offsets *offsets)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int err = btf ? 0 : -errno;
	const struct {
		const char *type, *member;
		__u32 *at;
	} wanted[] = {
		{ "task_struct", "cred", &offsets->task_cred },
		{ "cred", "user_ns", &offsets->cred_user_ns },
		{ "cred", "cap_effective", &offsets->cred_caps },
		{ "user_namespace", "parent", &offsets->user_ns_parent },
		{ "user_namespace", "level", &offsets->user_ns_level },
		{ "user_namespace", "owner", &offsets->user_ns_owner },
		{ "user_namespace", "ns", &offsets->user_ns_inum },
	};
	int inum = btf ? offset_of(btf, "ns_common", "inum") : -1;

	*offsets = (struct vc_offsets) { 0 };
	for (size_t i = 0; inum >= 0 && i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		int at = offset_of(btf, wanted[i].type, wanted[i].member);

		if (at < 0)
			inum = -1;
		else
			*wanted[i].at = at;
	}
	if (inum < 0)
		*offsets = (struct vc_offsets) { 0 };
	else
		offsets->user_ns_inum += inum;
	btf__free(btf);
	return shim_event__is_trouble(err) ? err : 0;
}

/**
 * shim_bpf_accounts__open() - create the permanent accounts in vc_user
 * @obj: a loaded object
 *
 * These are root's account, for its losses, and two that belong to no user.
 *
 * Return: 0 or a negated errno.
 */
int shim_bpf_accounts__open(struct bpf_object *obj)
{
	static const __u64 accounts[] = { 0, VC_USER_ALL, VC_USER_OTHERS };
	const struct vc_user none = { .rows = { 0 } };
	int fd = bpf_object__find_map_fd_by_name(obj, "vc_user");

	for (size_t i = 0; i < sizeof(accounts) / sizeof(accounts[0]); i++)
		if (bpf_map_update_elem(fd, &accounts[i], &none, BPF_NOEXIST))
			return -errno;
	return 0;
}
