/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The maps of 'vcpc why', which show where the time of a transaction goes, and how a begin, an end,
 * and a change of a thread's state update them.
 *
 * A thread's times on a CPU, waiting for one, and blocked are summed while it has an open
 * transaction; a transaction saves these sums when it begins, and takes the differences when it
 * ends.  So transactions can be nested, and their parts always add up to their time.
 *
 * Locking: a row of vw_thread is changed by its thread, and by the scheduler, which holds the lock
 * of the thread's run queue.
 */
#ifndef VCPC_BPF_WHY_BPF_H
#define VCPC_BPF_WHY_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "slot.bpf.h"
#include "why.h"

/* Set before loading and constant from then on */
const volatile __u32 vw_pid;		/* trace only this process, if it is not 0 */
const volatile __u32 vw_stacks;		/* record stacks */
const volatile __u64 vw_period;		/* ns between two samples */

/*
 * By thread id: its row in vw_thread + 1, or 0.  Finding it takes a few instructions, where a hash
 * takes a hundred, at each switch and wakeup.
 */
static __u16 vw_row[VC_WHY_PIDS];
static __u32 vw_used;	/* rows used so far; vw_free contains the rows that were released */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, VC_WHY_THREADS);
	__type(key, __u32);
	__type(value, struct vc_why_thread);
} vw_thread SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, VC_WHY_THREADS);
	__type(value, __u32);
} vw_free SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VC_WHY_TAGS);
	__type(key, struct vc_why_key);
	__type(value, struct vc_why_name);
} vw_tag SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, VC_WHY_TAGS);
	__type(key, struct vc_why_key);
	__type(value, struct vc_why_stat);
} vw_stat SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VC_WHY_REASONS);
	__type(key, struct vc_why_reason_key);
	__type(value, struct vc_why_sum);
} vw_reason SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VC_WHY_STACKS);
	__type(key, struct vc_why_stack_key);
	__type(value, struct vc_why_sum);
} vw_stack SEC(".maps");

/*
 * Stacks of root's threads are stored by build id, if the kernel can find it: programs may have
 * exited when their stacks are read.  Those of other users are stored as addresses: any user can map
 * files in which the kernel searches 50 us for a build id, for each frame, with the run queue locked.
 *
 * A map of stacks keeps only the first of all stacks with the same hash.  The second maps take most
 * of the others.
 */
struct vw_user_map {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, VC_WHY_TRACES);
	__uint(map_flags, BPF_F_STACK_BUILD_ID);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, VC_WHY_FRAMES * sizeof(struct bpf_stack_build_id));
} vw_user SEC(".maps"), vw_user2 SEC(".maps");

struct vw_address_map {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, VC_WHY_TRACES);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, VC_WHY_FRAMES * sizeof(__u64));
} vw_kernel SEC(".maps"), vw_kernel2 SEC(".maps"), vw_address SEC(".maps"), vw_address2 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, VC_WHY_DROP_NR);
	__type(key, __u32);
	__type(value, __u64);
} vw_drop SEC(".maps");

/* One event of a transaction */
struct vw_event {
	struct vc_why_key key;
	const char *name;
	__u32 user_name;	/* @name is in user memory */
};

static __always_inline int vw_wanted(void)
{
	return !vw_pid || vw_pid == bpf_get_current_pid_tgid() >> 32;
}

static __always_inline void vw_count_drop(__u32 why, __u64 many)
{
	__u64 *n = bpf_map_lookup_elem(&vw_drop, &why);

	if (n)
		*n += many;
}

#define VW_TAKEN	-17	/* EEXIST: occupied by another stack */
#define VW_FULL		-12	/* ENOMEM */

/* Return the current stack's key; negative: no stack, or the map is full, which is counted. */
static __always_inline __s32 vw_trace(void *ctx, void *map, void *second, __u64 flags)
{
	long id = bpf_get_stackid(ctx, map, flags);

	if (id == VW_TAKEN) {
		id = bpf_get_stackid(ctx, second, flags);
		if (id >= 0)
			id |= VC_WHY_MORE;
	}
	if (id == VW_TAKEN || id == VW_FULL)
		vw_count_drop(VC_WHY_DROP_STACKS, 1);
	return id;
}

static __always_inline __s32 vw_user_trace(void *ctx)
{
	__s32 id;

	if (!(__u32)bpf_get_current_uid_gid())
		return vw_trace(ctx, &vw_user, &vw_user2, BPF_F_USER_STACK);
	id = vw_trace(ctx, &vw_address, &vw_address2, BPF_F_USER_STACK);
	return id < 0 ? id : id | VC_WHY_ADDRESS;
}

