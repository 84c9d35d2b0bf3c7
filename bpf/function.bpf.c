// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Trace programs that have no trace calls.  A transaction is a call to a function, with probes on
 * its entry and return, or the time between two places in the code that a thread passes.  The
 * statistics are kept in the maps of trace.bpf.c or uprobe.bpf.c, whichever is loaded.
 *
 * Each thread has a stack of its open calls, with the stack pointer at their entry.  A call that
 * ends with longjmp() or an exception does not return.  It is counted as lost once a later entry or
 * return nearer to the bottom of the stack shows that the call has ended.
 */
#include "call.bpf.h"
#include "event.bpf.h"
#include "function.h"
#include "function_counts.bpf.h"
#include "unpreempted.bpf.h"

/* row -> a probed place */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, VC_MAX_PROBES);
	__type(key, __u32);
	__type(value, struct vc_probe);
} vc_probe SEC(".maps");

/* thread -> its open calls */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct vc_calls);
} vc_calls SEC(".maps");

static __always_inline struct vc_calls *vc_own_calls(__u64 flags)
{
	return bpf_task_storage_get(&vc_calls, bpf_get_current_task_btf(), NULL, flags);
}

static __always_inline struct vc_call *vc_call_at(struct vc_calls *calls, __u64 i)
{
	return &calls->call[i % VC_MAX_CALLS];
}

/*
 * Drop calls that ended without a return: the function that the thread now enters uses their part
 * of the stack.
 */
static __noinline void vc_abandon(struct pt_regs *ctx, struct vc_calls *calls)
{
	__u64 sp = VC_ENTRY_SP(ctx), depth = calls->depth;
	__u64 least = vc_is_tail_call(ctx) ? sp : sp + 1;

	for (int i = 0; i < VC_MAX_CALLS; i++) {
		if (!depth || vc_call_at(calls, depth - 1)->sp >= least)
			break;
		depth--;
	}
	vc_count_drops(VC_DROP_GIVEN_UP, calls->depth - depth);
	calls->depth = depth;
}

