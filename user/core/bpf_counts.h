/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read the event counts of transactions. */
#ifndef SHIM_CORE_BPF_COUNTS_H
#define SHIM_CORE_BPF_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "bpf.h"
#include "bpf_slots.h"
#include "bpf_table.h"

/**
 * struct shim_bpf_counts - the rows and the buffers for reading them
 * @map: vc_count
 * @events_fd: vc_events
 * @rows: struct shim_bpf_count[@n], valid until the next read
 * @n: number of rows
 * @room: allocated rows
 * @before: during a read, number of @rows that still are of the last read
 * @version: version of the row that changed last
 * @reads: serial number of the last read
 * @own: a struct own_count, in @arena, for each tag and events that programs wrote themselves
 * @nown: number of entries in @own
 * @arena: memory of @own
 */
struct shim_bpf_counts {
	struct shim_bpf_table map;
	int events_fd;
	struct shim_bpf_count *rows;
	size_t n, room;
	size_t before;
	uint64_t version;
	uint64_t reads;
	struct shim_hash own;
	size_t nown;
	struct shim_arena arena;
};

int shim_bpf_counts__open(struct shim_bpf_counts *c);
int shim_bpf_counts__events(const struct shim_bpf_counts *c, uint64_t key, struct vc_events *events);
int shim_bpf_counts__read(struct shim_bpf_counts *c, size_t cpus);
int shim_bpf_counts__add_slot(struct shim_bpf_counts *c, uint64_t id, const struct vc_direct *slot);
void shim_bpf_counts__close(struct shim_bpf_counts *c);

#endif /* SHIM_CORE_BPF_COUNTS_H */
