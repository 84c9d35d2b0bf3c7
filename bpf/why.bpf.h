/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Update the state that 'vcpc why' keeps for a thread: at a begin event, at an end event, and when
 * the thread's state changes.
 *
 * While a thread has an open transaction, its times on a CPU, waiting for a CPU, and blocked are
 * added up.  A transaction saves these sums when it begins and computes the differences when it
 * ends.  Therefore transactions can be nested, and their parts always add up to their time.
 *
 * Locking: a row of vw_thread is changed only by its thread, and by the scheduler while it holds
 * the lock of the thread's run queue.
 */
#ifndef VCPC_BPF_WHY_BPF_H
#define VCPC_BPF_WHY_BPF_H

#include "why_stat.bpf.h"

struct sched_info {
	unsigned long long run_delay;
} __attribute__((preserve_access_index));

struct task_struct___delay {
	struct sched_info sched_info;
} __attribute__((preserve_access_index));

struct task_struct___exec {
	__u64 self_exec_id;	/* number of programs that the task has executed */
} __attribute__((preserve_access_index));

/* Return the total time that the task has waited for a CPU. */
static __always_inline __u64 vw_run_delay(const void *task)
{
	return ((const struct task_struct___delay *)task)->sched_info.run_delay;
}

#define VW_TAKEN	-17	/* EEXIST: occupied by another stack */
#define VW_FULL		-12	/* ENOMEM */

/*
 * Return the key of the current user stack.  The result is negative if there is no stack, or if
 * other stacks occupy its place in both maps.
 */
static __always_inline __s32 vw_find_trace(void *ctx, void *map, void *second)
{
	long id = bpf_get_stackid(ctx, map, BPF_F_USER_STACK);

	if (id == VW_TAKEN) {
		id = bpf_get_stackid(ctx, second, BPF_F_USER_STACK);
		if (id >= 0)
			id |= VC_WHY_MORE;
	}
	return id;
}

/*
 * Return a number that changes when the process executes another program, in which addresses have
 * another meaning.
 */
static __always_inline __u64 vw_program(void)
{
	const struct task_struct___exec *task = (void *)bpf_get_current_task_btf();

	return bpf_get_current_pid_tgid() >> 32 << 10 | (task->self_exec_id & 0x3ff);
}

/*
 * Return the key in vw_user of the current user stack, or a negative number.  @id is its key in
 * vw_address.
 */
static __always_inline __s32 vw_build_id_trace(void *ctx, __u32 id)
{
	__u64 program = vw_program() << 32;
	__u64 row = id & VC_WHY_MORE ? id + VC_WHY_TRACES : id, *known, seen;
	__s32 found;

	/*
	 * The compiler could otherwise change the computation so that the verifier does not know
	 * the bounds.
	 */
	barrier_var(row);
	known = &vw_known[row & (2 * VC_WHY_TRACES - 1)];
	seen = *known;
	if (seen >> 32 == program >> 32)
		return seen;
	found = vw_find_trace(ctx, &vw_user, &vw_user2);
	if (found >= 0)
		*known = program | found;
	return found;
}

static __always_inline __s32 vw_user_trace(void *ctx)
{
	__s32 id = vw_find_trace(ctx, &vw_address, &vw_address2), found = -1;

	if (id < 0)
		return id;
	if (!(__u32)bpf_get_current_uid_gid())
		found = vw_build_id_trace(ctx, id);
	return found < 0 ? id | VC_WHY_ADDRESS : found;
}

#define VW_PLACES	4	/* number of rows in which a kernel stack can be stored */

static __always_inline __u64 vw_hash(const struct vc_why_trace *trace)
{
	__u64 hash = 1;

	for (__u32 i = 0; i < VC_WHY_FRAMES && trace->frame[i]; i++) {
		hash = (hash ^ trace->frame[i]) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 32;
	}
	return hash;
}

