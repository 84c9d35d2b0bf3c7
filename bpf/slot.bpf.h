/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Find the histogram bucket of a duration. */
#ifndef VCPC_BPF_SLOT_H
#define VCPC_BPF_SLOT_H

#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include "trace.h"

/*
 * Compute the same bucket as vc_hist_slot(): shift the duration right by n bits until the result t
 * is less than 16; the bucket is 8 n + t.  The steps are in assembly, because the compiler would
 * generate twice as much code.
 */
#define VC_SHIFT_STEP(t, n, step)						\
	asm volatile("if %0 < %2 goto +2; %0 >>= %3; %1 += %3"			\
		     : "+r"(t), "+r"(n) : "i"(VC_HIST_SUB << (step)), "i"(step))

static __always_inline __u64 vc_time_slot(__u64 t)
{
	__u64 n = 0, high = t >> (32 + VC_HIST_BITS);

	asm volatile("if %2 == 0 goto +2; %0 >>= 32; %1 += 32" : "+r"(t), "+r"(n) : "r"(high));
	VC_SHIFT_STEP(t, n, 16);
	VC_SHIFT_STEP(t, n, 8);
	VC_SHIFT_STEP(t, n, 4);
	VC_SHIFT_STEP(t, n, 2);
	VC_SHIFT_STEP(t, n, 1);
	return n * VC_HIST_SUB + t;
}

#endif /* VCPC_BPF_SLOT_H */
