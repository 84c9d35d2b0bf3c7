/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Map types of traced functions, shared by the BPF programs and their readers */
#ifndef VCPC_BPF_FUNCTION_H
#define VCPC_BPF_FUNCTION_H

#include <linux/types.h>
#include "trace.h"

#define VC_MAX_PROBES	256	/* rows of vc_probe */
#define VC_MAX_CALLS	64	/* open calls per thread; the kernel does not probe more returns */
#define VC_MAX_PAIRS	16	/* tags of pairs */
#define VC_PLACE_LEN	256
#define VC_MAX_COUNTED_THREADS	1024

#define VC_FUNCTION_EVENTS	(1ull << 62)	/* key in vc_events: the events counted for calls */

enum vc_probe_what {
	VC_PROBE_FUNCTION = 1,	/* entry and return of a function */
	VC_PROBE_BEGIN = 2,	/* start of a transaction between two places */
	VC_PROBE_END = 3,	/* end of such a transaction, in the same thread */
};

/* vc_probe: row -> a probed place */
struct vc_probe {
	__u32 what;		/* enum vc_probe_what; 0: this row and all later ones are free */
	__s32 pid;		/* 0: all processes */
	__u64 first;		/* first row with this tag */
	__u64 offset;		/* file offset of the place */
	__u64 semaphore;	/* file offset of a word that counts probes; 0: none */
	/* The device, the inode and the time of modification identify the file. */
	__u64 device;
	__u64 inode;
	__u64 modified_ns;	/* the file's time of last modification */
	char tag[VC_TAG_LEN];
	char file[VC_PLACE_LEN];
};

/*
 * Tag IDs consist of this bit, the first row of vc_probe with the tag's name, and the user.  IDs
 * from the module and from the probes on libshim are always smaller.
 */
#define VC_FUNCTION_ID	(1ull << 62)
#define VC_FUNCTION_TAG(row, user) (VC_FUNCTION_ID | (__u64)(row) << 32 | (user))

/*
 * Cookie of a program attached to the start or the end of a pair: the tag's number among the tags
 * of pairs, and the tag's row
 */
#define VC_PAIR_COOKIE(pair, row) ((__u64)(pair) << 32 | (row))

/* vc_calls: task -> the thread's open calls and pairs */
struct vc_call {
	__u64 sp;		/* stack pointer at the entry: higher in a caller than in its
				 * callee */
	__u64 start_ns;
	__u64 row;		/* row of the tag in vc_probe */
};

struct vc_calls {
	__u64 depth;		/* number of calls in @call */
	__u64 pair[VC_MAX_PAIRS];	/* begin time of the pair; 0: not begun */
	struct vc_call call[VC_MAX_CALLS];
};

#endif /* VCPC_BPF_FUNCTION_H */
