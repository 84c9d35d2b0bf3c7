/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Types in the maps of 'vcpc why', shared by its BPF programs and its reader.  Only fixed-width
 * types are used.
 */
#ifndef VCPC_BPF_WHY_H
#define VCPC_BPF_WHY_H

#include <linux/types.h>
#include "function.h"
#include "trace.h"

#define VC_WHY_THREADS	16384	/* rows of vw_thread */
#define VC_WHY_TAGS	1024	/* rows of vw_tag, and the maximum number of rows of vw_stat */
#define VC_WHY_REASONS	16384	/* rows of vw_reason */
#define VC_WHY_STACKS	16384	/* rows of vw_stack */
#define VC_WHY_TRACES	8192	/* user stacks in each map; twice as many kernel stacks */
#define VC_WHY_SHORT_NS	100000	/* shorter waits have stacks only in a random sample */
#define VC_WHY_MORE	(1 << 30)	/* flag: the rest of the key is a key of the second map */
#define VC_WHY_ADDRESS	(1 << 29)	/* flag: a key of vw_address, not of vw_user */
#define VC_WHY_FRAMES	48	/* maximum number of frames per stack */
#define VC_WHY_DEPTH	4	/* maximum number of open transactions per thread */
#define VC_WHY_OWN_REASONS 6	/* causes that a transaction keeps until it ends */
#define VC_WHY_OWN_STACKS 8	/* stacks that a transaction keeps until it ends */
#define VC_WHY_PIDS	(1u << 22)	/* more than Linux's highest thread ID */
#define VC_WHY_OCTAVES	(VC_HIST_TOP + 1)

/* The states of a thread, and the parts of a transaction's time */
enum vc_why_part {
	VC_WHY_ON_CPU,
	VC_WHY_RUNNABLE,	/* waiting for a CPU */
	VC_WHY_BLOCKED,
	VC_WHY_PARTS,
};

/*
 * Why a thread was blocked: the number of its system call + 1, 0 outside a system call, or one of
 * the following
 */
#define VC_WHY_CALL	0xffffu
#define VC_WHY_IO	(1u << 16)	/* waiting for a disk */
#define VC_WHY_COMPAT	(1u << 17)	/* the system call number belongs to a 32-bit program */
#define VC_WHY_STOPPED	(1u << 18)	/* stopped by a signal or a debugger */
#define VC_WHY_SAMPLED	0xffffffffu	/* not blocked: sampled on a CPU */

struct vc_why_cause {
	__u32 reason;
	__u32 times;
	__u64 ns;
};

struct vc_why_seen {
	__u32 reason;		/* as above, or VC_WHY_SAMPLED */
	__s32 user;		/* keys in vw_user and vw_kernel, or VC_WHY_*; negative: none */
	__s32 kernel;
	__u32 times;
	__u64 ns;
};

/* An open transaction of a thread */
struct vc_why_open {
	__u64 tag;
	__u32 user;
	__u32 row;		/* row of this tag in vw_stat + 1; 0: not yet known */
	__u32 causes;		/* number of causes and of stacks */
	__u32 stacks;
	__u64 least;		/* index of the shortest entry, for vw_add_stack() */
	__u64 start_ns;		/* 0: not open */
	__u64 sp;		/* for function calls: stack pointer at the entry; otherwise 0 */
	__u64 part[VC_WHY_PARTS];	/* the thread's sums when the transaction began */
	struct vc_why_cause cause[VC_WHY_OWN_REASONS];
	struct vc_why_seen stack[VC_WHY_OWN_STACKS];
};

/* The state of a thread and its open transactions */
struct vc_why_thread {
	__u64 since_ns;		/* when the thread entered @state */
	__u64 run_delay;	/* the kernel's sum when the thread was last blocked */
	__u64 unsettled;	/* blocked time that still includes the wait for a CPU */
	__u64 part[VC_WHY_PARTS];	/* total time in each state before @since_ns */
	__u64 unknown;		/* a value that the verifier must not know: see vw_hide() */
	__u64 sampled_ns;	/* when the thread was last sampled */
	__u32 state;		/* enum vc_why_part */
	__s32 user;		/* where the thread is or was blocked */
	__s32 kernel;
	__u32 stands_for;	/* number of waits that the last one represents; 0: its stack is dropped */
	__u32 adding;		/* 1 while a stack is added to @open */
	struct vc_why_cause last;	/* sum of the last blocks, not yet added to @open */
	__u64 opened;		/* number of open transactions */
	__u64 account;		/* key in vc_user; 0: root's, or not limited */
	struct vc_why_open open[VC_WHY_DEPTH];
};

/* vw_kernel: row -> a kernel stack */
struct vc_why_trace {
	__u64 hash;		/* 0: the row is unused */
	__u64 frame[VC_WHY_FRAMES];	/* innermost first; 0 after the last one */
};

/* vw_tag: key -> the tag's name and row */
struct vc_why_key {
	__u64 tag;		/* ID from the module or of a function; with probes, a name hash */
	__u32 user;
} __attribute__((packed, aligned(4)));

struct vc_why_name {
	char name[VC_TAG_LEN];
};

struct vc_why_tag {
	__u32 row;		/* in vw_stat */
	struct vc_why_name name;
};

/* vw_stat (per CPU): row of a tag -> the parts of its transactions, by duration */
struct vc_why_slot {
	__u64 count;
	__u64 part[VC_WHY_PARTS];
};

struct vc_why_stat {
	struct vc_why_slot slot[VC_HIST_SLOTS];		/* buckets as in vc_hist_slot() */
	__u64 hist[VC_WHY_PARTS][VC_WHY_OCTAVES];	/* by bucket of 2^n ns and more; a part
							 * of 0 ns is not counted */
};

/* vw_reason: key -> how long the transactions of a tag and duration were blocked for a reason */
struct vc_why_reason_key {
	struct vc_why_key tag;
	__u32 slot;
	__u32 reason;
} __attribute__((packed, aligned(4)));

/* vw_stack: key -> the same for a stack of a process */
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

/* vw_drop (per CPU array): index -> number of losses */
enum vc_why_drop {
	VC_WHY_DROP_NOT_SEEN,	/* ends whose begin event was not seen in their thread */
	VC_WHY_DROP_MOVED,	/* begun in one thread, ended by another */
	VC_WHY_DROP_DIED,	/* open when their thread exited or executed a program, or left
				 * their function without a return */
	VC_WHY_DROP_DEEP,	/* dropped because too many were open in the thread */
	VC_WHY_DROP_BROKEN,	/* parts do not add up, because a change of state was missed */
	VC_WHY_DROP_THREADS,	/* begun by a thread that did not fit into vw_thread */
	VC_WHY_DROP_TAGS,	/* ended, but their tag did not fit into vw_stat */
	VC_WHY_DROP_REASONS,	/* causes that did not fit */
	VC_WHY_DROP_STACKS,	/* stacks that did not fit */
	VC_WHY_DROP_NR,
};

#endif /* VCPC_BPF_WHY_H */
