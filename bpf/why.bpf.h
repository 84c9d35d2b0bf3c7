/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Update the state that 'vcpc why' keeps for a thread: at a begin, at an end, and when the
 * thread's state changes.
 *
 * While a thread has an open transaction, its times on a CPU, waiting for a CPU, and blocked are
 * summed.  A transaction saves these sums when it begins and computes the differences when it
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

/* How long the kernel's task has waited for a CPU so far */
static __always_inline __u64 vw_run_delay(const void *task)
{
	return ((const struct task_struct___delay *)task)->sched_info.run_delay;
}

#define VW_TAKEN	-17	/* EEXIST: occupied by another stack */
#define VW_FULL		-12	/* ENOMEM */

/*
 * Return the key of the current user stack.  A negative result means no stack, or that other stacks
 * have its place in both maps.
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
 * A number that changes when a process executes another program, because addresses then have
 * another meaning.
 */
static __always_inline __u64 vw_program(void)
{
	const struct task_struct___exec *task = (void *)bpf_get_current_task_btf();

	return bpf_get_current_pid_tgid() >> 32 << 10 | (task->self_exec_id & 0x3ff);
}

/*
 * @id is the key of the current user's stack in vw_address.  Return its key in vw_user, or a
 *   negative number.
 */
static __always_inline __s32 vw_build_id_trace(void *ctx, __u32 id)
{
	__u64 program = vw_program() << 32;
	__u64 row = id & VC_WHY_MORE ? id + VC_WHY_TRACES : id, *known, seen;
	__s32 found;

	barrier_var(row);	/* otherwise the verifier no longer knows its bounds */
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

#define VW_PLACES	4	/* rows in which a kernel stack can be */

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

/* Room for a stack */
static __always_inline struct vc_why_trace *vw_room(void)
{
	const __u32 row = 0;

	return bpf_map_lookup_elem(&vw_seen, &row);
}

/* The kernel's stack of the interrupted thread */
static __always_inline __s32 vw_sampled_trace(void *ctx)
{
	struct vc_why_trace *seen = vw_room();

	if (!seen || bpf_get_stack(ctx, seen->frame, sizeof(seen->frame), 0) <= 0)
		return -1;
	return vw_store_trace(seen);
}

/* The kernel's stack of a thread that is not on a CPU */
static __always_inline __s32 vw_blocked_trace(struct task_struct *task)
{
	struct vc_why_trace *seen = vw_room();

	if (!seen || bpf_get_task_stack(task, seen->frame, sizeof(seen->frame), 0) <= 0)
		return -1;
	return vw_store_trace(seen);
}

/*
 * Decide how many waits the stack of one that ends now stands for.  A short one is kept with a
 * probability in proportion to its time, so each stack's expected time and number are right, whatever
 * the lengths.  The wait for a CPU, which vw_settle() subtracts, changes nothing in this.
 */
static __always_inline __u32 vw_stands_for(__u64 spent)
{
	__u64 skipped = 0;

	if (spent < VC_WHY_SHORT_NS)
		skipped = (__u64)bpf_get_prandom_u32() * VC_WHY_SHORT_NS >> 32;
	return skipped < spent ? (VC_WHY_SHORT_NS - 1 - skipped + spent) / spent : 0;
}

/*
 * Take the kernel's stack of a wait when it ends, because its length is known then.  It is still the
 * one at which the thread left its CPU, without frames of the scheduler and of BPF.
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

	barrier_var(thread);	/* otherwise the compiler adds up the address for each access */
	return thread;
}

/* A thread's row, or NULL if it has none */
static __always_inline struct vc_why_thread *vw_thread_of(__u32 tid)
{
	__u32 row = vw_row[tid & (VC_WHY_PIDS - 1)];

	return row ? vw_thread_at(row - 1) : NULL;
}

/* Like vw_thread_of(), but only if the thread is in a transaction: other threads need no work. */
static __always_inline struct vc_why_thread *vw_busy_thread(__u32 tid)
{
	struct vc_why_thread *thread = vw_thread_of(tid);

	return thread && thread->opened ? thread : NULL;
}

/*
 * End a state of the thread.  If the thread is in another state, a change was missed: the time is
 * in no part, so the parts of its transactions do not add up.  CPU clocks may differ, but time must
 * not run backwards.
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
	/* A single process has all rows. */
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
 * If all entries are in use, replace the shortest one.  Its number is kept in memory: if the
 * verifier knew its value, it would check the code that follows once for each value.
 */
static __noinline void vw_add_stack(struct vc_why_open *open, const struct vc_why_seen *new)
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

/* A sample can interrupt this function. */
static __noinline void vw_add_stack_to_all(struct vc_why_thread *thread,
					   const struct vc_why_seen *seen)
{
	vw_count_taken(seen->user, seen->times);
	vw_count_taken(seen->kernel, seen->times);
	if (thread->adding) {
		vw_count_drop(VC_WHY_DROP_STACKS, seen->times);
		return;
	}
	thread->adding = 1;
	barrier();
	for (int i = 0; i < VC_WHY_DEPTH; i++)
		if (thread->open[i].start_ns)
			vw_add_stack(&thread->open[i], seen);
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
 * A blocked thread runs again.  Until vw_settle(), its wait for a CPU counts as blocked: the kernel
 * adds it to run_delay after this event.
 */
static __always_inline void vw_unblock(struct vc_why_thread *thread, __u64 now)
{
	__u64 spent = now - thread->since_ns;

	/* CPU clocks may differ. */
	if ((__s64)spent < 0)
		spent = 0;
	thread->since_ns += spent;
	thread->part[VC_WHY_BLOCKED] += spent;
	thread->last.times++;
	thread->last.ns += spent;
	thread->unsettled = spent;
}

/*
 * Separate the last blocked time of the current thread from its wait for a CPU.  This is done
 * before its sums are used, and before it is blocked again.
 */
static __always_inline void vw_settle(struct vc_why_thread *thread)
{
	__u64 spent = thread->unsettled, waited;

	if (!spent)
		return;
	thread->unsettled = 0;
	waited = vw_run_delay(bpf_get_current_task_btf()) - thread->run_delay;
	/* The kernel takes this sum from another clock. */
	if (waited > spent)
		waited = spent;
	thread->part[VC_WHY_BLOCKED] -= waited;
	thread->part[VC_WHY_RUNNABLE] += waited;
	thread->last.ns -= waited;
	if (vw_stacks && thread->stands_for)
		vw_add_block_stack(thread, spent - waited);
}

/*
 * Add the thread's last blocked times to its open transactions.  This is done before a transaction
 * begins or ends, and when the reason changes.  Without an open transaction there are no such
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
 * Make room for another transaction in a thread with open ones.  If this tag is already open, its
 * end was not seen.  If all entries are in use, drop the oldest transaction: another thread may
 * have ended it.
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

/* A transaction begins: save the thread's sums so far. */
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
 * Bring the thread's sums up to date.  This is done before the ending transaction is looked up,
 * because the verifier checks the code after that once for each transaction that it can be.
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
 * @begun is the begin time that the program passed, which is before the kernel saw the begin, or 0
 * if unknown.  A later time belongs to a newer transaction: another thread has ended the open one.
 *
 * Only the begins of a wanted process are open.
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

/* Drop the open transactions of a thread that cannot end them any more. */
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
