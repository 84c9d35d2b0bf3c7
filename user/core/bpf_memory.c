// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Compute the memory of BPF maps before they are created.
 *
 * The kernel allocates all rows of a map at once.  If memory runs out while it allocates rows for
 * each CPU, it does not return an error but kills processes.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/nap.h"
#include "bpf_memory.h"

#define ROW_HEAD	48	/* bytes of a hash table's row before its key */
#define BUCKET		16
/*
 * For each 4 bytes of a per-CPU allocation, the kernel also keeps a pointer to the cgroup that is
 * charged: twice the memory of one CPU.
 */
#define MORE_CPUS	2

/* While memory grows by RELEASED bytes within MOST_LOOKS looks, the kernel is still freeing maps. */
#define RELEASED	(1u << 20)
#define MOST_LOOKS	5
#define LOOK_NS		100000000

static uint64_t round8(uint64_t size)
{
	return (size + 7) / 8 * 8;
}

static uint64_t of_buckets(uint64_t rows)
{
	uint64_t n = 1;

	while (n < rows)
		n *= 2;
	return n * BUCKET;
}

static uint64_t of_map(const struct bpf_map *map)
{
	uint64_t rows = bpf_map__max_entries(map);
	uint64_t cpus = libbpf_num_possible_cpus() + MORE_CPUS;
	uint64_t key = round8(bpf_map__key_size(map)), value = round8(bpf_map__value_size(map));

	switch (bpf_map__type(map)) {
	case BPF_MAP_TYPE_HASH:
		return (rows + cpus) * (ROW_HEAD + key + value) + of_buckets(rows);
	case BPF_MAP_TYPE_LRU_HASH:
		return rows * (ROW_HEAD + key + value) + of_buckets(rows);
	case BPF_MAP_TYPE_PERCPU_HASH:
		return rows * (ROW_HEAD + key + sizeof(void *) + cpus * value) + of_buckets(rows);
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		return rows * cpus * value;
	case BPF_MAP_TYPE_ARRAY:
		return rows * value;
	case BPF_MAP_TYPE_RINGBUF:
		return rows;
	default:
		return 0;
	}
}

/**
 * shim_bpf_memory__needed() - compute the memory of the maps that an object will create
 * @obj: an object that is open but not loaded
 *
 * Return: the number of bytes.
 */
uint64_t shim_bpf_memory__needed(const struct bpf_object *obj)
{
	const struct bpf_map *map;
	uint64_t bytes = 0;

	bpf_object__for_each_map(map, obj)
		if (bpf_map__autocreate(map))
			bytes += of_map(map);
	return bytes;
}

/**
 * shim_bpf_memory__available() - get the memory that is available without swapping
 * @bytes: set on success
 *
 * Return: 0, -ENODATA if the kernel does not report it, or the error from opening /proc/meminfo.
 */
int shim_bpf_memory__available(uint64_t *bytes)
{
	FILE *f = fopen("/proc/meminfo", "re");
	int err = -ENODATA;
	char line[128];
	uint64_t kb;

	if (!f)
		return -errno;
	while (err && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "MemAvailable: %" SCNu64, &kb) == 1) {
			*bytes = kb * 1024;
			err = 0;
		}
	}
	fclose(f);
	return err;
}

/**
 * shim_bpf_memory__check() - check that the maps of an object fit into memory
 * @obj: an object that is open but not loaded
 *
 * Other programs need a quarter of the available memory to continue.  If the available memory is
 * unknown, assume that the maps fit.  The kernel frees maps in the background, so wait for those of
 * a tracing that was turned off just before.
 *
 * Return: 0 or -ENOMEM.
 */
int shim_bpf_memory__check(const struct bpf_object *obj)
{
	uint64_t needed = shim_bpf_memory__needed(obj), available, most = 0;
	int looks = 0;

	while (!shim_bpf_memory__available(&available)) {
		if (needed <= available / 4 * 3)
			return 0;
		looks = available < most + RELEASED ? looks + 1 : 0;
		if (looks == MOST_LOOKS)
			return -ENOMEM;
		if (available > most)
			most = available;
		shim_nap(LOOK_NS);
	}
	return 0;
}
