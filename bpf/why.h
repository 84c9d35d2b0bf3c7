/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Types in the maps of 'vcpc why', shared by its BPF programs and its reader.
 *
 * Fixed width only.
 */
#ifndef VCPC_BPF_WHY_H
#define VCPC_BPF_WHY_H

#include <linux/types.h>
#include "trace.h"

#define VC_WHY_THREADS	16384	/* rows of vw_thread */
#define VC_WHY_TAGS	1024	/* rows of vw_tag, and at most of vw_stat */
#define VC_WHY_REASONS	16384	/* rows of vw_reason */
#define VC_WHY_STACKS	16384	/* rows of vw_stack */
#define VC_WHY_TRACES	8192	/* different user stacks, and as many kernel stacks */
#define VC_WHY_MORE	(1 << 30)	/* in a key of a stack: the rest is a key of the second map */
#define VC_WHY_FRAMES	48	/* frames of a stack that are kept */
#define VC_WHY_DEPTH	4	/* transactions that a thread may be in at a time */
#define VC_WHY_OWN_REASONS 6	/* different reasons that a transaction keeps until it ends */
#define VC_WHY_OWN_STACKS 8	/* likewise stacks */
#define VC_WHY_PIDS	(1u << 22)	/* more thread ids than Linux can have */
#define VC_WHY_OCTAVES	(VC_HIST_TOP + 1)

/* The states of a thread, and the parts of a transaction's time */
enum vc_why_part {
	VC_WHY_ON_CPU,
	VC_WHY_RUNNABLE,	/* waiting for a CPU */
	VC_WHY_BLOCKED,
	VC_WHY_PARTS,
};

/* Why a thread was blocked: the number of its system call + 1, 0 without one, and these */
#define VC_WHY_CALL	0xffffu
#define VC_WHY_IO	(1u << 16)	/* it waited for a disk */
#define VC_WHY_COMPAT	(1u << 17)	/* the number is a 32-bit program's */
#define VC_WHY_STOPPED	(1u << 18)	/* by a signal or a debugger */
#define VC_WHY_SAMPLED	0xffffffffu	/* it was not blocked but sampled on a CPU */

struct vc_why_cause {
	__u32 reason;
	__u32 times;
	__u64 ns;
};

struct vc_why_seen {
	__u32 reason;		/* or VC_WHY_SAMPLED */
	__s32 user;		/* keys in vw_user and vw_kernel, or VC_WHY_MORE; negative: none */
	__s32 kernel;
	__u32 times;
	__u64 ns;
};

/* An open transaction of a thread */
struct vc_why_open {
	__u64 tag;
	__u32 user;
	__u16 causes;		/* how many there are of each */
	__u16 stacks;
	__u64 start_ns;		/* 0: none is open here */
	__u64 part[VC_WHY_PARTS];	/* what the thread had when it began */
	struct vc_why_cause cause[VC_WHY_OWN_REASONS];
	struct vc_why_seen stack[VC_WHY_OWN_STACKS];
};

/* vw_thread: thread id -> its state and its open transactions */
struct vc_why_thread {
	__u64 since_ns;		/* since when it is in @state */
	__u64 part[VC_WHY_PARTS];	/* how long it was in each before */
	__u32 state;		/* enum vc_why_part */
	__u32 reason;		/* if it is blocked: why, and where */
	__s32 user;
	__s32 kernel;
	struct vc_why_open open[VC_WHY_DEPTH];
};

/* vw_tag: key -> the tag's name */
struct vc_why_key {
	__u64 tag;		/* its id by the module; without the module, the hash of its name */
	__u32 user;
} __attribute__((packed, aligned(4)));

struct vc_why_name {
	char name[VC_TAG_LEN];
};

/* vw_stat (per CPU): key -> the parts of its transactions, by how long these took */
struct vc_why_slot {
	__u64 count;
	__u64 part[VC_WHY_PARTS];
};

struct vc_why_stat {
	struct vc_why_slot slot[VC_HIST_SLOTS];		/* as vc_hist_slot() */
	__u64 hist[VC_WHY_PARTS][VC_WHY_OCTAVES];	/* of each part: 2^n ns and more; not of 0 */
};

/* vw_reason: key -> how long the transactions of a tag and duration were blocked for that reason */
struct vc_why_reason_key {
	struct vc_why_key tag;
	__u32 slot;
	__u32 reason;
} __attribute__((packed, aligned(4)));

/* vw_stack: likewise, of a stack in a process */
struct vc_why_stack_key {
	struct vc_why_key tag;
	__u32 slot;
	__u32 reason;
	__s32 user;
	__s32 kernel;
	__u32 tgid;
} __attribute__((packed, aligned(4)));

struct vc_why_sum {
	__u64 ns;
	__u64 times;
};

/* vw_drop (per CPU array): index -> how many */
enum vc_why_drop {
	VC_WHY_DROP_NOT_SEEN,	/* ends whose thread has not begun: they began before, or elsewhere */
	VC_WHY_DROP_MOVED,	/* begun in a thread, and ended by another one */
	VC_WHY_DROP_DIED,	/* open when their thread ended, or executed a program */
	VC_WHY_DROP_DEEP,	/* more of them were open in a thread than there is room for */
	VC_WHY_DROP_BROKEN,	/* a change of state was missed: the parts do not add up */
	VC_WHY_DROP_THREADS,	/* begun by a thread for which vw_thread had no room */
	VC_WHY_DROP_TAGS,	/* ended, but vw_stat had no room for their tag */
	VC_WHY_DROP_REASONS,	/* causes for which there was no room */
	VC_WHY_DROP_STACKS,	/* stacks for which there was no room */
	VC_WHY_DROP_NR,
};

#endif /* VCPC_BPF_WHY_H */
