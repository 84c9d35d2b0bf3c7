/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One hostile call: where its argument lies, what it may answer, and which
 * bytes it may write.
 */
#ifndef VCPC_FUZZ_CALL_H
#define VCPC_FUZZ_CALL_H

#include "fuzz_contract.h"

#define PAGES		3
#define PAGE		4096	/* no machine of ours has another size */
#define PATTERN		0xa5
#define WINDOW		768	/* bytes that are looked at around an argument */
#define REPORTS		10

/* What is known of the answer, besides the table of errors; > 0 is an errno. */
#define MAY_ANY		0
#define MUST_FAIL	(-1)
#define MUST_WORK	(-2)

/* What all processes of a run tell. */
struct verdicts {
	unsigned long calls, wrong, worked[OP_NR];
	char text[REPORTS][200];
};

/* Memory with a page after it that is not there, and the same read-only. */
struct arena {
	unsigned char *rw, *ro;
};

enum place {
	PLACE_PLAIN, PLACE_EDGE, PLACE_HALF, PLACE_READ_ONLY, PLACE_NULL, PLACE_HOLE, PLACE_KERNEL,
};

struct fuzzer {
	struct verdicts *verdicts;
	__u64 random;
	struct arena args, data;
};

/* One call of it. */
struct hostile {
	const struct contract *op;
	int fd;
	bool strange_fd;	/* may be any file, or none */
	int must;
	unsigned char image[256];	/* the argument, and what follows it */
};

