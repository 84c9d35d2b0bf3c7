/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The map of statistics, shared by the tracing programs and a reader's program */
#ifndef VCPC_BPF_STAT_H
#define VCPC_BPF_STAT_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "trace.h"

/* tag and kind -> statistics */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, VC_MAX_TAGS);
	__type(key, struct vc_stat_key);
	__type(value, struct vc_stat);
} vc_stat SEC(".maps");

#endif /* VCPC_BPF_STAT_H */
