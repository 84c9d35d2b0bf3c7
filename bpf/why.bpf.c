// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The programs of 'vcpc why'.  They handle the begin and end events of transactions, received
 * through the module's tracepoints or through probes on libshim or on the session's traced
 * functions, and the scheduler events of threads that have an open transaction.
 */
#include <linux/ptrace.h>
#include <linux/vcpc.h>
#include "time_ns.bpf.h"
#include "transaction.bpf.h"
#include "unpreempted.bpf.h"
#include "why_call.bpf.h"

/* Declare only the members that are read; the loader relocates them (CO-RE). */
struct task_struct {
	int pid;
	unsigned int in_iowait : 1;
	struct nsproxy *nsproxy;
} __attribute__((preserve_access_index));

#if defined(__TARGET_ARCH_x86)
struct pt_regs___why {
	unsigned long orig_ax;
	unsigned long cs;
} __attribute__((preserve_access_index));

#define VW_SYSCALL(regs)	((int)(regs)->orig_ax)
#define VW_IS_COMPAT(regs)	(((regs)->cs & 0xffff) == 0x23)
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs___why {
	__u64 pstate;
	__s32 syscallno;
} __attribute__((preserve_access_index));

#define VW_SYSCALL(regs)	((regs)->syscallno)
#define VW_IS_COMPAT(regs)	((regs)->pstate & 0x10)
#else
#error "where is the number of the system call?"
#endif

#define VW_STOPPED_STATES	0xc	/* TASK_STOPPED | TASK_TRACED */

/*
 * Return why a thread that has just left its CPU is blocked.  If the system call's number is -1,
 * the thread is in an exception.
 */
static __always_inline __u32 vw_reason_of(struct task_struct *task, __u64 state)
{
	const struct pt_regs___why *regs = (void *)bpf_task_pt_regs((void *)task);
	__u32 reason = (VW_SYSCALL(regs) + 1) & VC_WHY_CALL;

	if (reason && VW_IS_COMPAT(regs))
		reason |= VC_WHY_COMPAT;
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		reason |= VC_WHY_IO;
	if (state & VW_STOPPED_STATES)
		reason |= VC_WHY_STOPPED;
	return reason;
}

/* Record that the thread leaves its CPU. */
static __always_inline void vw_out(__u64 *ctx, struct vc_why_thread *thread, __u64 now)
{
	struct task_struct *task = (void *)ctx[1];
	__u32 state = ctx[3], reason;

	vw_settle(thread);
	vw_leave(thread, now, VC_WHY_ON_CPU);
	/* The thread was preempted, or is already runnable again. */
	if ((__u8)ctx[0] || !state) {
		thread->state = VC_WHY_RUNNABLE;
		return;
	}
	thread->state = VC_WHY_BLOCKED;
	thread->run_delay = vw_run_delay(task);
	reason = vw_reason_of(task, state);
	if (thread->last.reason != reason) {
		vw_add_last(thread);
		thread->last.reason = reason;
	}
	if (vw_stacks)
		thread->user = vw_user_trace(ctx);
}

static __always_inline void vw_in(struct task_struct *task, struct vc_why_thread *thread, __u64 now)
{
	if (thread->state == VC_WHY_BLOCKED) {
		vw_unblock(thread, now);
		if (vw_stacks)
			vw_end_wait(task, thread);
	} else {
		vw_leave(thread, now, VC_WHY_RUNNABLE);
	}
	thread->state = VC_WHY_ON_CPU;
}

/* Arguments: (preempt, prev, next, prev_state); prev is the current task. */
SEC("tp_btf/sched_switch")
int vw_on_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct vc_why_thread *thread = vw_busy_thread(prev->pid);
	__u64 now = 0;

	if (thread) {
		now = bpf_ktime_get_ns();
		vw_out(ctx, thread, now);
	}
	thread = vw_busy_thread(next->pid);
	if (thread)
		vw_in(next, thread, now ? now : bpf_ktime_get_ns());
	return 0;
}

static __noinline int vw_exit_now(void)
{
	vw_thread_gone(bpf_get_current_pid_tgid());
	return 0;
}

/* Called for each thread.  Arguments: (task, ...); the task is the current one. */
SEC("tp_btf/sched_process_exit")
int vw_on_exit(__u64 *ctx)
{
	(void)ctx;
	VC_UNPREEMPTED(vw_exit_now());
	return 0;
}

static __noinline int vw_exec_now(__u32 old)
{
	vw_thread_gone(old);
	vw_thread_gone(bpf_get_current_pid_tgid());
	return 0;
}

