/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Types shared by the program that finds the changed rows of vc_stat and the reader that runs it.
 * Each reader has its own program and maps.
 */
#ifndef VCPC_BPF_CHANGES_H
#define VCPC_BPF_CHANGES_H

#include "trace.h"

#define VC_CHANGES_SIZE	(1u << 20)	/* maximum size of the changes that a run returns */

/* vc_seen: row number -> the row's values when the reader last received them */
struct vc_seen {
	struct vc_stat_key key;
	__u8 rests;		/* set by the reader to skip the row until it changes */
	__u8 all;		/* set by the reader to get all buckets of its histogram */
	__u8 again;		/* set by the reader to get the row again in the same reading */
	__u8 same;		/* unchanged since the previous reading */
	__u64 read;		/* number of the reading that last returned it */
	VC_STAT_SUMS(VC_STAT_MEMBER)	/* sums over all CPUs */
	__u64 last_ns, value;	/* the latest event on any CPU */
};

/*
 * One CPU's part of a row, followed in @hist by the histogram buckets from @first up to, but not
 * including, @end
 */
struct vc_change {
	__u32 row;
	__u32 first, end;
	__u32 reserved;
	struct vc_stat stat;	/* first bucket in hist */
};

#endif /* VCPC_BPF_CHANGES_H */
