/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Types in the pinned trace maps, shared by the BPF programs and their readers.
 *
 * Fixed width only.
 */
#ifndef VCPC_BPF_TRACE_H
#define VCPC_BPF_TRACE_H

#include <linux/types.h>

#define VC_PIN_DIR	"/sys/fs/bpf/vcpc"
#define VC_TAG_LEN	256
#define VC_MAX_TAGS	4096	/* unless the loader says otherwise: names, rows of vc_stat */
#define VC_MAX_OPEN	16384	/* and rows of vc_open */
#define VC_HIST_SLOTS	64	/* slot n counts times of 2^n .. 2^(n+1)-1 ns; slot 0 has 0 too */

/* What a tag was used for; PCP's kinds. */
enum vc_kind {
	VC_TRANSACT = 1,
	VC_POINT = 2,
	VC_OBSERVE = 3,
	VC_COUNTER = 4,
};

/* vc_tag: key u32 tag id -> the tag's name, once an event of it was seen */
struct vc_tag_name {
	char name[VC_TAG_LEN];	/* zero from the NUL to the end */
};

/*
 * vc_open: key -> value, one for each process that ever began the tag, so that
 * its next begin finds the row there; or for each thread that is in it.  A
 * process's row lasts until it closes its trace descriptor.
 */
struct vc_open_key {
	__u32 tag;
	__u32 pid;		/* process id, or thread id if per_thread */
	__u32 per_thread;
};

struct vc_open_val {
	__u64 start_ns;		/* CLOCK_MONOTONIC; 0: not begun now */
	__u32 tgid;		/* the process, also if per_thread */
	__u32 reserved;
};

/* vc_stat (per CPU): key -> value, one for each tag and kind */
struct vc_stat_key {
	__u32 tag;
	__u32 kind;		/* enum vc_kind */
};

struct vc_stat {
	__u64 count;
	__u64 sum_ns;		/* transactions only, as are min, max and hist */
	__u64 min_ns;
	__u64 max_ns;
	__u64 last_ns;		/* when the last event came, CLOCK_MONOTONIC */
	__u64 value;		/* bits of the last observation or counter value */
	__u64 hist[VC_HIST_SLOTS];
};

/* vc_drop (per CPU array): index -> how many events were lost for that reason */
enum vc_drop_reason {
	VC_DROP_OPEN_FULL,	/* no room for one more open transaction */
	VC_DROP_STAT_FULL,	/* no room for one more tag and kind */
	VC_DROP_TAG_FULL,	/* no room for one more name */
	VC_DROP_NOT_OPEN,	/* an end or abort whose begin was not seen */
	VC_DROP_NR,
};

#endif /* VCPC_BPF_TRACE_H */
