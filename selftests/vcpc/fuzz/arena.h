/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocate memory for arguments, which ends at an unmapped page or is read-only, and generate
 * random numbers.
 */
#ifndef FUZZ_ARENA_H
#define FUZZ_ARENA_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#define PAGES		3
#define PAGE		((size_t)sysconf(_SC_PAGESIZE))
#define PATTERN		0xa5

/* Memory followed by an unmapped page, and a read-only mapping of it */
struct arena {
	unsigned char *rw, *ro;
};

enum place {
	PLACE_PLAIN, PLACE_EDGE, PLACE_HALF, PLACE_READ_ONLY, PLACE_NULL, PLACE_HOLE, PLACE_KERNEL,
};

struct verdicts;

struct fuzzer {
	struct verdicts *verdicts;
	__u64 random;
	struct arena args, data;
};

__u64 draw(struct fuzzer *f);
unsigned int below(struct fuzzer *f, unsigned int n);
bool one_in(struct fuzzer *f, unsigned int n);

void arena_open(struct arena *a);
void arena_close(struct arena *a);
enum place some_place(struct fuzzer *f);
size_t lay(struct fuzzer *f, enum place place, size_t len, size_t *there);
void *address(const struct arena *a, enum place place, size_t at);

#endif /* FUZZ_ARENA_H */
