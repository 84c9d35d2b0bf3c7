// SPDX-License-Identifier: LGPL-2.1-or-later
/* Map a pinned BPF array into memory. */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bpf_array.h"
#include "bpf_pins.h"

/* The pin may be another program's map: check its type and the size of its elements. */
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
 * shim_bpf_array__length() - get the number of elements of a pinned array
 * @path: its pin
 * @value: an element's size in bytes
 * @n: written on success
 *
 * Return: as shim_bpf_array__map(); read permission is sufficient.
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
 * @value: an element's size in bytes, a multiple of 8, so there are no gaps between elements
 * @prot: protection of the mapping, as for mmap()
 * @memory: on success, the first element, for munmap() with @n * @value bytes
 * @n: on success, the number of elements
 *
 * Regardless of @prot, the kernel requires write permission to map an array.
 *
 * Return: 0, -ENOENT, -EPERM, -EPROTO if it is not such an array, or another errno.
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