static __always_inline __s32 vw_kernel_trace(void *ctx)
{
	return vw_trace(ctx, &vw_kernel, &vw_kernel2, 0);
}

/* A thread's row, or NULL if it has none */
static __always_inline struct vc_why_thread *vw_thread_of(__u32 tid)
{
	__u32 row = vw_row[tid & (VC_WHY_PIDS - 1)];

	if (!row)
		return NULL;
	row--;
	return bpf_map_lookup_elem(&vw_thread, &row);
}

/* Likewise, if it is in a transaction: other threads need no work. */
static __always_inline struct vc_why_thread *vw_busy_thread(__u32 tid)
{
	struct vc_why_thread *thread = vw_thread_of(tid);

	return thread && thread->opened ? thread : NULL;
}

/* End the thread's current state.  CPU clocks may differ: time must not run backwards. */
static __always_inline __u64 vw_leave(struct vc_why_thread *thread, __u64 now)
{
	__u32 state = thread->state;
	__u64 spent = now - thread->since_ns;

	if ((__s64)spent < 0)
		return 0;
	thread->since_ns = now;
	if (state < VC_WHY_PARTS)
		thread->part[state] += spent;
	return spent;
}

static __noinline struct vc_why_thread *vw_new_thread(__u32 tid)
{
	__u32 row;

	if (bpf_map_pop_elem(&vw_free, &row)) {
		row = vw_used < VC_WHY_THREADS ? __sync_fetch_and_add(&vw_used, 1) : VC_WHY_THREADS;
		if (row >= VC_WHY_THREADS) {
			vw_count_drop(VC_WHY_DROP_THREADS, 1);
			return NULL;
		}
	}
	vw_row[tid & (VC_WHY_PIDS - 1)] = row + 1;
	return bpf_map_lookup_elem(&vw_thread, &row);
}

/*
 * Make room for another transaction in a thread with open ones.  If this tag is already open, its
 * end was not seen; if all are in use, drop the oldest one: another thread may have ended it.
 */
