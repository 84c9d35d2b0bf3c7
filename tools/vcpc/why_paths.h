/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of a tag, identified by the names of their functions */
#ifndef VCPC_WHY_PATHS_H
#define VCPC_WHY_PATHS_H

#include "why.h"

/**
 * struct why_path - stacks with the same functions
 * @reason: as in struct shim_why_stack
 * @pid: process of the stacks; 0 if there are several
 * @n: number of frames
 * @nkernel: number of kernel frames
 * @frames: the frames, outermost first
 * @difference: ns per slow transaction minus ns per transaction
 * @all_ns: sum over the stacks, as in struct shim_why_stack
 * @all_times: likewise
 * @slow_ns: likewise
 * @slow_times: likewise
 */
struct why_path {
	uint32_t reason;
	uint32_t pid;
	size_t n;
	size_t nkernel;
	struct why_name {
		const char *name;
		const char *where;	/* "file.c:12", or NULL */
	} *frames;
	double difference;
	uint64_t all_ns;
	uint64_t all_times;
	uint64_t slow_ns;
	uint64_t slow_times;
};

/**
 * struct why_paths - the result of why_paths_read()
 * @n: number of paths
 * @at: the paths, sorted by reason, then by frames
 * @names: interned texts
 */
struct why_paths {
	size_t n;
	struct why_path *at;
	void *names;
};

int why_paths_read(const struct why_view *view, size_t tag, bool brief, struct why_paths *paths);
int why_paths_first(struct why_paths *paths, struct why_path *first, size_t most, size_t *kept);
void why_paths_free(struct why_paths *paths);

#endif /* VCPC_WHY_PATHS_H */