/*
 * Arguments: (task, its previous thread ID, ...).  The previous ID belonged to the first thread if
 * another thread executed the program.
 */
SEC("tp_btf/sched_process_exec")
int vw_on_exec(__u64 *ctx)
{
	__u32 old = ctx[1];

	VC_UNPREEMPTED(vw_exec_now(old));
	return 0;
}

/*
 * Return the number of whole periods, at least one, since the thread was last sampled or entered
 * its CPU, in nanoseconds.  The kernel takes a single late sample for all periods in which a CPU
 * did not handle its timer, for example in a virtual machine that waits for the host's CPU.
 */
static __always_inline __u64 vw_sampled_ns(struct vc_why_thread *thread)
{
	__u64 now = bpf_ktime_get_ns(), from = thread->since_ns, spent;

	if (from < thread->sampled_ns)
		from = thread->sampled_ns;
	thread->sampled_ns = now;
	spent = now > from ? now - from : 0;
	return spent < 2 * vw_period ? vw_period : spent - spent % vw_period;
}

/* Record a sample of the interrupted thread. */
static __noinline int vw_sample_now(void *ctx, struct vc_why_thread *thread)
{
	struct vc_why_seen seen = { .reason = VC_WHY_SAMPLED, .times = 1 };

	if (thread->state != VC_WHY_ON_CPU)
		return 0;
	seen.ns = vw_sampled_ns(thread);
	seen.user = vw_user_trace(ctx);
	seen.kernel = vw_sampled_trace(ctx);
	vw_add_stack_to_all(thread, &seen);
	return 0;
}

SEC("perf_event")
int vw_on_sample(void *ctx)
{
	struct vc_why_thread *thread = vw_busy_thread(bpf_get_current_pid_tgid());

	return thread ? vw_sample_now(ctx, thread) : 0;
}

static __always_inline struct vw_event vw_from_module(struct bpf_raw_tracepoint_args *ctx)
{
	const struct vc_transaction *t = TRANSACTION(ctx);

	return (struct vw_event) {
		.key = { .tag = t->tag, .user = t->user },
		.ids = t->ids,
		.now = t->now,
		.name = NAME(ctx),
	};
}

SEC("raw_tp.w/vcpc_begin")
int vw_on_begin(struct bpf_raw_tracepoint_args *ctx)
{
	struct vw_event ev = vw_from_module(ctx);

	vw_begin(&ev);
	return 0;
}

SEC("raw_tp.w/vcpc_end")
int vw_on_end(struct bpf_raw_tracepoint_args *ctx)
{
	struct vw_event ev = vw_from_module(ctx);

	vw_end(&ev, TRANSACTION(ctx)->start, 0);
	return 0;
}

SEC("raw_tp.w/vcpc_abort")
int vw_on_abort(struct bpf_raw_tracepoint_args *ctx)
{
	struct vw_event ev = vw_from_module(ctx);

	vw_end(&ev, TRANSACTION(ctx)->start, 1);
	return 0;
}

/* Return a probed function's event; its arguments are (operation, hash of name, value, name). */
static __always_inline struct vw_event vw_from_probe(struct pt_regs *ctx)
{
	return (struct vw_event) {
		.key = { .tag = PT_REGS_PARM2(ctx), .user = bpf_get_current_uid_gid() },
		.ids = bpf_get_current_pid_tgid(),
		.name = (const char *)PT_REGS_PARM4(ctx),
		.user_name = 1,
	};
}

/* Return by how much the current task's CLOCK_MONOTONIC is ahead of the host's. */
static __always_inline __u64 vw_ahead(void)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	return vc_ahead_of_host(task->nsproxy);
}

static __noinline int vw_probe_begin_now(struct pt_regs *ctx)
{
	struct vw_event ev = vw_from_probe(ctx);

	vw_begin(&ev);
	return 0;
}

SEC("uprobe")
int vw_probe_begin(struct pt_regs *ctx)
{
	VC_UNPREEMPTED(vw_probe_begin_now(ctx));
	return 0;
}

static __noinline int vw_probe_event_now(struct pt_regs *ctx)
{
	struct vw_event ev = vw_from_probe(ctx);
	__u32 op = PT_REGS_PARM1(ctx);
	__u64 begun = PT_REGS_PARM3(ctx);

	if (op != VCPC_TRACE_END && op != VCPC_TRACE_ABORT)
		return 0;
	vw_end(&ev, begun ? begun - vw_ahead() : 0, op == VCPC_TRACE_ABORT);
	return 0;
}

SEC("uprobe")
int vw_probe_event(struct pt_regs *ctx)
{
	VC_UNPREEMPTED(vw_probe_event_now(ctx));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