/* Store a kernel stack.  Return its row in vw_kernel, or VW_TAKEN. */
static __noinline __s32 vw_store_trace(struct vc_why_trace *seen)
{
	if (!seen)
		return -1;
	seen->hash = vw_hash(seen);
	for (__u32 i = 0; i < VW_PLACES; i++) {
		__u32 row = (seen->hash + i) & (2 * VC_WHY_TRACES - 1);
		struct vc_why_trace *trace = bpf_map_lookup_elem(&vw_kernel, &row);
		__u64 was;

		if (!trace)
			break;
		was = __sync_val_compare_and_swap(&trace->hash, 0, seen->hash);
		if (!was)
			*trace = *seen;
		if (!was || was == seen->hash)
			return row;
	}
	return VW_TAKEN;
}

/* Return this CPU's buffer for a stack. */
static __always_inline struct vc_why_trace *vw_room(void)
{
	const __u32 row = 0;

	return bpf_map_lookup_elem(&vw_seen, &row);
}

/* Store the kernel stack of the interrupted thread. */
static __always_inline __s32 vw_sampled_trace(void *ctx)
{
	struct vc_why_trace *seen = vw_room();

	if (!seen || bpf_get_stack(ctx, seen->frame, sizeof(seen->frame), 0) <= 0)
		return -1;
	return vw_store_trace(seen);
}

/* Store the kernel stack of a thread that is not on a CPU. */
static __always_inline __s32 vw_blocked_trace(struct task_struct *task)
{
	struct vc_why_trace *seen = vw_room();

	if (!seen || bpf_get_task_stack(task, seen->frame, sizeof(seen->frame), 0) <= 0)
		return -1;
	return vw_store_trace(seen);
}

/*
 * Return how many waits the stack of the ending wait represents.  The stack of a short wait is kept
 * with a probability in proportion to its duration, so the expected time and number of each stack
 * are correct for any durations.  The wait for a CPU that vw_settle() subtracts does not affect
 * this.
 */
static __always_inline __u32 vw_stands_for(__u64 spent)
{
	__u64 skipped = 0;

	if (spent < VC_WHY_SHORT_NS)
		skipped = (__u64)bpf_get_prandom_u32() * VC_WHY_SHORT_NS >> 32;
	return skipped < spent ? (VC_WHY_SHORT_NS - 1 - skipped + spent) / spent : 0;
}

/*
 * Store the kernel stack of a wait when the wait ends and its duration is known.  The stack is
 * still the one with which the thread left its CPU, and has no frames of the scheduler or of BPF.
 */
static __noinline int vw_end_wait(struct task_struct *task, struct vc_why_thread *thread)
{
	thread->stands_for = vw_stands_for(thread->unsettled);
	if (thread->stands_for)
		thread->kernel = vw_blocked_trace(task);
	return 0;
}

static __always_inline struct vc_why_thread *vw_thread_at(__u32 row)
{
	struct vc_why_thread *thread = &vw_thread[row & (VC_WHY_THREADS - 1)];

	/* The compiler would otherwise compute the address again for each access. */
	barrier_var(thread);
	return thread;
}

/* Return a thread's row, or NULL if it has none. */
static __always_inline struct vc_why_thread *vw_thread_of(__u32 tid)
{
	__u32 row = vw_row[tid & (VC_WHY_PIDS - 1)];

	return row ? vw_thread_at(row - 1) : NULL;
}

/* Return a thread's row, or NULL if the thread is in no transaction and needs no work. */
static __always_inline struct vc_why_thread *vw_busy_thread(__u32 tid)
{
	struct vc_why_thread *thread = vw_thread_of(tid);

	return thread && thread->opened ? thread : NULL;
}

/*
 * End a state of the thread.  If the thread is in another state, a change was missed.  The time
 * then belongs to no part, so the parts of the thread's transactions do not add up.  CPU clocks may
 * differ, but time must not run backwards.
 */
static __always_inline void vw_leave(struct vc_why_thread *thread, __u64 now, __u32 state)
{
	__u64 spent = now - thread->since_ns;

	if ((__s64)spent < 0)
		return;
	thread->since_ns = now;
	if (thread->state == state)
		thread->part[state] += spent;
	else
		thread->state = state;
}

