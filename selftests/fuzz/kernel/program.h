/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An input of the kernel's fuzzer is a sequence of acts.  A few threads and processes perform the
 * acts.
 */
#ifndef FUZZ_KERNEL_PROGRAM_H
#define FUZZ_KERNEL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_ACTS	24
#define THREADS		3	/* actors 0 to 2 are threads of the fuzzer's process */
#define PROCESSES	2	/* actors 3 and 4 are processes, which one of these threads forks */
#define ACTORS		(THREADS + PROCESSES)
#define SETS		4	/* descriptors 0 to 3 of each process are sets */
#define DEVICES		2	/* descriptors 4 and 5 are /dev/vcpc */
#define FILES		8	/* descriptor 6 is another file, and 7 is not open */

enum act_op {
	ACT_INFO, ACT_CREATE, ACT_BIND, ACT_UNBIND, ACT_ENABLE, ACT_DISABLE, ACT_RESTART,
	ACT_PRESET, ACT_SAMPLE, ACT_READ, ACT_INSTANCES, ACT_POLL, ACT_EPOLL,
	ACT_TAG, ACT_WRITE, ACT_PWRITE, ACT_ADVISE, ACT_MAP, ACT_UNKNOWN,
	ACT_OPEN, ACT_CLOSE, ACT_DUP, ACT_TAKE,
	ACT_START, ACT_END, ACT_FORK, ACT_EXEC, ACT_DROP, ACT_MOVE, ACT_KILL, ACT_WORK,
	ACT_PARAMETER, ACT_LIST, ACT_LISTEN, ACT_HOTPLUG,
	ACT_NR,
};

/* Target of a sample or of an act on threads: act.target modulo TARGET_NR */
enum target {
	TARGET_NONE, TARGET_ACTOR, TARGET_LAST_ACTOR = TARGET_ACTOR + ACTORS - 1,
	TARGET_MAIN, TARGET_INIT, TARGET_DEAD, TARGET_ODD,
	TARGET_NR,
};

/* If act.how has at least this value, it makes the size or the address of the argument invalid. */
#define HOSTILE		0xc0

/**
 * struct act - one call, in the format of the input
 * @op: enum act_op, modulo ACT_NR
 * @who: the actor, modulo ACTORS; with ASYNC, other actors continue during the act
 * @fd: index of the actor's descriptor, modulo FILES
 * @target: enum target
 * @flags: flags of the call
 * @how: if at least HOSTILE, a bad size or address, which the lower bits select
 * @fail: number of the allocation that fails in the call; 0 or more than 40: none
 * @value: other arguments of the call
 */
struct act {
	uint8_t op;
	uint8_t who;
	uint8_t fd;
	uint8_t target;
	uint16_t flags;
	uint8_t how;
	uint8_t fail;
	uint64_t value;
};

/* The arguments of SET_CREATE, in act.value */
struct create_plan {
	uint64_t nr : 4;	/* number of requests minus 1; from 8 on see plan_nr() */
	uint64_t kinds : 12;	/* enum kind of the first four requests, repeated */
	uint64_t overflow : 4;	/* mask of requests with VCPC_REQ_F_OVERFLOW */
	uint64_t presets : 2;	/* enum preset */
	uint64_t kernel : 1;	/* also count in kernel mode */
	uint64_t signal : 1;
	uint64_t fatal : 1;	/* a signal that terminates a program after execve */
	uint64_t odd : 4;	/* from 10 on, a property of a request is invalid */
	uint64_t rest : 35;	/* used for presets and invalid properties */
};

enum kind { FAULTS, TASK_CLOCK, CYCLES, SWITCHES, CPU_CLOCK, INSTRUCTIONS, RAW, TRACEPOINT };
enum preset { PRESET_NONE, PRESET_SOON, PRESET_FAR, PRESET_ANY };

struct create_plan plan_of(uint64_t value);
unsigned int plan_nr(const struct create_plan *plan);
enum kind plan_kind(const struct create_plan *plan, unsigned int request);

#define ASYNC		0x80
#define MAX_FAIL	40

struct act_kind {
	const char *name;
	unsigned int weight;
};

extern const struct act_kind act_kinds[ACT_NR];

/* Decode an input of any length.  Return the number of acts. */
size_t program_decode(const uint8_t *data, size_t size, struct act acts[MAX_ACTS]);
void program_print(FILE *out, const struct act *acts, size_t n);

#endif /* FUZZ_KERNEL_PROGRAM_H */
