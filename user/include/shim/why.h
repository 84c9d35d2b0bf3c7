/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find out where the time of transactions goes: on a CPU, waiting for a CPU, or blocked, and in
 * which system calls and stacks, for all transactions of a tag and for the slow ones.
 *
 * While a handle is open, BPF programs watch threads that are in a transaction.  That requires root
 * (CAP_BPF and CAP_PERFMON) and a kernel with BTF.  It does not require tracing to be on, except
 * for traced functions (shim_trace_probe()), and leaves nothing on the machine.
 *
 * The calls return 0 or a negated errno, never set errno, and never print.
 */
#ifndef SHIM_WHY_H
#define SHIM_WHY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* struct shim_why_options.flags */
#define SHIM_WHY_F_STACKS	(1u << 0)	/* also record stacks */
#define SHIM_WHY_F_PROBES	(1u << 1)	/* use probes even if the module is loaded */

/**
 * struct shim_why_options - the request
 * @size: sizeof(struct shim_why_options)
 * @flags: SHIM_WHY_F_*
 * @pid: only transactions of this process (its ID in the initial PID namespace); 0: all processes
 * @hertz: samples per second on each CPU, for SHIM_WHY_F_STACKS; 0: 999
 */
struct shim_why_options {
	uint32_t size;
	uint32_t flags;
	uint32_t pid;
	uint32_t hertz;
};

/* Indexes of struct shim_why_parts.ns */
enum shim_why_part {
	SHIM_WHY_ON_CPU,	/* includes interrupts that were charged to the thread */
	SHIM_WHY_RUNNABLE,	/* waiting for a CPU */
	SHIM_WHY_BLOCKED,
	SHIM_WHY_PARTS
};

#define SHIM_WHY_OCTAVES 49

/**
 * struct shim_why_parts - the time of some transactions
 * @count: number of transactions
 * @ns: the parts of the total time; their sum is the total time
 */
struct shim_why_parts {
	uint64_t count;
	uint64_t ns[SHIM_WHY_PARTS];
};

/**
 * struct shim_why_tag - the transactions of a tag that ended
 * @name: the tag
 * @user: its user
 * @reserved: zero
 * @above_ns: the slow transactions took this time or longer
 * @all: the parts of all transactions
 * @slow: the parts of the slow transactions
 * @hist: for each part, number of transactions with 2^n to 2^(n+1) - 1 ns of that part;
 *   transactions with 0 ns are not counted
 */
struct shim_why_tag {
	const char *name;
	uint32_t user;
	uint32_t reserved;
	uint64_t above_ns;
	struct shim_why_parts all;
	struct shim_why_parts slow;
	uint64_t hist[SHIM_WHY_PARTS][SHIM_WHY_OCTAVES];
};

#define SHIM_WHY_SAMPLED	0xffffffffu	/* the reason is running on a CPU */

/**
 * struct shim_why_reason - a reason for which a tag's transactions were blocked
 * @reason: for shim_why_reason_name()
 * @reserved: zero
 * @all_ns: total time
 * @all_times: number of times
 * @slow_ns: total time in slow transactions
 * @slow_times: number of times in slow transactions
 *
 * At most six reasons are recorded per transaction; the time of others is only in SHIM_WHY_BLOCKED.
 */
struct shim_why_reason {
	uint32_t reason;
	uint32_t reserved;
	uint64_t all_ns;
	uint64_t all_times;
	uint64_t slow_ns;
	uint64_t slow_times;
};

#define SHIM_WHY_BUILD_ID 20

/**
 * struct shim_why_frame - a frame of a user stack
 * @has_build_id: whether @build_id is known; only for programs that root executes
 * @build_id: build ID of the file
 * @at: with a build ID: the offset in the file; without: the address in the process
 */
struct shim_why_frame {
	uint32_t has_build_id;
	uint8_t build_id[SHIM_WHY_BUILD_ID];
	uint64_t at;
};

/**
 * struct shim_why_stack - a stack of a tag's transactions
 * @reason: SHIM_WHY_SAMPLED, or the reason for which it was blocked there
 * @pid: process ID in the initial PID namespace
 * @nuser: number of frames in @user, innermost first; 0: unknown
 * @nkernel: number of frames in @kernel, innermost first; 0: unknown
 * @user: frames in user space
 * @kernel: addresses in the kernel
 * @all_ns: total time there; a sample represents the sampling interval
 * @all_times: number of times
 * @slow_ns: total time there in slow transactions
 * @slow_times: number of times in slow transactions
 *
 * Waits shorter than 100 us are sampled, so their sums are estimates.
 */
struct shim_why_stack {
	uint32_t reason;
	uint32_t pid;
	uint32_t nuser;
	uint32_t nkernel;
	const struct shim_why_frame *user;
	const uint64_t *kernel;
	uint64_t all_ns;
	uint64_t all_times;
	uint64_t slow_ns;
	uint64_t slow_times;
};

/**
 * struct shim_why_drops - events missing from the statistics, by reason
 * @not_seen: ends without a begin in their thread: the transaction began before the recording or in
 *	another thread
 * @moved: transactions that were not ended by the thread that began them, or whose thread began the
 *   same tag again before they ended
 * @died: transactions that were open when their thread ended or executed a program, and calls of
 *   traced functions that were left by longjmp(3) or an exception
 * @deep: transactions that were dropped because their thread was in more than four
 * @broken: transactions whose parts do not add up, because a change of state was not seen
 * @threads: transactions of threads for which there was no space
 * @tags: transactions of tags for which there was no space
 * @reasons: blocking times whose reason could not be stored
 * @stacks: stacks for which there was no space
 */
struct shim_why_drops {
	uint64_t not_seen;
	uint64_t moved;
	uint64_t died;
	uint64_t deep;
	uint64_t broken;
	uint64_t threads;
	uint64_t tags;
	uint64_t reasons;
	uint64_t stacks;
};

struct shim_why;

int shim_why_open(const struct shim_why_options *options, struct shim_why **why);
unsigned int shim_why_sampled_cpus(const struct shim_why *why);
int shim_why_tags_get(struct shim_why *why, double percent, size_t *n);
const struct shim_why_tag *shim_why_tag_at(const struct shim_why *why, size_t i);
int shim_why_reasons_get(struct shim_why *why, size_t tag, size_t *n);
const struct shim_why_reason *shim_why_reason_at(const struct shim_why *why, size_t i);
int shim_why_stacks_get(struct shim_why *why, size_t tag, size_t *n);
const struct shim_why_stack *shim_why_stack_at(const struct shim_why *why, size_t i);
void shim_why_restart(struct shim_why *why);
int shim_why_drops_get(struct shim_why *why, struct shim_why_drops *drops);
int shim_why_reason_name(uint32_t reason, char *name, size_t size);
void shim_why_close(struct shim_why *why);

#ifdef __cplusplus
}
#endif

#endif /* SHIM_WHY_H */
