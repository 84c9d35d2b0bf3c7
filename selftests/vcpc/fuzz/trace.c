// SPDX-License-Identifier: GPL-2.0-or-later
/* Use trace tags, events, and the page with the listener flags. */
#include "acts.h"

void do_tag(struct worker *w)
{
	struct vcpc_trace_tag_args args = { .name_len = 1 + below(&w->f, 12) };
	struct hostile h = { .op = &contract[OP_TRACE_TAG], .must = MUST_WORK };
	enum place place = some_place(&w->f);
	size_t there, at;

	choose_device(w, &h);
	if (one_in(&w->f, 10))
		args.name_len = one_in(&w->f, 2) ? below(&w->f, 300) : (__u32)draw(&w->f);
	at = lay(&w->f, place, args.name_len < 300 && args.name_len ? args.name_len : 1, &there);
	memset(w->f.data.rw + at, 'a' + below(&w->f, 8), there);
	if (place == PLACE_HALF || place >= PLACE_NULL)
		h.must = EFAULT;
	else if (there && one_in(&w->f, 20)) {
		w->f.data.rw[at + below(&w->f, there)] = '\0';
		h.must = EINVAL;
	}
	args.name = pointer(address(&w->f.data, place, at));
	if (args.name_len >= VCPC_TAG_LEN)
		h.must = ENAMETOOLONG;
	if (!args.name_len)
		h.must = EINVAL;
	if (one_in(&w->f, 20)) {
		args.flags = 1U << below(&w->f, 32);
		h.must = EINVAL;
	}
	memcpy(h.image, &args, sizeof(args));
	if (fire(&w->f, &h) < 0)
		return;
	memcpy(&args, h.image, sizeof(args));
	if (!args.tag || !args.handle)
		wrong(&w->f, h.op->name, "no id", 0, 0);
	if (!h.strange_fd)
		w->tags[below(&w->f, TAGS)] = args.handle;
}

static int trace_must(const struct vcpc_trace_write *event)
{
	const __u32 op = event->op & ~VCPC_TRACE_F_COUNTS;
	bool transaction = op >= VCPC_TRACE_BEGIN && op <= VCPC_TRACE_ABORT;
	bool value = op == VCPC_TRACE_OBSERVE || op == VCPC_TRACE_COUNTER;

	if (!transaction && !value && op != VCPC_TRACE_POINT)
		return EINVAL;
	if (event->op & VCPC_TRACE_F_COUNTS && op > VCPC_TRACE_END)
		return EINVAL;
	/* An END contains the start time of its transaction. */
	value |= op == VCPC_TRACE_END || op == VCPC_TRACE_ABORT;
	return event->value && !value ? EINVAL : MAY_ANY;
}

/* Return an event, which is usually valid. */
static struct vcpc_trace_write some_event(struct worker *w, struct hostile *h)
{
	struct vcpc_trace_write event = { .op = 1 + below(&w->f, 6) };

	choose_device(w, h);
	if (event.op >= VCPC_TRACE_OBSERVE)
		event.value = draw(&w->f);
	else if (event.op <= VCPC_TRACE_END && one_in(&w->f, 3))
		event.op |= VCPC_TRACE_F_COUNTS;
	if (one_in(&w->f, 20))
		event.op = one_in(&w->f, 2) ? (__u32)draw(&w->f) : event.op ^ 1U << below(&w->f, 32);
	if (one_in(&w->f, 20))
		event.value = draw(&w->f);
	event.handle = w->tags[below(&w->f, TAGS)];
	h->must = trace_must(&event);
	if (one_in(&w->f, 20)) {
		event.handle = (__u32)draw(&w->f) | 1U << 31;
		h->must = h->must ?: ENOENT;
	} else if (!h->must && !h->strange_fd) {
		h->must = event.handle ? MUST_WORK : ENOENT;
	}
	return event;
}

/* Return the size to pass, usually that of the struct.  Mapped memory can end before it. */
static size_t some_size(struct worker *w, struct hostile *h, enum place place, size_t there)
{
	const size_t known = h->op->known;
	size_t size = known;

	if (one_in(&w->f, 10))
		size = one_in(&w->f, 2) ? below(&w->f, 64) : below(&w->f, 2 * PAGE);
	if (!size || place >= PLACE_NULL || (place == PLACE_HALF && there < size))
		h->must = MUST_FAIL;
	else if (size < known)
		h->must = EINVAL;
	else if (size > PAGE)
		h->must = E2BIG;
	/* The memory after the struct can be zero, nonzero or unmapped. */
	else if (size > known)
		h->must = MAY_ANY;
	return size;
}

