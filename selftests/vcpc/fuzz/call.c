// SPDX-License-Identifier: GPL-2.0-or-later
/* Make a call whose argument may be at an invalid address, and check its result. */
#include "../calls.h"
#include "call.h"

#define WINDOW		768	/* number of bytes that are checked, including the argument */

void wrong(struct fuzzer *f, const char *name, const char *what, long a, long b)
{
	unsigned long n = __atomic_fetch_add(&f->verdicts->wrong, 1, __ATOMIC_RELAXED);

	if (n < REPORTS)
		snprintf(f->verdicts->text[n], sizeof(f->verdicts->text[n]), "%s: %s (%ld, %ld)",
			 name, what, a, b);
}

void judge(struct fuzzer *f, const struct hostile *h, int must, long ret)
{
	const int *error = h->op->errors;

	__atomic_fetch_add(&f->verdicts->calls, 1, __ATOMIC_RELAXED);
	if (ret >= 0) {
		__atomic_fetch_add(&f->verdicts->worked[h->op - contract], 1, __ATOMIC_RELAXED);
		if (must > 0 || must == MUST_FAIL)
			wrong(f, h->op->name, "succeeded, expected error", must, ret);
		return;
	}
	if (h->strange_fd && (ret == -EBADF || ret == -ENOTTY))
		return;
	if (must == MUST_WORK || (must > 0 && ret != -must)) {
		wrong(f, h->op->name, "unexpected error", ret, must);
		return;
	}
	while (*error && *error != -ret)
		error++;
	if (!*error)
		wrong(f, h->op->name, "error not documented", ret, h->op->cmd);
}

/* Return the result that reading the argument must have, or MAY_ANY if it is unknown. */
static int predict(const struct hostile *h, enum place place, size_t there)
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

/* Set a size that is usually correct.  The bytes after the argument can be nonzero. */
static void some_size(struct fuzzer *f, struct hostile *h)
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

/* Check that only the documented output has changed. */
static void compare(struct fuzzer *f, const struct hostile *h, long ret,
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
			wrong(f, h->op->name, "wrote outside its output", (long)i - (long)at, ret);
			return;
		}
	}
}

/* Make the call, and store the output in h->image. */
long fire(struct fuzzer *f, struct hostile *h)
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
	/* A call with output must fail if its memory is read-only. */
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
	/* Expect EFAULT if the address is the only reason for a failure. */
	if (h->op->out_on_failure && must > 0 && ret == -EFAULT &&
	    (place == PLACE_READ_ONLY || there < h->op->out + h->op->out_len))
		must = EFAULT;
	judge(f, h, must, ret);
	return ret;
}