static __noinline struct vc_why_thread *vw_new_thread(__u32 tid)
{
	/* If only one process is traced, it can use all rows. */
	__u64 account = vw_pid ? 0 : vc_open_account(bpf_get_current_uid_gid());
	__u32 row = VC_WHY_THREADS;
	struct vc_why_thread *thread;

	if (!vc_charge(account, VW_ROWS_THREAD, VC_WHY_THREADS)) {
		row = vw_take_row(&vw_free, &vw_used, VC_WHY_THREADS);
		if (row >= VC_WHY_THREADS)
			vc_refund(account, VW_ROWS_THREAD);
	}
	if (row >= VC_WHY_THREADS) {
		vw_count_drop(VC_WHY_DROP_THREADS, 1);
		return NULL;
	}
	vw_row[tid & (VC_WHY_PIDS - 1)] = row + 1;
	thread = vw_thread_at(row);
	thread->account = account;
	return thread;
}

static __always_inline void vw_add_cause(struct vc_why_open *open, const struct vc_why_cause *more)
{
	for (__u32 i = 0; i < VC_WHY_OWN_REASONS; i++) {
		struct vc_why_cause *cause = &open->cause[i];

		if (i >= open->causes) {
			*cause = (struct vc_why_cause) { .reason = more->reason };
			open->causes = i + 1;
		}
		if (cause->reason != more->reason)
			continue;
		cause->times += more->times;
		cause->ns += more->ns;
		return;
	}
	vw_count_drop(VC_WHY_DROP_REASONS, more->times);
}

/*
 * Add a stack.  If all entries are in use, replace the one with the shortest time.  Keep its index
 * in memory: if the verifier knew its value, it would check the code that follows once for each
 * value.
 */
static __always_inline void vw_add_stack(struct vc_why_open *open, const struct vc_why_seen *new)
{
	volatile __u64 *least = &open->least;
	__u64 weight = ~0ull, at;

	for (__u32 i = 0; i < VC_WHY_OWN_STACKS; i++) {
		struct vc_why_seen *seen = &open->stack[i];

		if (i >= open->stacks) {
			*seen = *new;
			open->stacks = i + 1;
			return;
		}
		if (seen->reason == new->reason && seen->user == new->user &&
		    seen->kernel == new->kernel) {
			seen->times += new->times;
			seen->ns += new->ns;
			return;
		}
		if (seen->ns < weight) {
			weight = seen->ns;
			*least = i;
		}
	}
	if (weight >= new->ns) {
		vw_count_drop(VC_WHY_DROP_STACKS, new->times);
		return;
	}
	at = *least & (VC_WHY_OWN_STACKS - 1);
	barrier_var(at);
	vw_count_drop(VC_WHY_DROP_STACKS, open->stack[at].times);
	open->stack[at] = *new;
}

static __always_inline void vw_count_taken(__s32 id, __u32 times)
{
	if (id == VW_TAKEN || id == VW_FULL)
		vw_count_drop(VC_WHY_DROP_STACKS, times);
}

struct vw_stack_of {
	struct vc_why_thread *thread;
	struct vc_why_seen seen;
};

static long vw_add_stack_to(__u32 at, struct vw_stack_of *stack)
{
	struct vc_why_open *open = &stack->thread->open[at & (VC_WHY_DEPTH - 1)];

	if (open->start_ns)
		vw_add_stack(open, &stack->seen);
	return 0;
}

/*
 * Add a stack to all open transactions.  A sample can interrupt this function.  The verifier checks
 * the body of bpf_loop() fewer times than that of a loop.
 */
