/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Coverage of the module by a thread, from the kernel's KCOV */
#ifndef FUZZ_KERNEL_KCOV_H
#define FUZZ_KERNEL_KCOV_H

#include <stdint.h>

#define COUNTERS	(1U << 15)
/* One bit per instruction of the module's .text, which can have up to 2 MB */
#define SEEN_BYTES	(1U << 16)

/* Coverage collected by all processes, in shared memory */
struct coverage {
	uint8_t counters[COUNTERS];
	uint8_t seen[SEEN_BYTES];
};

/* A KCOV descriptor, used by one thread at a time */
struct kcov {
	int fd;
	uint64_t *area;
};

void kcov_find_module(void);
void kcov_open(struct kcov *k);
/* Start and stop tracing the calling thread. */
void kcov_begin(struct kcov *k);
void kcov_end(struct kcov *k);
/* Discard the coverage collected so far, or add it to @c. */
void kcov_reset(struct kcov *k);
void kcov_collect(const struct kcov *k, struct coverage *c);
/* Record a property other than coverage that makes an input worth keeping. */
void kcov_feature(struct coverage *c, uint32_t a, uint32_t b);
/* Write the offsets in .text of all instructions seen to a file, one per line. */
void kcov_write(const struct coverage *c, const char *path);

#endif /* FUZZ_KERNEL_KCOV_H */
