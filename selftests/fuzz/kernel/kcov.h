/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the module executes in a thread, from the kernel's KCOV. */
#ifndef FUZZ_KERNEL_KCOV_H
#define FUZZ_KERNEL_KCOV_H

#include <stdint.h>

#define COUNTERS	(1U << 15)
/* A bit for each instruction of the module's .text, of 2 MB at most */
#define SEEN_BYTES	(1U << 16)

/* What all processes collect; shared memory. */
struct coverage {
	uint8_t counters[COUNTERS];
	uint8_t seen[SEEN_BYTES];
};

/* One descriptor of KCOV: a thread at a time */
struct kcov {
	int fd;
	uint64_t *area;
};

void kcov_find_module(void);
void kcov_open(struct kcov *k);
/* The calling thread from now on, and no longer */
void kcov_begin(struct kcov *k);
void kcov_end(struct kcov *k);
/* Forget what was executed so far; add it to @c. */
void kcov_reset(struct kcov *k);
void kcov_collect(const struct kcov *k, struct coverage *c);
/* Something else that makes an input worth keeping */
void kcov_feature(struct coverage *c, uint32_t a, uint32_t b);
/* Write the offsets in .text of all instructions seen into a file, one a line. */
void kcov_write(const struct coverage *c, const char *path);

#endif /* FUZZ_KERNEL_KCOV_H */
