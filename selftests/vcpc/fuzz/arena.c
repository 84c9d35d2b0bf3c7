// SPDX-License-Identifier: GPL-2.0-or-later
/* Generate random numbers, and allocate memory for arguments. */
#include "../calls.h"
#include "arena.h"

__u64 draw(struct fuzzer *f)
{
	return chance(&f->random);
}

unsigned int below(struct fuzzer *f, unsigned int n)
{
	return (draw(f) >> 32) % n;
}

bool one_in(struct fuzzer *f, unsigned int n)
{
	return !below(f, n);
}

void arena_open(struct arena *a)
{
	int fd = memfd_create("fuzz", 0);

	if (fd < 0 || ftruncate(fd, PAGES * PAGE))
		abort();
	a->rw = mmap(NULL, (PAGES + 1) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	a->ro = mmap(NULL, (PAGES + 1) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (a->rw == MAP_FAILED || a->ro == MAP_FAILED ||
	    mmap(a->rw, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) !=
	    a->rw ||
	    mmap(a->ro, PAGES * PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) != a->ro)
		abort();
	close(fd);
	memset(a->rw, PATTERN, PAGES * PAGE);
}

void arena_close(struct arena *a)
{
	munmap(a->rw, (PAGES + 1) * PAGE);
	munmap(a->ro, (PAGES + 1) * PAGE);
}

enum place some_place(struct fuzzer *f)
{
	static const enum place bad[] = {
		PLACE_HALF, PLACE_READ_ONLY, PLACE_NULL, PLACE_HOLE, PLACE_KERNEL,
	};

	if (one_in(f, 12))
		return bad[below(f, 5)];
	return one_in(f, 3) ? PLACE_EDGE : PLACE_PLAIN;
}

/*
 * Choose @len bytes of the arena according to @place, and return their offset.  Set @there to the
 * number of mapped bytes.
 */
size_t lay(struct fuzzer *f, enum place place, size_t len, size_t *there)
{
	*there = len;
	switch (place) {
	case PLACE_EDGE:
		return PAGES * PAGE - len;
	case PLACE_HALF:
		*there = below(f, len);
		return PAGES * PAGE - *there;
	default:
		return 128 + below(f, 64);
	}
}

void *address(const struct arena *a, enum place place, size_t at)
{
	switch (place) {
	case PLACE_READ_ONLY:	return a->ro + at;
	case PLACE_NULL:	return NULL;
	case PLACE_HOLE:	return a->rw + PAGES * PAGE + at % PAGE;
	case PLACE_KERNEL:	return (void *)(0xffff888000000000UL + at);
	default:		return a->rw + at;
	}
}
