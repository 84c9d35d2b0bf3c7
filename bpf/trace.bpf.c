// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Record the module's trace events, received through its tracepoints, in the maps. */
#include "event.bpf.h"
#include "gone.bpf.h"
#include "transaction.bpf.h"

/*
 * Called when the last copy of a trace descriptor is closed.  Argument: (struct vc_gone).  The
 * module repeats the event until the program leaves @next unchanged.
 *
 * Programs are attached in the order of this file, starting with those that delete rows.  Therefore
 * no row remains if a file is closed, or a tag removed, while tracing is being turned on.
 */
SEC("raw_tp.w/vcpc_gone")
int vc_on_gone(struct bpf_raw_tracepoint_args *ctx)
{
	struct vc_gone *gone = ARG(ctx, 0, struct vc_gone *);

	if (!vc_file_gone(gone->file, gone->next))
		gone->next++;
	return 0;
}

/* Called when a tag is removed.  Its ID is never reused.  Argument: (tag) */
SEC("raw_tp/vcpc_tag_put")
int vc_on_tag_put(struct bpf_raw_tracepoint_args *ctx)
{
	vc_tag_gone(ARG(ctx, 0, __u64));
	return 0;
}

static __always_inline struct vc_event vc_event_of(struct bpf_raw_tracepoint_args *ctx)
{
	const struct vc_transaction *t = TRANSACTION(ctx);

	return (struct vc_event) {
		.tag = t->tag,
		.file = t->file,
		.user = t->user,
		.thread = t->thread,
		.ids = t->ids,
		.from = VC_NAME_KERNEL,
		.name = NAME(ctx),
		.start_ns = t->start,
		.counts = COUNTS(ctx),
	};
}

/* Loaded only if begin events are wanted: while it is attached, every process sends them. */
SEC("raw_tp.w/vcpc_begin")
int vc_on_begin_hashed(struct bpf_raw_tracepoint_args *ctx)
{
	struct vc_event ev = vc_event_of(ctx);

	TRANSACTION(ctx)->now = vc_begin_hashed(&ev);
	return 0;
}

static __noinline int vc_begin_slowly(struct bpf_raw_tracepoint_args *ctx, int ret)
{
	struct vc_event ev = vc_event_of(ctx);

	if (ret < 0)
		TRANSACTION(ctx)->now = vc_begin(&ev);
	else
		vc_learn_name(&ev);
	return 0;
}

/* Loaded instead of vc_on_begin_hashed() if transactions can be in vc_open_row. */
SEC("raw_tp.w/vcpc_begin")
int vc_on_begin(struct bpf_raw_tracepoint_args *ctx)
{
	struct vc_transaction *t = TRANSACTION(ctx);
	int ret = vc_row_begin(t->tag, t->file, t->thread, t->ids, &t->now);

	return ret ? vc_begin_slowly(ctx, ret) : 0;
}

/* The begin event of a thread with counters, called after vcpc_begin */
SEC("raw_tp.w/vcpc_begin_counts")
int vc_on_counts(struct bpf_raw_tracepoint_args *ctx)
{
	struct vc_event ev = vc_event_of(ctx);

	vc_begin(&ev);
	return 0;
}

static __noinline int vc_end_at(struct bpf_raw_tracepoint_args *ctx, __u64 now)
{
	struct vc_event ev = vc_event_of(ctx);

	vc_finish(&ev, VC_OP_END, now);
	return 0;
}

/* Loaded if individual events or statistics per process are wanted. */
SEC("raw_tp.w/vcpc_end")
int vc_on_end(struct bpf_raw_tracepoint_args *ctx)
{
	return vc_end_at(ctx, TRANSACTION(ctx)->now = bpf_ktime_get_ns());
}

/*
 * Loaded instead of vc_on_end() if begin events are wanted, but neither individual events nor
 * statistics per process.  Most events then take little work, because the thread has no counters,
 * and the rows of the transaction and of the tag exist.
 */
SEC("raw_tp.w/vcpc_end")
int vc_on_end_begun(struct bpf_raw_tracepoint_args *ctx)
{
	struct vc_transaction *t = TRANSACTION(ctx);
	__u64 now = bpf_ktime_get_ns(), start;
	struct vc_stat_key key = { .tag = t->tag, .kind = VC_TRANSACT };
	struct vc_stat *stat;

	t->now = now;
	stat = COUNTS(ctx) ? NULL : bpf_map_lookup_elem(&vc_stat, &key);
	if (!stat)
		return vc_end_at(ctx, now);
	start = vc_row_end(key.tag, t->file, t->thread);
	/* The begin time can be in the future, because CPU clocks can differ slightly. */
	if (!start || start > now)
		return vc_end_at(ctx, now);
	vc_add_end(stat, now, start);
	vc_not_counted();
	return 0;
}

/* Loaded instead of the two programs above if begin events are not wanted either. */
SEC("raw_tp.w/vcpc_end")
int vc_on_end_only(struct bpf_raw_tracepoint_args *ctx)
{
	struct vc_transaction *t = TRANSACTION(ctx);
	__u64 now = bpf_ktime_get_ns();
	__u64 start = t->start;
	struct vc_stat_key key = { .tag = t->tag, .kind = VC_TRANSACT };
	struct vc_stat *stat;

	t->now = now;
	/* If the end carries no start time, start is 0 and start - 1 is the largest number. */
	if (COUNTS(ctx) || start - 1 >= now)
		return vc_end_at(ctx, now);
	stat = bpf_map_lookup_elem(&vc_stat, &key);
	if (!stat)
		return vc_end_at(ctx, now);
	vc_add_end(stat, now, start);
	vc_not_counted();
	return 0;
}

SEC("raw_tp.w/vcpc_abort")
int vc_on_abort(struct bpf_raw_tracepoint_args *ctx)
{
	struct vc_event ev = vc_event_of(ctx);

	vc_finish(&ev, VC_OP_ABORT, TRANSACTION(ctx)->now = bpf_ktime_get_ns());
	return 0;
}

/* Point, observation and counter have the arguments (tag, op, value, name, user). */
SEC("raw_tp/vcpc_value")
int vc_on_value(struct bpf_raw_tracepoint_args *ctx)
{
	struct vc_event ev = {
		.tag = ARG(ctx, 0, __u64),
		.user = ARG(ctx, 4, __u32),
		.from = VC_NAME_KERNEL,
		.name = ARG(ctx, 3, const char *),
	};

	vc_value(&ev, ARG(ctx, 1, __u32), ARG(ctx, 2, __u64));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
