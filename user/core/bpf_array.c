// SPDX-License-Identifier: LGPL-2.1-or-later
/* Mapping a pinned BPF array into memory. */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bpf_array.h"
#include "bpf_pins.h"

/* What is pinned there need not be ours: check its type and the size of its elements. */
static int check(int fd, size_t value, size_t *n)
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
 * shim_bpf_array__length() - how many elements a pinned array has
 * @path: its pin
 * @value: an element's size in bytes
 * @n: written on success
 *
 * Return: as shim_bpf_array__map(); the caller needs no more than the permission to read.
 */
int shim_bpf_array__length(const char *path, size_t value, size_t *n)
{
	int fd = shim_bpf_pins__open_to_read(path), err;

	if (fd < 0)
		return shim_bpf_pins__error(-errno);
	err = check(fd, value, n);
	close(fd);
	return err;
}

/**
 * shim_bpf_array__map() - map a pinned array, if its elements have the expected size
 * @path: its pin
 * @value: an element's size in bytes, a multiple of 8, so that they lie without gaps
 * @prot: of the mapping, as for mmap()
 * @memory: its first element; for munmap(), with @n times @value bytes
 * @n: how many there are
 *
 * The kernel maps it only for who may write, too, whatever @prot is.
 *
 * Return: 0, -ENOENT, -EPERM, -EPROTO if it is no such array, or another errno.
 */
int shim_bpf_array__map(const char *path, size_t value, int prot, void **memory, size_t *n)
{
	int fd = bpf_obj_get(path);
	void *map;
	int err;

	if (fd < 0)
		return shim_bpf_pins__error(-errno);
	err = check(fd, value, n);
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
