// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * On a machine without the module, record the events of trace.bpf.c from probes on two functions of
 * libshim, shim_probe_begin() and shim_probe_event().  Their arguments are (thread << 32 |
 * operation, hash of the name, value, name).
 *
 * This program assigns the tag IDs: one for each user and 64-bit hash of a name.
 */
#include <linux/ptrace.h>
#include "event.bpf.h"
#include "gone.bpf.h"
#include "time_ns.bpf.h"
#include "unpreempted.bpf.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/* Declare only the members that are read; the loader relocates them (CO-RE). */
struct signal_struct {
	struct {
		int counter;
	} live;
} __attribute__((preserve_access_index));

struct task_struct {
	struct signal_struct *signal;
	struct nsproxy *nsproxy;
} __attribute__((preserve_access_index));

/* hash of a name, and user -> tag ID */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VC_MAX_TAGS);
	__type(key, struct vc_id_key);
	__type(value, __u64);
} vc_id SEC(".maps");

/*
 * process that has begun a transaction -> account charged for it; only these processes have open
 * transactions
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VC_MAX_OPEN);
	__type(key, __u32);
	__type(value, __u64);
} vc_began SEC(".maps");

static __u64 last_id;

/* Assign an ID to a new name.  If two CPUs do so at the same time, only one of the IDs is used. */
static __noinline __u64 vc_new_id(struct vc_id_key *key)
{
	__u64 id = __sync_fetch_and_add(&last_id, 1) + 1;
	__u64 account = vc_open_account(key->user);
	__u64 *row;

	VC_NEW_ROW(account, &vc_id, key, &id, VC_ROWS_ID, vc_max_tags);
	row = bpf_map_lookup_elem(&vc_id, key);
	if (row)
		return *row;
	vc_count_drop(VC_DROP_TAG_FULL);
	return 0;
}

/* Return the event's thread, which is the calling thread if an older library has not sent one. */
static __always_inline __u32 vc_thread_of(__u32 sent, __u32 tid)
{
	return sent >= VCPC_TRACE_TID ? sent : VCPC_TRACE_TID | tid;
}

static __always_inline int vc_user_event(struct pt_regs *ctx, struct vc_event *ev)
{
	struct vc_id_key key = {
		.hash = PT_REGS_PARM2(ctx),
		.user = bpf_get_current_uid_gid(),
	};
	__u64 *id = bpf_map_lookup_elem(&vc_id, &key);
	__u64 ids = bpf_get_current_pid_tgid();

	*ev = (struct vc_event) {
		.tag = id ? *id : vc_new_id(&key),
		.file = ids >> 32,
		.user = key.user,
		.thread = vc_thread_of(PT_REGS_PARM1(ctx) >> 32, ids),
		.ids = ids,
		.from = VC_NAME_USER,
		.name = (const char *)PT_REGS_PARM4(ctx),
		.start_ns = PT_REGS_PARM3(ctx),
	};
	return ev->tag ? 0 : -1;
}

/* Return by how much the current task's CLOCK_MONOTONIC is ahead of the host's. */
static __always_inline __u64 vc_ahead(void)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	return vc_ahead_of_host(task->nsproxy);
}

/* Record that the process begins transactions.  Return 0, or -1 if its account has no row left. */
static __noinline int vc_process_began(struct vc_event *ev, __u32 tgid)
{
	__u64 account;

	if (vc_learn_name(ev))
		return -1;
	account = vc_payer(ev->tag);
	VC_NEW_ROW(account, &vc_began, &tgid, &account, VC_ROWS_BEGAN, vc_max_open);
	if (bpf_map_lookup_elem(&vc_began, &tgid))
		return 0;
	vc_count_drop(VC_DROP_OPEN_FULL);
	return -1;
}

#define VC_MAX_PARTS	(1 << 20)

/*
 * Change only @part: before Linux 6.7 the verifier treats variables that a callback changes as
 * constant.
 */
static long vc_process_gone_part(__u32 part, const __u64 *file)
{
	return vc_file_gone(*file, part);
}

/*
 * Delete the rows of the process.  Return early if the process never began a transaction, because
 * the search is slow.
 */
static __noinline void vc_process_gone(void)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	__u64 *row = bpf_map_lookup_elem(&vc_began, &tgid), account;
	__u64 file = tgid;

	if (!row)
		return;
	account = *row;
	if (!bpf_map_delete_elem(&vc_began, &tgid))
		vc_refund(account, VC_ROWS_BEGAN);
	bpf_loop(VC_MAX_PARTS, vc_process_gone_part, &file, 0);
}

/* Programs that delete rows are first in this file and attached first, as in trace.bpf.c. */

/* Loaded only if begin events are wanted.  Arguments: (task, ...); the task is the current one. */
SEC("raw_tp/sched_process_exit")
int vc_on_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx->args[0];

	/*
	 * Wait for the last thread, because other threads may continue the process's transactions.
	 */
	if (BPF_CORE_READ(task, signal, live.counter) == 0)
		VC_UNPREEMPTED(vc_process_gone());
	return 0;
}

/* Loaded only if begin events are wanted.  The new program has not begun a transaction. */
SEC("raw_tp/sched_process_exec")
int vc_on_exec(struct bpf_raw_tracepoint_args *ctx)
{
	(void)ctx;
	VC_UNPREEMPTED(vc_process_gone());
	return 0;
}

static __noinline int vc_user_begin_now(struct pt_regs *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct vc_event ev;

	if (vc_user_event(ctx, &ev))
		return 0;
	if (bpf_map_lookup_elem(&vc_began, &tgid) || !vc_process_began(&ev, tgid))
		vc_begin(&ev);
	return 0;
}

SEC("uprobe")
int vc_user_begin(struct pt_regs *ctx)
{
	VC_UNPREEMPTED(vc_user_begin_now(ctx));
	return 0;
}

static __noinline int vc_user_any_now(struct pt_regs *ctx)
{
	__u32 op = PT_REGS_PARM1(ctx);
	struct vc_event ev;

	if (vc_user_event(ctx, &ev))
		return 0;
	/* Convert the begin time from the program's clock. */
	if (ev.start_ns && (op == VCPC_TRACE_END || op == VCPC_TRACE_ABORT))
		ev.start_ns -= vc_ahead();
	switch (op) {
	case VCPC_TRACE_END:
		vc_finish(&ev, VC_OP_END, bpf_ktime_get_ns());
		break;
	case VCPC_TRACE_ABORT:
		vc_finish(&ev, VC_OP_ABORT, bpf_ktime_get_ns());
		break;
	case VCPC_TRACE_POINT:
	case VCPC_TRACE_OBSERVE:
	case VCPC_TRACE_COUNTER:
		vc_value(&ev, op, ev.start_ns);
		break;
	}
	return 0;
}

SEC("uprobe")
int vc_user_any(struct pt_regs *ctx)
{
	VC_UNPREEMPTED(vc_user_any_now(ctx));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