/*
 * Use write(2), or pwrite(2) at the only valid position.  If the descriptor is another file's, that
 * file's errors are permitted.
 */
static void write_event(struct worker *w, const struct hostile *h, const void *from, size_t size)
{
	long ret;

	if (h->strange_fd || one_in(&w->f, 2))
		ret = pwrite(h->fd, from, size, VCPC_TRACE_AT);
	else
		ret = write(h->fd, from, size);
	judge(&w->f, h, h->strange_fd ? MAY_ANY : h->must, ret < 0 ? -errno : ret);
}

void do_trace(struct worker *w)
{
	struct hostile h = { .op = &contract[OP_TRACE] };
	struct vcpc_trace_write event = some_event(w, &h);
	enum place place = some_place(&w->f);
	size_t there, at, size;

	memcpy(h.image, &event, sizeof(event));
	at = lay(&w->f, place, sizeof(event), &there);
	if (there > sizeof(event))
		there = sizeof(event);
	memcpy(w->f.data.rw + at, &event, there);
	size = some_size(w, &h, place, there);
	write_event(w, &h, address(&w->f.data, place, at), size);
}

/* Send the same event with posix_fadvise(2), whose handle has 64 bits. */
void do_advise(struct worker *w)
{
	struct hostile h = { .op = &contract[OP_ADVISE] };
	struct vcpc_trace_write event = some_event(w, &h);
	__u64 handle = event.handle;
	long ret;

	if (one_in(&w->f, 4)) {
		handle |= (__u64)(VCPC_TRACE_THREAD | below(&w->f, 4)) << 32;
	} else if (one_in(&w->f, 20)) {
		handle |= 1ULL << (32 + below(&w->f, 31));
		h.must = h.must == MUST_WORK ? ENOENT : h.must;
	}
	ret = syscall(SYS_fadvise64, h.fd, event.value, handle, VCPC_TRACE_ADVICE + event.op);
	judge(&w->f, &h, h.strange_fd ? MAY_ANY : h.must, ret < 0 ? -errno : ret);
}

/* Check the contents of the page with the listener flags, and that the page cannot be modified. */
static void use_page(struct worker *w, const struct hostile *h, void *at, int prot)
{
	const volatile struct vcpc_trace_page *page = at;
	__u32 flags;

	if (prot & PROT_READ) {
		flags = page->flags;
		if (page->size != sizeof(*page) ||
		    flags & ~(VCPC_TRACE_LISTENING | VCPC_TRACE_BEGINS | VCPC_TRACE_THREADS))
			wrong(&w->f, h->op->name, "page", page->size, flags);
	}
	if (!mprotect(at, PAGE, PROT_READ | (one_in(&w->f, 2) ? PROT_WRITE : PROT_EXEC)))
		wrong(&w->f, h->op->name, "can be made writable", prot, 0);
}

void do_map(struct worker *w)
{
	static const int prots[] = { PROT_NONE, PROT_WRITE, PROT_EXEC, PROT_READ | PROT_WRITE };
	size_t pages = one_in(&w->f, 6) ? below(&w->f, 4) : 1;
	__u64 offset = one_in(&w->f, 8) ? (draw(&w->f) % (1U << 20)) * PAGE : 0;
	int prot = one_in(&w->f, 4) ? prots[below(&w->f, 4)] : PROT_READ;
	struct hostile h = { .op = &contract[OP_MMAP] };
	void *at, *moved;

	choose_device(w, &h);
	if (h.strange_fd)
		h.must = pages ? MAY_ANY : MUST_FAIL;
	else if (pages != 1 || offset || prot & (PROT_WRITE | PROT_EXEC))
		h.must = MUST_FAIL;
	else
		h.must = MUST_WORK;
	at = mmap(NULL, pages * PAGE, prot, one_in(&w->f, 3) ? MAP_PRIVATE : MAP_SHARED, h.fd,
		  offset);
	judge(&w->f, &h, h.must, at == MAP_FAILED ? -errno : 0);
	if (at == MAP_FAILED)
		return;
	if (!h.strange_fd)
		use_page(w, &h, at, prot);
	/* Try to extend the mapping, which may move it. */
	moved = one_in(&w->f, 4) ? mremap(at, pages * PAGE, (pages + 1) * PAGE, MREMAP_MAYMOVE) :
				   MAP_FAILED;
	if (moved == MAP_FAILED)
		munmap(at, pages * PAGE);
	else
		munmap(moved, (pages + 1) * PAGE);
}
