/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read the statistics of each process's transactions. */
#ifndef SHIM_CORE_BPF_PROCESSES_H
#define SHIM_CORE_BPF_PROCESSES_H

#include "bpf.h"
#include "bpf_table.h"

struct shim_bpf_slots;

/* The rows and their map; initialize to zero, except @map.fd to -1 */
struct shim_bpf_processes {
	struct shim_bpf_table map;
	struct shim_bpf_process *rows;
	size_t n, room;
};

int shim_bpf_processes__read(struct shim_bpf_processes *p, struct shim_bpf_reader *r);
int shim_bpf_processes__add_slots(struct shim_bpf_processes *p, struct shim_bpf_reader *r,
				  const struct shim_bpf_slots *slots);
void shim_bpf_processes__close(struct shim_bpf_processes *p);

/* bpf_reader.c: functions of the reader that these functions need */
int shim_bpf_reader__events(struct shim_bpf_reader *r, uint64_t key, struct vc_events *events);
int shim_bpf_reader__slot_tag(struct shim_bpf_reader *r, const struct vc_direct *slot, uint32_t i,
			      uint64_t *id, const struct shim_bpf_tag **tag);

#endif /* SHIM_CORE_BPF_PROCESSES_H */
