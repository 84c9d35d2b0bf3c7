/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Types that the program which finds what has changed in vc_stat shares with the reader that runs
 * it.  Each reader has a program and maps of its own.
 */
#ifndef VCPC_BPF_CHANGES_H
#define VCPC_BPF_CHANGES_H

#include "trace.h"

#define VC_CHANGES_SIZE	(1u << 20)	/* bytes of changes that one run can return */

/* vc_seen: number of a row -> what it was when the reader was last given it */
struct vc_seen {
	struct vc_stat_key key;
	__u8 rests;		/* written by the reader: skip it until it changes */
	__u8 all;		/* written by the reader: give all slots of its histogram */
	__u8 again;		/* written by the reader: give it once more in the same reading */
	__u8 same;		/* it was as at the reading before */
	__u64 read;		/* number of the reading in which it was given */
	__u64 count, aborted, sum_ns, last_ns, value;	/* of all CPUs */
};

/* What one CPU has of a row; as many slots as there are from @first to before @end follow it in @hist */
struct vc_change {
	__u32 row;
	__u32 first, end;
	__u32 reserved;
	struct vc_stat stat;	/* its hist begins with slot @first */
};

#endif /* VCPC_BPF_CHANGES_H */
