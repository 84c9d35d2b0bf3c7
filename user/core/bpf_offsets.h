/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Offsets of members of kernel structs, for BPF programs without relocations. */
#ifndef SHIM_CORE_BPF_OFFSETS_H
#define SHIM_CORE_BPF_OFFSETS_H

#include "bpf/trace.h"

int shim_bpf_offsets__find(struct vc_offsets *offsets);

#endif /* SHIM_CORE_BPF_OFFSETS_H */