static __noinline int vc_enter_now(struct pt_regs *ctx)
{
	struct vc_calls *calls = vc_own_calls(BPF_LOCAL_STORAGE_GET_F_CREATE);
	__u64 sp = VC_ENTRY_SP(ctx);
	struct vc_call *call;

	if (!calls) {
		vc_count_drop(VC_DROP_OPEN_FULL);
		return 0;
	}
	if (calls->depth && vc_call_at(calls, calls->depth - 1)->sp <= sp)
		vc_abandon(ctx, calls);
	if (calls->depth >= VC_MAX_CALLS) {
		vc_count_drop(VC_DROP_OPEN_FULL);
		return 0;
	}
	call = vc_call_at(calls, calls->depth++);
	call->sp = sp;
	call->row = bpf_get_attach_cookie(ctx);
	if (vc_nr_counters)
		vc_counts_begin(calls->depth - 1);
	call->start_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("uprobe")
int vc_enter(struct pt_regs *ctx)
{
	VC_UNPREEMPTED(vc_enter_now(ctx));
	return 0;
}

/*
 * Remove the returning call from the stack.  Return the begin time of the call, or 0 if its entry
 * was not seen.
 */
static __always_inline __u64 vc_returned(struct vc_calls *calls, __u64 sp, __u64 row)
{
	for (int i = 0; i < VC_MAX_CALLS; i++) {
		__u64 depth = calls->depth;
		struct vc_call *top = vc_call_at(calls, depth - 1);

		if (!depth || top->sp > sp)
			break;
		calls->depth = depth - 1;
		if (top->sp == sp && top->row == row)
			return top->start_ns;
		vc_count_drop(VC_DROP_GIVEN_UP);
	}
	return 0;
}

/*
 * Add the counts of a transaction if @events is not 0, and add the transaction to its process's
 * statistics.
 */
static __always_inline void vc_function_details(struct vc_event *ev, __u64 spent, __u64 now,
						__u64 events, const __u64 *value)
{
	struct vc_process *process;

	if (!events)
		vc_not_counted();
	else if (vc_add_counts(ev, events, value))
		events = 0;
	process = vc_want_processes ? vc_process_of(ev->tag, events) : NULL;
	if (!process)
		return;
	vc_process_end(&process->stat, now, spent, vc_time_slot(spent));
	if (events)
		vc_process_counts(process, value);
}

/*
 * End a transaction of the current user.  @call is its depth in the thread's stack of calls, or -1.
 */
static __noinline void vc_function_end(__u32 row, __u64 start, __u64 now, __s64 call)
{
	__u32 user = bpf_get_current_uid_gid();
	struct vc_probe *probe = bpf_map_lookup_elem(&vc_probe, &row);
	__u64 value[VC_MAX_COUNTERS] = {}, events = 0;
	struct vc_event ev = {
		.tag = VC_FUNCTION_TAG(row, user),
		.user = user,
		.from = VC_NAME_KERNEL,
	};
	struct vc_stat *stat;

	if (!probe)
		return;
	if (!start || start > now) {
		vc_count_drop(VC_DROP_NOT_OPEN);
		return;
	}
	if (vc_nr_counters && call >= 0)
		events = vc_counts_end(call, value);
	ev.name = probe->tag;
	stat = vc_stat_of(&ev, VC_TRANSACT);
	if (!stat)
		return;
	vc_add_end(stat, now, start);
	vc_function_details(&ev, now - start, now, events, value);
	vc_ring_put(&ev, VC_OP_END, now, start, 0);
}

static __noinline int vc_return_now(struct pt_regs *ctx)
{
	__u64 now = bpf_ktime_get_ns(), row = bpf_get_attach_cookie(ctx), start;
	struct vc_calls *calls = vc_own_calls(0);

	start = calls ? vc_returned(calls, VC_RETURN_SP(ctx), row) : 0;
	vc_function_end(row, start, now, calls ? calls->depth : 0);
	return 0;
}

SEC("uretprobe")
int vc_return(struct pt_regs *ctx)
{
	VC_UNPREEMPTED(vc_return_now(ctx));
	return 0;
}

/*
 * Begin a pair.  A thread has one open pair per tag, so if the pair is already open, it has not
 * ended and is lost.
 */
static __noinline int vc_pair_begin_now(struct pt_regs *ctx)
{
	struct vc_calls *calls = vc_own_calls(BPF_LOCAL_STORAGE_GET_F_CREATE);
	__u64 pair = bpf_get_attach_cookie(ctx) >> 32;

	if (!calls) {
		vc_count_drop(VC_DROP_OPEN_FULL);
		return 0;
	}
	if (calls->pair[pair % VC_MAX_PAIRS])
		vc_count_drop(VC_DROP_GIVEN_UP);
	calls->pair[pair % VC_MAX_PAIRS] = bpf_ktime_get_ns();
	return 0;
}

SEC("uprobe")
int vc_pair_begin(struct pt_regs *ctx)
{
	VC_UNPREEMPTED(vc_pair_begin_now(ctx));
	return 0;
}

static __noinline int vc_pair_end_now(struct pt_regs *ctx)
{
	__u64 now = bpf_ktime_get_ns(), cookie = bpf_get_attach_cookie(ctx), start = 0;
	struct vc_calls *calls = vc_own_calls(0);

	if (calls) {
		start = calls->pair[(cookie >> 32) % VC_MAX_PAIRS];
		calls->pair[(cookie >> 32) % VC_MAX_PAIRS] = 0;
	}
	vc_function_end(cookie, start, now, -1);
	return 0;
}

SEC("uprobe")
int vc_pair_end(struct pt_regs *ctx)
{
	VC_UNPREEMPTED(vc_pair_end_now(ctx));
	return 0;
}

/*
 * Drop the open calls and pairs of a thread that exits or executes another program.  Count them in
 * memory: the verifier would otherwise check the code once for each combination of open pairs.
 */
static __noinline void vc_all_over(void)
{
	struct vc_calls *calls = vc_own_calls(0);
	volatile __u64 *lost;

	if (!calls)
		return;
	lost = &calls->depth;
	for (int i = 0; i < VC_MAX_PAIRS; i++) {
		if (calls->pair[i])
			(*lost)++;
		calls->pair[i] = 0;
	}
	vc_count_drops(VC_DROP_GIVEN_UP, *lost);
	*lost = 0;
}

SEC("raw_tp/sched_process_exit")
int vc_thread_ends(struct bpf_raw_tracepoint_args *ctx)
{
	(void)ctx;
	VC_UNPREEMPTED(vc_all_over());
	return 0;
}

SEC("raw_tp/sched_process_exec")
int vc_thread_execs(struct bpf_raw_tracepoint_args *ctx)
{
	(void)ctx;
	VC_UNPREEMPTED(vc_all_over());
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
