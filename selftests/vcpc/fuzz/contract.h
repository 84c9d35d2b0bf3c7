/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describe the interface as a table of operations, with their outputs and errors. */
#ifndef FUZZ_CONTRACT_H
#define FUZZ_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>

enum op {
	OP_INFO, OP_SET_CREATE, OP_BIND, OP_UNBIND, OP_ENABLE, OP_DISABLE, OP_RESTART, OP_PRESET,
	OP_SAMPLE, OP_READ, OP_INSTANCES, OP_TRACE_TAG, OP_TRACE, OP_ADVISE,
	OP_MMAP, OP_UNKNOWN,
	OP_NR,
};

/* An operation: the size of its argument, which bytes it writes and when, and its errors */
struct contract {
	const char *name;
	unsigned long cmd;
	size_t known;
	size_t out, out_len;
	bool out_on_failure;
	int errors[16];
};

/* The documented operations */
extern const struct contract contract[OP_NR];

#endif /* FUZZ_CONTRACT_H */
