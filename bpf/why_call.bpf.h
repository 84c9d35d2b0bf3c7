/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Handle transactions of programs without trace calls: calls to functions, and pairs of places in
 * the code.
 *
 * A call is found by the stack pointer at its entry, because a function can be called again before
 * it returns.  Calls below the current stack pointer were left by longjmp() or by an exception.
 */
#ifndef VCPC_BPF_WHY_CALL_H
#define VCPC_BPF_WHY_CALL_H

#include "call.bpf.h"
#include "unpreempted.bpf.h"
#include "why.bpf.h"

/* Cookie of a probe -> the name of the tag */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, VC_MAX_PROBES);
	__type(key, __u32);
	__type(value, struct vc_why_name);
} vw_place SEC(".maps");

/*
 * Set the event's tag to that of the tracing session, so that both have the same statistics.
 * Return 0, or -1.
 */
static __always_inline int vw_from_place(struct pt_regs *ctx, struct vw_event *ev)
{
	__u32 row = bpf_get_attach_cookie(ctx), user = bpf_get_current_uid_gid();
	struct vc_why_name *place = bpf_map_lookup_elem(&vw_place, &row);

	ev->ids = bpf_get_current_pid_tgid();
	ev->now = 0;
	if (!place || !vw_wanted(ev->ids))
		return -1;
	ev->key.tag = VC_FUNCTION_TAG(row, user);
	ev->key.user = user;
	ev->name = place->name;
	ev->user_name = 0;
	return 0;
}

/*
 * Drop calls that ended without a return.  A call at @sp itself has ended if another function is
 * entered there, unless the call has jumped to that function.
 */
static __noinline void vw_abandon(struct pt_regs *ctx, struct vc_why_thread *thread, __u64 sp,
				  __u32 entering)
{
	vw_add_last(thread);
	for (int i = 0; i < VC_WHY_DEPTH; i++) {
		struct vc_why_open *open = &thread->open[i];

		if (!open->start_ns || !open->sp || open->sp > sp)
			continue;
		if (open->sp == sp && (!entering || vc_is_tail_call(ctx)))
			continue;
		open->start_ns = 0;
		thread->opened--;
		vw_count_drop(VC_WHY_DROP_DIED, 1);
	}
}

/*
 * Return a free entry for a call, or NULL.  The enclosing calls are known to be open, so the new
 * call must not replace them.
 */
static __always_inline struct vc_why_open *vw_free_open(struct vc_why_thread *thread)
{
	for (int i = 0; i < VC_WHY_DEPTH; i++)
		if (!thread->open[i].start_ns)
			return &thread->open[i];
	return NULL;
}

static __noinline int vw_enter_now(struct pt_regs *ctx)
{
	__u32 tid = bpf_get_current_pid_tgid();
	struct vc_why_thread *thread = vw_thread_of(tid);
	__u64 sp = VC_ENTRY_SP(ctx);
	struct vc_why_open *open;
	struct vw_event ev;

	if (vw_from_place(ctx, &ev))
		return 0;
	if (!thread)
		thread = vw_new_thread(tid);
	if (!thread)
		return 0;
	if (thread->opened)
		vw_abandon(ctx, thread, sp, 1);
	open = vw_free_open(thread);
	if (!open) {
		vw_count_drop(VC_WHY_DROP_DEEP, 1);
		return 0;
	}
	vw_start(thread, open, &ev, sp);
	return 0;
}

SEC("uprobe")
int vw_enter(struct pt_regs *ctx)
{
	VC_UNPREEMPTED(vw_enter_now(ctx));
	return 0;
}

static __always_inline struct vc_why_open *vw_find_call(struct vc_why_thread *thread, __u64 tag,
							__u64 sp)
{
	for (int i = 0; i < VC_WHY_DEPTH; i++) {
		struct vc_why_open *open = &thread->open[i];

		if (open->start_ns && open->sp == sp && open->tag == tag)
			return open;
	}
	return NULL;
}

/*
 * End a call.  A call for which no entry was free was counted as dropped when it began, and all
 * entries are still in use when it returns.
 */
static __noinline int vw_return_now(struct pt_regs *ctx)
{
	__u64 now = bpf_ktime_get_ns(), sp = VC_RETURN_SP(ctx);
	struct vc_why_thread *thread = vw_busy_thread(bpf_get_current_pid_tgid());
	struct vc_why_open *open = NULL;
	struct vw_event ev;

	if (vw_from_place(ctx, &ev))
		return 0;
	if (thread) {
		vw_abandon(ctx, thread, sp, 0);
		vw_update(thread, now);
		open = vw_find_call(thread, ev.key.tag, sp);
	}
	if (open) {
		vw_commit(&ev, thread, open, now);
		vw_close(thread, open);
	} else if (!thread || thread->opened < VC_WHY_DEPTH)
		vw_count_drop(VC_WHY_DROP_NOT_SEEN, 1);
	return 0;
}

SEC("uretprobe")
int vw_return(struct pt_regs *ctx)
{
	VC_UNPREEMPTED(vw_return_now(ctx));
	return 0;
}

static __noinline int vw_pair_begin_now(struct pt_regs *ctx)
{
	struct vw_event ev;

	if (!vw_from_place(ctx, &ev))
		vw_begin(&ev);
	return 0;
}

SEC("uprobe")
int vw_pair_begin(struct pt_regs *ctx)
{
	VC_UNPREEMPTED(vw_pair_begin_now(ctx));
	return 0;
}

static __noinline int vw_pair_end_now(struct pt_regs *ctx)
{
	struct vw_event ev;

	if (!vw_from_place(ctx, &ev))
		vw_end(&ev, 0, 0);
	return 0;
}

SEC("uprobe")
int vw_pair_end(struct pt_regs *ctx)
{
	VC_UNPREEMPTED(vw_pair_end_now(ctx));
	return 0;
}

#endif /* VCPC_BPF_WHY_CALL_H */