static inline __u64 draw(struct fuzzer *f)
{
	__u64 z = f->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static inline unsigned int below(struct fuzzer *f, unsigned int n)
{
	return (draw(f) >> 32) % n;
}

static inline bool one_in(struct fuzzer *f, unsigned int n)
{
	return !below(f, n);
}

static inline void arena_open(struct arena *a)
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

static inline void arena_close(struct arena *a)
{
	munmap(a->rw, (PAGES + 1) * PAGE);
	munmap(a->ro, (PAGES + 1) * PAGE);
}

static inline enum place some_place(struct fuzzer *f)
{
	static const enum place bad[] = {
		PLACE_HALF, PLACE_READ_ONLY, PLACE_NULL, PLACE_HOLE, PLACE_KERNEL,
	};

	if (one_in(f, 12))
		return bad[below(f, 5)];
	return one_in(f, 3) ? PLACE_EDGE : PLACE_PLAIN;
}

/*
 * Where in the arena @len bytes at @place begin, and how many of them are
 * there; what the caller gives as their address.
 */
static inline size_t lay(struct fuzzer *f, enum place place, size_t len, size_t *there)
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

static inline void *address(const struct arena *a, enum place place, size_t at)
{
	switch (place) {
	case PLACE_READ_ONLY:	return a->ro + at;
	case PLACE_NULL:	return NULL;
	case PLACE_HOLE:	return a->rw + PAGES * PAGE + at % PAGE;
	case PLACE_KERNEL:	return (void *)(0xffff888000000000UL + at);
	default:		return a->rw + at;
	}
}

static inline void wrong(struct fuzzer *f, const char *name, const char *what, long a, long b)
{
	unsigned long n = __atomic_fetch_add(&f->verdicts->wrong, 1, __ATOMIC_RELAXED);

	if (n < REPORTS)
		snprintf(f->verdicts->text[n], sizeof(f->verdicts->text[n]), "%s: %s (%ld, %ld)",
			 name, what, a, b);
}

static inline void judge(struct fuzzer *f, const struct hostile *h, int must, long ret)
{
	const int *error = h->op->errors;

	__atomic_fetch_add(&f->verdicts->calls, 1, __ATOMIC_RELAXED);
	if (ret >= 0) {
		__atomic_fetch_add(&f->verdicts->worked[h->op - contract], 1, __ATOMIC_RELAXED);
		if (must > 0 || must == MUST_FAIL)
			wrong(f, h->op->name, "worked, wanted error", must, ret);
		return;
	}
	if (h->strange_fd && (ret == -EBADF || ret == -ENOTTY))
		return;
	if (must == MUST_WORK || (must > 0 && ret != -must)) {
		wrong(f, h->op->name, "error other than wanted", ret, must);
		return;
	}
	while (*error && *error != -ret)
		error++;
	if (!*error)
		wrong(f, h->op->name, "error not documented", ret, h->op->cmd);
}

/* What taking the argument in must say, if anything can be said. */
static inline int predict(const struct hostile *h, enum place place, size_t there)
{
	__u32 size;
	size_t i;

	memcpy(&size, h->image, sizeof(size));
	if (place >= PLACE_NULL || there < sizeof(size))
		return EFAULT;
	if (size < h->op->known)
		return EINVAL;
	if (size > PAGE)
		return E2BIG;
	if (size == h->op->known)
		return there < h->op->known ? EFAULT : h->must;
	if (there < size && place != PLACE_PLAIN && place != PLACE_READ_ONLY)
		return MUST_FAIL;
	if (size > sizeof(h->image))
		return E2BIG;
	for (i = h->op->known; i < size; i++)
		if (h->image[i])
			return E2BIG;
	return h->must;
}

/* A size that is mostly right; the bytes after the argument are set to fit or not. */
static inline void some_size(struct fuzzer *f, struct hostile *h)
{
	const __u32 sizes[] = {
		0, 1, 4, h->op->known - 1, h->op->known - 4, h->op->known / 2, PAGE, PAGE + 1, 1U << 31, ~0U,
	};
	__u32 size = h->op->known;

	memset(h->image + h->op->known, 0, sizeof(h->image) - h->op->known);
	if (one_in(f, 10))
		size = sizes[below(f, 10)];
	else if (one_in(f, 10))
		size = h->op->known + 1 + below(f, sizeof(h->image) - h->op->known);
	if (size > h->op->known && one_in(f, 2))
		h->image[h->op->known + below(f, sizeof(h->image) - h->op->known)] = 1;
	memcpy(h->image, &size, sizeof(size));
}

/* Only what the contract writes may have changed. */
static inline void compare(struct fuzzer *f, const struct hostile *h, long ret,
			   const unsigned char *before, const unsigned char *after, size_t len,
			   size_t at)
{
	bool out = h->op->out_len && (ret >= 0) != h->op->out_on_failure;
	__u32 size;
	size_t i;

	memcpy(&size, h->image, sizeof(size));
	if (size < h->op->out + h->op->out_len)
		out = false;
	for (i = 0; i < len; i++) {
		if (before[i] == after[i])
			continue;
		if (!out || i < at + h->op->out || i >= at + h->op->out + h->op->out_len) {
			wrong(f, h->op->name, "wrote where it must not", (long)i - (long)at, ret);
			return;
		}
	}
}

/* Make the call; what it wrote is in h->image afterwards. */
static inline long fire(struct fuzzer *f, struct hostile *h)
{
	unsigned char before[WINDOW], *window;
	enum place place = some_place(f);
	size_t len, there, at, from;
	__u32 size;
	int must;
	long ret;

	some_size(f, h);
	memcpy(&size, h->image, sizeof(size));
	len = size > h->op->known && size <= sizeof(h->image) ? size : h->op->known;
	at = lay(f, place, len, &there);
	must = predict(h, place, there);
	/* What can be read but not written is an error where there is something to tell. */
	if (place == PLACE_READ_ONLY && h->op->out_len && !h->op->out_on_failure && must <= 0)
		must = must == MUST_WORK ? EFAULT : MUST_FAIL;

	from = at < 128 ? 0 : at - 128;
	window = f->args.rw + from;
	if (from + WINDOW > PAGES * PAGE)
		len = PAGES * PAGE - from;
	else
		len = WINDOW;
	memset(window, PATTERN, len);
	memcpy(f->args.rw + at, h->image,
	       there < sizeof(h->image) ? there : sizeof(h->image));
	memcpy(before, window, len);
	ret = call(h->fd, h->op->cmd, address(&f->args, place, at));
	compare(f, h, ret, before, window, len, at - from);
	memcpy(h->image, f->args.rw + at, there < h->op->known ? there : h->op->known);
	judge(f, h, must, ret);
	return ret;
}

#endif