static __noinline struct vc_why_open *vw_next_open(struct vc_why_thread *thread,
						   const struct vc_why_key *key)
{
	struct vc_why_open *open = &thread->open[0];

	for (int i = 0; i < VC_WHY_DEPTH; i++) {
		struct vc_why_open *o = &thread->open[i];

		if (o->start_ns && !o->sp && o->tag == key->tag && o->user == key->user) {
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

/* A transaction begins now: save the thread's sums so far. */
static __always_inline void vw_start(struct vc_why_thread *thread, struct vc_why_open *open,
				     const struct vc_why_key *key, __u64 sp)
{
	__u64 now = bpf_ktime_get_ns();

	if (thread->opened) {
		vw_leave(thread, now);
	} else {
		thread->state = VC_WHY_ON_CPU;
		thread->since_ns = now;
	}
	if (!open->start_ns)
		thread->opened++;
	open->tag = key->tag;
	open->user = key->user;
	open->causes = 0;
	open->stacks = 0;
	open->sp = sp;
	for (int i = 0; i < VC_WHY_PARTS; i++)
		open->part[i] = thread->part[i];
	open->start_ns = now;
}

static __always_inline void vw_begin(const struct vw_event *ev)
{
	__u32 tid = bpf_get_current_pid_tgid();
	struct vc_why_thread *thread = vw_thread_of(tid);

	if (!thread)
		thread = vw_new_thread(tid);
	if (!thread)
		return;
	vw_start(thread, thread->opened ? vw_next_open(thread, &ev->key) : &thread->open[0],
		 &ev->key, 0);
}

static __noinline struct vc_why_stat *vw_new_stat(const struct vw_event *ev)
{
	static const struct vc_why_name no_name;
	static const struct vc_why_stat zero;
	struct vc_why_key key = ev->key;
	struct vc_why_name *name;
	struct vc_why_stat *stat;

	bpf_map_update_elem(&vw_tag, &key, &no_name, BPF_NOEXIST);
	name = bpf_map_lookup_elem(&vw_tag, &key);
	if (name && ev->user_name)
		bpf_probe_read_user_str(name->name, sizeof(name->name), ev->name);
	else if (name)
		bpf_probe_read_kernel_str(name->name, sizeof(name->name), ev->name);
	if (name)
		bpf_map_update_elem(&vw_stat, &key, &zero, BPF_NOEXIST);
	stat = bpf_map_lookup_elem(&vw_stat, &key);
	if (!stat)
		vw_count_drop(VC_WHY_DROP_TAGS, 1);
	return stat;
}

/* If @t is at least VC_HIST_SUB << 2^@bit, shift it by 2^@bit. */
#define VW_SHIFT_STEP(t, n, bit) do {							\
	__u64 by_ = ((((__u64)VC_HIST_SUB << (1 << (bit))) - 1 - (t)) >> 63) << (bit);	\
											\
	(t) >>= by_;									\
	(n) += by_;									\
} while (0)

/*
 * vc_time_slot() of less than 2^63 ns, without branches: the verifier would check what follows once
 * for each path through the branches.  A global function would also prevent that, but Linux 6.12
 * refuses to call one while preemption is disabled.
 */
static __noinline __u32 vw_slot(__u64 ns)
{
	__u64 n = 0;

	VW_SHIFT_STEP(ns, n, 5);
	VW_SHIFT_STEP(ns, n, 4);
	VW_SHIFT_STEP(ns, n, 3);
	VW_SHIFT_STEP(ns, n, 2);
	VW_SHIFT_STEP(ns, n, 1);
	VW_SHIFT_STEP(ns, n, 0);
	n = n * VC_HIST_SUB + ns;
	return n < VC_HIST_SLOTS ? n : VC_HIST_SLOTS - 1;
}

static __always_inline void vw_add_sum(void *map, const void *key, __u64 ns, __u64 times, __u32 drop)
{
	static const struct vc_why_sum zero;
	struct vc_why_sum *sum = bpf_map_lookup_elem(map, key);

	if (!sum) {
		bpf_map_update_elem(map, key, &zero, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(map, key);
	}
	if (!sum) {
		vw_count_drop(drop, times);
		return;
	}
	__sync_fetch_and_add(&sum->ns, ns);
	__sync_fetch_and_add(&sum->times, times);
}

static __noinline void vw_add_causes(const struct vc_why_open *open, __u32 slot)
{
	struct vc_why_reason_key key = {
		.tag = { .tag = open->tag, .user = open->user }, .slot = slot,
	};

	for (__u32 i = 0; i < VC_WHY_OWN_REASONS && i < open->causes; i++) {
		key.reason = open->cause[i].reason;
		vw_add_sum(&vw_reason, &key, open->cause[i].ns, open->cause[i].times,
			   VC_WHY_DROP_REASONS);
	}
}

static __noinline void vw_add_stacks(const struct vc_why_open *open, __u32 slot)
{
	struct vc_why_stack_key key = {
		.tag = { .tag = open->tag, .user = open->user }, .slot = slot,
		.tgid = bpf_get_current_pid_tgid() >> 32,
	};

	for (__u32 i = 0; i < VC_WHY_OWN_STACKS && i < open->stacks; i++) {
		const struct vc_why_seen *seen = &open->stack[i];

		key.reason = seen->reason;
		key.user = seen->user;
		key.kernel = seen->kernel;
		vw_add_sum(&vw_stack, &key, seen->ns, seen->times, VC_WHY_DROP_STACKS);
	}
}

/* @slot: of the whole time, @spent, which most transactions spend in one part */
static __always_inline void vw_add_part(struct vc_why_stat *stat, __u64 slot, __u64 spent,
					__u32 part, __u64 ns)
{
	__u64 octave;

	if (!ns)
		return;
	stat->slot[slot].part[part] += ns;
	/* From 8 ns upwards an octave has eight buckets; below that, these counts do not matter. */
	octave = (ns == spent ? slot : vw_slot(ns)) / VC_HIST_SUB + VC_HIST_BITS - 1;
	barrier_var(octave);	/* as in vw_commit */
	if (octave < VC_WHY_OCTAVES)
		stat->hist[part][octave]++;
}

/* Add an ending transaction to its tag's statistics */
static __always_inline void vw_commit(const struct vw_event *ev, const struct vc_why_thread *thread,
				      const struct vc_why_open *open, __u64 now)
{
	struct vc_why_key key = ev->key;
	struct vc_why_stat *stat = bpf_map_lookup_elem(&vw_stat, &key);
	__u64 spent = now - open->start_ns;
	__u64 part[VC_WHY_PARTS];
	__u64 slot = vw_slot(spent);

	for (int i = 0; i < VC_WHY_PARTS; i++)
		part[i] = thread->part[i] - open->part[i];
	if (part[VC_WHY_ON_CPU] + part[VC_WHY_RUNNABLE] + part[VC_WHY_BLOCKED] != spent) {
		vw_count_drop(VC_WHY_DROP_BROKEN, 1);
		return;
	}
	if (!stat)
		stat = vw_new_stat(ev);
	if (!stat)
		return;
	/*
	 * Keep the value in a register. If the compiler compares a copy on the stack and reads it
	 * again for the access, the verifier does not know its bounds.
	 */
	barrier_var(slot);
	if (slot >= VC_HIST_SLOTS)
		return;
	stat->slot[slot].count++;
	for (int i = 0; i < VC_WHY_PARTS; i++)
		vw_add_part(stat, slot, spent, i, part[i]);
	if (open->causes)
		vw_add_causes(open, slot);
	if (open->stacks)
		vw_add_stacks(open, slot);
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

/* Close a transaction; with @include, add it to the statistics. */
static __always_inline void vw_finish(const struct vw_event *ev, struct vc_why_thread *thread,
				      struct vc_why_open *open, __u64 now, int include)
{
	vw_leave(thread, now);
	if (include)
		vw_commit(ev, thread, open, now);
	open->start_ns = 0;
	thread->opened--;
}

/*
 * @begun: begin time that the program passed, before the kernel saw the begin; 0: unknown.  A later
 * time belongs to a newer transaction: another thread has ended the open one.
 */
static __always_inline void vw_end(const struct vw_event *ev, __u64 begun, int is_abort)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 tid = bpf_get_current_pid_tgid();
	struct vc_why_thread *thread = vw_busy_thread(tid);
	struct vc_why_open *open = thread ? vw_find_open(thread, &ev->key) : NULL;

	if (!open) {
		vw_count_drop(VC_WHY_DROP_NOT_SEEN, 1);
		return;
	}
	if (begun > open->start_ns)
		vw_count_drop(VC_WHY_DROP_MOVED, 1);
	vw_finish(ev, thread, open, now, begun <= open->start_ns && !is_abort);
}

/* The thread cannot end its open transactions. */
static __noinline void vw_thread_gone(__u32 tid)
{
	struct vc_why_thread *thread = vw_thread_of(tid);
	__u32 row = vw_row[tid & (VC_WHY_PIDS - 1)] - 1;

	if (!thread)
		return;
	if (thread->opened)
		vw_count_drop(VC_WHY_DROP_DIED, thread->opened);
	thread->opened = 0;
	for (int i = 0; i < VC_WHY_DEPTH; i++)
		thread->open[i].start_ns = 0;
	vw_row[tid & (VC_WHY_PIDS - 1)] = 0;
	bpf_map_push_elem(&vw_free, &row, 0);
}

static __always_inline void vw_add_cause(struct vc_why_open *open, __u32 reason, __u64 ns)
{
	for (__u32 i = 0; i < VC_WHY_OWN_REASONS; i++) {
		struct vc_why_cause *cause = &open->cause[i];

		if (i >= open->causes) {
			*cause = (struct vc_why_cause) { .reason = reason };
			open->causes = i + 1;
		}
		if (cause->reason != reason)
			continue;
		cause->times++;
		cause->ns += ns;
		return;
	}
	vw_count_drop(VC_WHY_DROP_REASONS, 1);
}

/* If all places are taken, replace the shortest one. */
static __noinline void vw_add_stack(struct vc_why_open *open, const struct vc_why_seen *new)
{
	__u32 least = 0;
	__u64 weight = ~0ull;

	for (__u32 i = 0; i < VC_WHY_OWN_STACKS; i++) {
		struct vc_why_seen *seen = &open->stack[i];

		if (i >= open->stacks) {
			*seen = *new;
			open->stacks = i + 1;
			return;
		}
		if (seen->reason == new->reason && seen->user == new->user &&
		    seen->kernel == new->kernel) {
			seen->times++;
			seen->ns += new->ns;
			return;
		}
		if (seen->ns < weight) {
			weight = seen->ns;
			least = i;
		}
	}
	vw_count_drop(VC_WHY_DROP_STACKS, 1);
	if (weight < new->ns && least < VC_WHY_OWN_STACKS)
		open->stack[least] = *new;
}

static __noinline void vw_add_stack_to_all(struct vc_why_thread *thread,
					   const struct vc_why_seen *seen)
{
	for (int i = 0; i < VC_WHY_DEPTH; i++)
		if (thread->open[i].start_ns)
			vw_add_stack(&thread->open[i], seen);
}

/* The thread was blocked for @ns and is now runnable. */
static __always_inline void vw_unblock(struct vc_why_thread *thread, __u64 ns)
{
	for (int i = 0; i < VC_WHY_DEPTH; i++)
		if (thread->open[i].start_ns)
			vw_add_cause(&thread->open[i], thread->reason, ns);
	if (vw_stacks) {
		struct vc_why_seen seen = {
			.reason = thread->reason, .user = thread->user, .kernel = thread->kernel,
			.times = 1, .ns = ns,
		};

		vw_add_stack_to_all(thread, &seen);
	}
}

#endif /* VCPC_BPF_WHY_BPF_H */