static __noinline void vw_add_stack_to_all(struct vc_why_thread *thread,
					   const struct vc_why_seen *seen)
{
	struct vw_stack_of stack = { thread, *seen };

	vw_count_taken(seen->user, seen->times);
	vw_count_taken(seen->kernel, seen->times);
	if (thread->adding) {
		vw_count_drop(VC_WHY_DROP_STACKS, seen->times);
		return;
	}
	thread->adding = 1;
	barrier();
	bpf_loop(VC_WHY_DEPTH, vw_add_stack_to, &stack, 0);
	barrier();
	thread->adding = 0;
}

static __noinline void vw_add_block_stack(struct vc_why_thread *thread, __u64 ns)
{
	struct vc_why_seen seen = {
		.reason = thread->last.reason, .user = thread->user, .kernel = thread->kernel,
		.times = thread->stands_for, .ns = ns * thread->stands_for,
	};

	thread->stands_for = 0;
	vw_add_stack_to_all(thread, &seen);
}

/*
 * Record that a blocked thread is runnable again.  Until vw_settle(), its wait for a CPU counts as
 * blocked, because the kernel adds the wait to run_delay only after this event.
 */
static __always_inline void vw_unblock(struct vc_why_thread *thread, __u64 now)
{
	__u64 spent = now - thread->since_ns;

	/* The clocks of CPUs may differ. */
	if ((__s64)spent < 0)
		spent = 0;
	thread->since_ns += spent;
	thread->part[VC_WHY_BLOCKED] += spent;
	thread->last.times++;
	thread->last.ns += spent;
	thread->unsettled = spent;
}

/*
 * Separate the last blocked time of the current thread from its wait for a CPU.  Call this before
 * the thread's sums are used, and before it is blocked again.
 */
static __always_inline void vw_settle(struct vc_why_thread *thread)
{
	__u64 spent = thread->unsettled, waited;

	if (!spent)
		return;
	thread->unsettled = 0;
	waited = vw_run_delay(bpf_get_current_task_btf()) - thread->run_delay;
	/* The kernel measures the wait with another clock, so it can exceed @spent. */
	if (waited > spent)
		waited = spent;
	thread->part[VC_WHY_BLOCKED] -= waited;
	thread->part[VC_WHY_RUNNABLE] += waited;
	thread->last.ns -= waited;
	if (vw_stacks && thread->stands_for)
		vw_add_block_stack(thread, spent - waited);
}

/*
 * Add the thread's last blocked times to its open transactions.  Call this before a transaction
 * begins or ends, and when the reason changes.  A thread without an open transaction has no such
 * times.
 */
static __noinline int vw_add_last(struct vc_why_thread *thread)
{
	if (!thread->last.times)
		return 0;
	vw_settle(thread);
	for (int i = 0; i < VC_WHY_DEPTH; i++)
		if (thread->open[i].start_ns)
			vw_add_cause(&thread->open[i], &thread->last);
	thread->last.times = 0;
	thread->last.ns = 0;
	return 0;
}

/*
 * Make room for another transaction in a thread that has open ones.  If a transaction with the same
 * tag is open, its end was not seen.  If all entries are in use, drop the oldest transaction, which
 * another thread may have ended.
 */
static __noinline struct vc_why_open *vw_next_open(struct vc_why_thread *thread,
						   const struct vc_why_key *key)
{
	struct vc_why_open *open = &thread->open[0];

	vw_add_last(thread);
	for (int i = 0; i < VC_WHY_DEPTH; i++) {
		struct vc_why_open *o = &thread->open[i];

		if (o->start_ns && !o->sp && o->tag == key->tag &&
		    o->user == key->user) {
			vw_count_drop(VC_WHY_DROP_MOVED, 1);
			return o;
		}
		if (o->start_ns < open->start_ns)
			open = o;
	}
	if (open->start_ns)
		vw_count_drop(VC_WHY_DROP_DEEP, 1);
	return open;
}

