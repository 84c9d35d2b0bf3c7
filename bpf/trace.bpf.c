// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The module's trace events, from its tracepoints into the maps. */
#include "event.bpf.h"

#define ARG(ctx, n, type)	((type)(ctx)->args[n])

/* begin, end and abort come as (tag, id, flags, name) */
static __always_inline struct vc_event vc_transaction(struct bpf_raw_tracepoint_args *ctx)
{
	return (struct vc_event) {
		.tag = ARG(ctx, 0, __u32),
		.id = ARG(ctx, 1, __u32),
		.flags = ARG(ctx, 2, __u32),
		.from = VC_NAME_KERNEL,
		.name = ARG(ctx, 3, const char *),
	};
}

SEC("raw_tp/vcpc_begin")
int vc_on_begin(struct bpf_raw_tracepoint_args *ctx)
{
	struct vc_event ev = vc_transaction(ctx);

	vc_begin(&ev);
	return 0;
}

SEC("raw_tp/vcpc_end")
int vc_on_end(struct bpf_raw_tracepoint_args *ctx)
{
	struct vc_event ev = vc_transaction(ctx);

	vc_end(&ev);
	return 0;
}

SEC("raw_tp/vcpc_abort")
int vc_on_abort(struct bpf_raw_tracepoint_args *ctx)
{
	struct vc_event ev = vc_transaction(ctx);

	vc_close(&ev);
	return 0;
}

/* point, observation and counter come as (tag, op, value, name) */
SEC("raw_tp/vcpc_value")
int vc_on_value(struct bpf_raw_tracepoint_args *ctx)
{
	struct vc_event ev = {
		.tag = ARG(ctx, 0, __u32),
		.from = VC_NAME_KERNEL,
		.name = ARG(ctx, 3, const char *),
	};

	vc_value(&ev, ARG(ctx, 1, __u32), ARG(ctx, 2, __u64));
	return 0;
}

struct bpf_map;

/* Which rows of vc_open go: those of a process or of a tag; 0 is no tag and no process. */
struct vc_whose {
	__u32 tgid;
	__u32 tag;
};

static long vc_drop_row(struct bpf_map *map, struct vc_open_key *key, struct vc_open_val *open,
			struct vc_whose *whose)
{
	struct vc_open_key row = *key;

	(void)map;
	if ((whose->tgid && open->tgid == whose->tgid) || (whose->tag && row.tag == whose->tag))
		bpf_map_delete_elem(&vc_open, &row);
	return 0;
}

/* A process closed its trace descriptor: (tgid) */
SEC("raw_tp/vcpc_gone")
int vc_on_gone(struct bpf_raw_tracepoint_args *ctx)
{
	struct vc_whose whose = { .tgid = ARG(ctx, 0, __u32) };

	bpf_for_each_map_elem(&vc_open, vc_drop_row, &whose, 0);
	return 0;
}

/* A tag's id will never be seen again: (tag) */
SEC("raw_tp/vcpc_tag_put")
int vc_on_tag_put(struct bpf_raw_tracepoint_args *ctx)
{
	struct vc_whose whose = { .tag = ARG(ctx, 0, __u32) };
	struct vc_stat_key key = { .tag = whose.tag };

#pragma unroll
	for (__u32 kind = VC_TRANSACT; kind <= VC_COUNTER; kind++) {
		key.kind = kind;
		bpf_map_delete_elem(&vc_stat, &key);
	}
	bpf_map_delete_elem(&vc_tag, &whose.tag);
	bpf_for_each_map_elem(&vc_open, vc_drop_row, &whose, 0);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
