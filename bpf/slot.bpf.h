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
 *
 * The verifier would check the code that uses the bucket once for each path through the steps,
 * because each path adds another constant to n.  Therefore add a 0 that it takes for any number.
 */
#define VC_SHIFT_STEP(t, n, step)						\
	asm volatile("if %0 < %2 goto +2; %0 >>= %3; %1 += %3"			\
		     : "+r"(t), "+r"(n) : "i"(VC_HIST_SUB << (step)), "i"(step))

static __always_inline __u64 vc_time_slot(__u64 t)
{
	__u64 n = 0, high = t >> (32 + VC_HIST_BITS), zero = t;

	/* The compiler would compute the constant itself. */
	asm volatile("%0 ^= %1" : "+r"(zero) : "r"(t));
	asm volatile("if %2 == 0 goto +2; %0 >>= 32; %1 += 32" : "+r"(t), "+r"(n) : "r"(high));
	VC_SHIFT_STEP(t, n, 16);
	VC_SHIFT_STEP(t, n, 8);
	VC_SHIFT_STEP(t, n, 4);
	VC_SHIFT_STEP(t, n, 2);
	VC_SHIFT_STEP(t, n, 1);
	return n * VC_HIST_SUB + t + zero;
}

#endif /* VCPC_BPF_SLOT_H */
