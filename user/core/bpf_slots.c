// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading the statistics that programs write themselves.
 *
 * Any of them could have written anything: what is read is copied, and checked.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bpf_slots.h"

static int map_pin(const char *path, size_t value, const void **memory, size_t *n)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);
	int fd = bpf_obj_get(path);
	void *map;
	int err = 0;

	if (fd < 0)
		return errno == EACCES ? -EPERM : -errno;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		err = -errno;
	else if (info.type != BPF_MAP_TYPE_ARRAY || info.value_size != value ||
		 !(info.map_flags & BPF_F_MMAPABLE))
		err = -EPROTO;
	if (!err) {
		map = mmap(NULL, value * info.max_entries, PROT_READ, MAP_SHARED, fd, 0);
		err = map == MAP_FAILED ? -errno : 0;
		*memory = map;
		*n = info.max_entries;
	}
	close(fd);
	return err;
}

/**
 * shim_bpf_slots__open() - map them
 * @slots: filled in; for shim_bpf_slots__close(), also after an error
 *
 * Return: 0, -ENOENT, -EPERM, -EPROTO, or another errno.
 */
int shim_bpf_slots__open(struct shim_bpf_slots *slots)
{
	const void *at, *tick;
	size_t one;
	int err = map_pin(VC_PIN_DIR "/vc_direct", sizeof(struct vc_direct), &at, &slots->n);

	if (err)
		return err;
	slots->at = at;
	err = map_pin(VC_PIN_DIR "/vc_tick", sizeof(struct vc_tick), &tick, &one);
	if (!err)
		slots->tick = tick;
	return err;
}

/* Copy one: 1, or 0 if there is nothing in it */
int shim_bpf_slots__read(const struct shim_bpf_slots *slots, size_t i, struct vc_direct *slot)
{
	uint32_t kind = __atomic_load_n(&slots->at[i].kind, __ATOMIC_ACQUIRE);

	if (kind < VC_TRANSACT || kind > VC_COUNTER)
		return 0;
	memcpy(slot, &slots->at[i], sizeof(*slot));
	slot->kind = kind;
	slot->name[sizeof(slot->name) - 1] = '\0';
	return slot->name[0] && (slot->stat.count || slot->stat.aborted);
}

/* How many events had no slot */
uint64_t shim_bpf_slots__lost(const struct shim_bpf_slots *slots)
{
	return slots->tick ? slots->tick->lost : 0;
}

void shim_bpf_slots__close(struct shim_bpf_slots *slots)
{
	if (slots->at)
		munmap((void *)slots->at, slots->n * sizeof(*slots->at));
	if (slots->tick)
		munmap((void *)slots->tick, sizeof(*slots->tick));
}
