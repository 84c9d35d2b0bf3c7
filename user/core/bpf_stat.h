/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Add up the statistics of a tag over CPUs, and over threads that write their own statistics. */
#ifndef SHIM_CORE_BPF_STAT_H
#define SHIM_CORE_BPF_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "bpf.h"
#include "bpf/trace.h"
#include "bpf_table.h"

void shim_bpf_stat__add(struct vc_stat *restrict total, const struct vc_stat *restrict more);
void shim_bpf_stat__clear(struct shim_bpf_stat *row);
void shim_bpf_stat__add_up(struct shim_bpf_stat *row, const struct vc_stat *cpus, size_t n);
bool shim_bpf_stat__add_part(struct shim_bpf_stat *row, const struct vc_stat *cpu, uint32_t first,
			     uint32_t end);
bool shim_bpf_stat__rests(const struct vc_stat *total, const struct vc_stat *cpus, size_t n);
bool shim_bpf_stat__is_whole(const struct shim_bpf_stat *row);
int shim_bpf_stat__add_drops(int fd, size_t cpus, uint64_t sums[VC_DROP_NR]);

/* Read the statistics that programs write themselves. */

/*
 * Set in the ID of a tag if programs write its statistics themselves.  The rest of the ID is the
 * index of the first slot.
 */
#define SHIM_DIRECT_ID	(1ull << 63)

struct shim_bpf_slots {
	const struct vc_direct *at;	/* NULL if there are no slots */
	const struct vc_tick *tick;
	size_t n;
};

/* Return whether the slot's transactions have counts.  If so, its events have been written. */
static inline bool shim_bpf_slots__counts(const struct shim_bpf_slots *slots, size_t i)
{
	return __atomic_load_n(&slots->at[i].count.count, __ATOMIC_ACQUIRE);
}

int shim_bpf_slots__open(struct shim_bpf_slots *slots);
int shim_bpf_slots__read(const struct shim_bpf_slots *slots, size_t i, struct vc_direct *slot);
uint64_t shim_bpf_slots__not_counted(const struct shim_bpf_slots *slots);
uint64_t shim_bpf_slots__lost(const struct shim_bpf_slots *slots);
void shim_bpf_slots__close(struct shim_bpf_slots *slots);

/* Read the event counts of transactions. */

/**
 * struct shim_bpf_counts - the rows and the buffers for reading them
 * @map: vc_count
 * @events_fd: vc_events
 * @rows: struct shim_bpf_count[@n], valid until the next read
 * @n: number of rows
 * @room: allocated rows
 * @before: during a read, number of @rows that are still from the last read
 * @version: version of the row that changed last
 * @reads: serial number of the last read
 * @own: for each tag and the events that programs counted for it themselves, a struct own_count in
 *	@arena
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

#endif /* SHIM_CORE_BPF_STAT_H */
