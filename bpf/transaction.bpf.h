/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The arguments of the module's tracepoints vcpc_begin, vcpc_begin_counts, vcpc_end and vcpc_abort */
#ifndef VCPC_BPF_TRANSACTION_H
#define VCPC_BPF_TRANSACTION_H

#include <linux/bpf.h>
#include <linux/types.h>

#define ARG(ctx, n, type)	((type)(ctx)->args[n])

/* The layout of struct vcpc_trace_transaction (kmod/trace/events.h), which the module passes */
struct vc_transaction {
	__u64 tag;
	__u64 file;
	__u64 ids;		/* process << 32 | thread ID of the caller */
	__u64 start;		/* the begin time; 0: the program did not pass it */
	__u64 now;		/* arrival time; 0: no program has read the clock yet */
	__u32 user;		/* the tag's owner */
	__u32 thread;		/* as in struct vc_event */
};

#define TRANSACTION(ctx)	ARG(ctx, 0, struct vc_transaction *)
#define NAME(ctx)		ARG(ctx, 1, const char *)
#define COUNTS(ctx)		ARG(ctx, 2, const void *)

#endif /* VCPC_BPF_TRANSACTION_H */
