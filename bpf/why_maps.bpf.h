/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The maps and tables of 'vcpc why', and functions that take a row and count a drop
 *
 * As in users.bpf.h, rows are charged to the account of the thread that needed them, but 'vcpc why'
 * has its own vc_user, separate from that of a tracing session.  Only a thread's row is released
 * before 'vcpc why' ends, because the statistics of programs that have ended are still wanted.
 */
#ifndef VCPC_BPF_WHY_MAPS_BPF_H
#define VCPC_BPF_WHY_MAPS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "slot.bpf.h"
#include "users.bpf.h"
#include "why.h"

/* The members of vc_user.rows that count the rows of vw_tag, vw_thread, vw_reason and vw_stack */
#define VW_ROWS_TAG	VC_ROWS_TAG
#define VW_ROWS_THREAD	VC_ROWS_OPEN
#define VW_ROWS_REASON	VC_ROWS_COUNT
#define VW_ROWS_STACK	VC_ROWS_EVENTS

/* Set before loading and constant afterwards */
const volatile __u32 vw_pid;		/* trace only this process; 0: all processes */
const volatile __u32 vw_stacks;		/* 1: collect stacks */
const volatile __u64 vw_period;		/* ns between two samples */
const volatile __u32 vw_tags;		/* rows of vw_stat */

/*
 * Indexed by thread ID: the thread's row in vw_thread + 1, or 0.  The lookup at each switch and
 * wakeup takes a few instructions; a hash would take a hundred.
 */
static __u16 vw_row[VC_WHY_PIDS];
static struct vc_why_thread vw_thread[VC_WHY_THREADS];
static __u32 vw_used;	/* rows used so far; vw_free contains the rows that were released */
static __u32 vw_used_tags;	/* rows of vw_stat used so far; see also vw_free_tag */

struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, VC_WHY_THREADS);
	__type(value, __u32);
} vw_free SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VC_WHY_TAGS);
	__type(key, struct vc_why_key);
	__type(value, struct vc_why_tag);
} vw_tag SEC(".maps");

/*
 * Open transactions keep the row of their tag, so the next transaction with the same tag finds the
 * row without a hash.  Tags are never removed.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, VC_WHY_TAGS);
	__type(key, __u32);
	__type(value, struct vc_why_stat);
} vw_stat SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, VC_WHY_TAGS);
	__type(value, __u32);
} vw_free_tag SEC(".maps");

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
 * Stacks are stored as addresses.  When a stack of one of root's threads is first seen in a
 * program, it is also stored by build ID, if the kernel can find one, because the program may have
 * exited when the stack is read.  This is not done for other users: any user can map files in which
 * the kernel searches 50 us for a build ID, for each frame, with the run queue locked.
 *
 * A map of user stacks keeps only the first stack with a given hash.  The second maps hold most of
 * the others.
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
} vw_address SEC(".maps"), vw_address2 SEC(".maps");

/* Kernel stacks: each in the row of its hash, or in one of the next rows */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2 * VC_WHY_TRACES);
	__type(key, __u32);
	__type(value, struct vc_why_trace);
} vw_kernel SEC(".maps");

/* Buffer for a kernel stack that is being stored, which happens with interrupts disabled */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct vc_why_trace);
} vw_seen SEC(".maps");

/*
 * Key of vw_address or vw_address2 -> the program << 32 | the stack's key in vw_user.  It is valid
 * until the process executes another program, even if the process maps another file at the same
 * addresses.
 */
static __u64 vw_known[2 * VC_WHY_TRACES];

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, VC_WHY_DROP_NR);
	__type(key, __u32);
	__type(value, __u64);
} vw_drop SEC(".maps");

/* One event of a transaction */
struct vw_event {
	struct vc_why_key key;
	__u64 ids;		/* process << 32 | thread ID of the caller */
	__u64 now;		/* when it arrived, or 0: the clock has not been read yet */
	const char *name;
	__u32 user_name;	/* @name is in user memory */
};

static __always_inline int vw_wanted(__u64 ids)
{
	return !vw_pid || vw_pid == ids >> 32;
}

/* Return the event's time.  Read the clock unless another program has read it for this event. */
static __always_inline __u64 vw_now(const struct vw_event *ev)
{
	return ev->now ? ev->now : bpf_ktime_get_ns();
}

static __always_inline void vw_count_drop(__u32 why, __u64 many)
{
	__u64 *n = bpf_map_lookup_elem(&vw_drop, &why);

	if (n)
		*n += many;
}

/* Return a released row, or the next one that was never used, or @max if all @max rows are used. */
static __always_inline __u32 vw_take_row(void *released, __u32 *used, __u32 max)
{
	__u32 row;

	if (!bpf_map_pop_elem(released, &row))
		return row;
	return *used < max ? __sync_fetch_and_add(used, 1) : max;
}

#endif /* VCPC_BPF_WHY_MAPS_BPF_H */
