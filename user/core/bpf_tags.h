/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Store the tags that a reader has seen, with their names and labels. */
#ifndef SHIM_CORE_BPF_TAGS_H
#define SHIM_CORE_BPF_TAGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "bpf.h"
#include "bpf/trace.h"
#include "bpf_table.h"

/**
 * struct shim_bpf_known - a tag
 * @by_id: node in @ids of struct shim_bpf_tags
 * @by_name: node in @names
 * @by_owner: node in @owners
 * @by_slot: node in @slots, for a tag with statistics that programs write themselves
 * @id: its ID
 * @several: several users have tags with its name, so its label includes the user
 * @place: private to the reader: for each kind, the index of the tag's row in the statistics of a
 *	read, and that read's number
 * @tag: its name and label
 */
struct shim_bpf_known {
	struct shim_hnode by_id;
	struct shim_hnode by_name;
	struct shim_hnode by_owner;
	struct shim_hnode by_slot;
	uint64_t id;
	int several;
	struct {
		uint64_t read;
		size_t at;
	} place[VC_COUNTER - VC_TRANSACT + 1];
	struct shim_bpf_tag tag;
};

/*
 * @fd: vc_tag; the caller opens it.  @ids, @names, @owners (name and user), @slots: tables of
 *	struct shim_bpf_known, allocated in the arena.  One name may have many successive IDs and
 *	many users, so a table by name alone would make some lookups slow.
 */
struct shim_bpf_tags {
	int fd;
	struct shim_hash ids, names, owners, slots;
	struct shim_arena arena;
};

void shim_bpf_tags__init(struct shim_bpf_tags *t);
int shim_bpf_tags__get(struct shim_bpf_tags *t, uint64_t id, const struct shim_bpf_tag **tag);
int shim_bpf_tags__of_slot(struct shim_bpf_tags *t, const struct vc_direct *slot, uint32_t i,
			   uint64_t *id, const struct shim_bpf_tag **tag);
struct shim_bpf_known *shim_bpf_tags__find_slot(const struct shim_bpf_tags *t,
						const struct vc_direct *slot);
struct shim_bpf_known *shim_bpf_tags__first(const struct shim_bpf_tags *t, const char *name,
					    uint32_t user);
struct shim_bpf_known *shim_bpf_tags__next(const struct shim_bpf_known *known);
size_t shim_bpf_tags__n(const struct shim_bpf_tags *t);
void shim_bpf_tags__forget(struct shim_bpf_tags *t);
void shim_bpf_tags__close(struct shim_bpf_tags *t);

/* Read the statistics of each process's transactions. */

struct shim_bpf_slots;

/* The rows and their map; initialize @map.fd to -1, and everything else to zero */
struct shim_bpf_processes {
	struct shim_bpf_table map;
	struct shim_bpf_process *rows;
	size_t n, room;
};

int shim_bpf_processes__read(struct shim_bpf_processes *p, struct shim_bpf_reader *r);
int shim_bpf_processes__add_slots(struct shim_bpf_processes *p, struct shim_bpf_reader *r,
				  const struct shim_bpf_slots *slots);
void shim_bpf_processes__close(struct shim_bpf_processes *p);

/* Functions of bpf_reader.c that this file calls */
int shim_bpf_reader__events(struct shim_bpf_reader *r, uint64_t key, struct vc_events *events);
int shim_bpf_reader__slot_tag(struct shim_bpf_reader *r, const struct vc_direct *slot, uint32_t i,
			      uint64_t *id, const struct shim_bpf_tag **tag);

#endif /* SHIM_CORE_BPF_TAGS_H */