/* Begin a transaction by saving the thread's sums. */
static __always_inline void vw_start(struct vc_why_thread *thread, struct vc_why_open *open,
				     const struct vw_event *ev, __u64 sp)
{
	__u64 now;

	if (open->tag != ev->key.tag || open->user != ev->key.user) {
		open->tag = ev->key.tag;
		open->user = ev->key.user;
		open->row = 0;
	}
	open->causes = 0;
	open->stacks = 0;
	open->sp = sp;
	if (!thread->opened) {
		thread->opened = 1;
		thread->state = VC_WHY_ON_CPU;
		now = vw_now(ev);
		thread->since_ns = now;
	} else {
		if (!open->start_ns)
			thread->opened++;
		now = vw_now(ev);
		vw_leave(thread, now, VC_WHY_ON_CPU);
	}
	for (int i = 0; i < VC_WHY_PARTS; i++)
		open->part[i] = thread->part[i];
	open->start_ns = now;
}

static __always_inline void vw_begin(const struct vw_event *ev)
{
	struct vc_why_thread *thread;
	__u32 tid = ev->ids;

	if (!vw_wanted(ev->ids))
		return;
	thread = vw_thread_of(tid);
	if (!thread)
		thread = vw_new_thread(tid);
	if (!thread)
		return;
	vw_start(thread, thread->opened ? vw_next_open(thread, &ev->key) : &thread->open[0], ev, 0);
}

static __always_inline struct vc_why_open *vw_find_open(struct vc_why_thread *thread,
							const struct vc_why_key *key)
{
	for (int i = 0; i < VC_WHY_DEPTH; i++) {
		struct vc_why_open *open = &thread->open[i];

		if (open->start_ns && !open->sp && open->tag == key->tag && open->user == key->user)
			return open;
	}
	return NULL;
}

/*
 * Update the thread's sums.  Call this before the ending transaction is looked up, because the
 * verifier checks the code after the look-up once for each possible transaction.
 */
static __always_inline void vw_update(struct vc_why_thread *thread, __u64 now)
{
	vw_leave(thread, now, VC_WHY_ON_CPU);
	if (thread->last.times)
		vw_add_last(thread);
}

static __always_inline void vw_close(struct vc_why_thread *thread, struct vc_why_open *open)
{
	open->start_ns = 0;
	thread->opened--;
}

/*
 * End a transaction.  @begun is the begin time that the program passed, which is before the kernel
 * received the begin event, or 0 if it is unknown.  A time after that belongs to a newer
 * transaction: another thread has ended the open one.
 *
 * Only wanted processes have open transactions.
 */
static __always_inline void vw_end(const struct vw_event *ev, __u64 begun, int is_abort)
{
	__u64 now = vw_now(ev);
	struct vc_why_thread *thread = vw_busy_thread(ev->ids);
	struct vc_why_open *open = NULL;

	if (thread) {
		vw_update(thread, now);
		open = vw_find_open(thread, &ev->key);
	}
	if (!open) {
		if (vw_wanted(ev->ids))
			vw_count_drop(VC_WHY_DROP_NOT_SEEN, 1);
		return;
	}
	if (begun > open->start_ns)
		vw_count_drop(VC_WHY_DROP_MOVED, 1);
	else if (!is_abort)
		vw_commit(ev, thread, open, now);
	vw_close(thread, open);
}

/* Drop the open transactions of a thread that can no longer end them. */
static __noinline void vw_thread_gone(__u32 tid)
{
	struct vc_why_thread *thread = vw_thread_of(tid);
	__u32 row = vw_row[tid & (VC_WHY_PIDS - 1)] - 1;

	if (!thread)
		return;
	if (thread->opened)
		vw_count_drop(VC_WHY_DROP_DIED, thread->opened);
	thread->opened = 0;
	thread->unsettled = 0;
	for (int i = 0; i < VC_WHY_DEPTH; i++)
		thread->open[i].start_ns = 0;
	vw_add_last(thread);
	vw_row[tid & (VC_WHY_PIDS - 1)] = 0;
	vc_refund(thread->account, VW_ROWS_THREAD);
	bpf_map_push_elem(&vw_free, &row, 0);
}

#endif /* VCPC_BPF_WHY_BPF_H */
