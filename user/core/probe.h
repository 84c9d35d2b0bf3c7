/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two empty functions to which uprobes are attached, and counts of the attached probes. */
#ifndef SHIM_CORE_PROBE_H
#define SHIM_CORE_PROBE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of probes on shim_probe_event() and shim_probe_begin(), updated by the kernel */
union shim_probe_wanted {
	struct {
		uint16_t events;
		uint16_t begins;
	};
	uint32_t any;		/* nonzero if any probe is attached */
};

extern volatile union shim_probe_wanted shim_probe_wanted;

/*
 * The lower half of @op is VCPC_TRACE_*.  Its upper half is the transaction's thread, see
 * VCPC_TRACE_THREAD.
 * @value is as in struct vcpc_trace_write.
 */
void shim_probe_begin(uint64_t op, uint64_t hash, uint64_t value, const char *name);
void shim_probe_event(uint64_t op, uint64_t hash, uint64_t value, const char *name);

uint64_t shim_probe__hash(const char *name, size_t len);

/**
 * struct shim_probe_place - location of one of the two functions
 * @file: the file from which this library was loaded
 * @function: file offset of the function
 * @wanted: file offset of its count
 */
struct shim_probe_place {
	char file[PATH_MAX];
	size_t function;
	size_t wanted;
};

int shim_probe__place(int begin, struct shim_probe_place *place);
bool shim_probe__is_shared(void);

#endif /* SHIM_CORE_PROBE_H */
