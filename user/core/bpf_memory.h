/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compute the memory of BPF maps before they are created. */
#ifndef SHIM_CORE_BPF_MEMORY_H
#define SHIM_CORE_BPF_MEMORY_H

#include <stdint.h>

struct bpf_object;

uint64_t shim_bpf_memory__needed(const struct bpf_object *obj);
int shim_bpf_memory__available(uint64_t *bytes);
int shim_bpf_memory__check(const struct bpf_object *obj);

#endif /* SHIM_CORE_BPF_MEMORY_H */
