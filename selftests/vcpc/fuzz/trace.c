// SPDX-License-Identifier: GPL-2.0-or-later
/* Trace tags and events, and the page that says who listens. */
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
	if (!args.tag)
		wrong(&w->f, h.op->name, "no id", 0, 0);
	if (!h.strange_fd)
		w->tags[below(&w->f, TAGS)] = args.tag;
}

static int trace_must(const struct vcpc_trace_args *args)
{
	bool transaction = args->op >= VCPC_TRACE_BEGIN && args->op <= VCPC_TRACE_ABORT;
	bool value = args->op == VCPC_TRACE_OBSERVE || args->op == VCPC_TRACE_COUNTER;

	if (!transaction && !value && args->op != VCPC_TRACE_POINT)
		return EINVAL;
	if (args->flags & ~(transaction ? VCPC_TRACE_F_THREAD : 0))
		return EINVAL;
	/* An end says when its transaction began. */
	value |= args->op == VCPC_TRACE_END || args->op == VCPC_TRACE_ABORT;
	return args->value && !value ? EINVAL : MAY_ANY;
}

/* An event, mostly a good one */
static struct vcpc_trace_args some_event(struct worker *w, struct hostile *h)
{
	struct vcpc_trace_args args = { .op = 1 + below(&w->f, 6) };

	choose_device(w, h);
	if (args.op <= VCPC_TRACE_ABORT)
		args.flags = below(&w->f, 2);
	if (args.op >= VCPC_TRACE_OBSERVE)
		args.value = draw(&w->f);
	if (one_in(&w->f, 20))
		args.op = (__u32)draw(&w->f);
	if (one_in(&w->f, 20))
		args.flags = 1U << below(&w->f, 32);
	if (one_in(&w->f, 20))
		args.value = draw(&w->f);
	args.tag = w->tags[below(&w->f, TAGS)];
	h->must = trace_must(&args);
	if (one_in(&w->f, 20)) {
		args.tag = (__u32)draw(&w->f) | 1U << 31;
		h->must = h->must ?: ENOENT;
	} else if (!h->must && !h->strange_fd) {
		h->must = args.tag ? MUST_WORK : ENOENT;
	}
	return args;
}

void do_trace(struct worker *w)
{
	struct hostile h = { .op = &contract[OP_TRACE] };
	struct vcpc_trace_args args = some_event(w, &h);

	memcpy(h.image, &args, sizeof(args));
	fire(&w->f, &h);
}

/* The same, without an argument in memory; what is no device may not like it. */
void do_advise(struct worker *w)
{
	struct hostile h = { .op = &contract[OP_ADVISE] };
	struct vcpc_trace_args args = some_event(w, &h);
	int advice = VCPC_TRACE_ADVICE ^ args.op;

	if (one_in(&w->f, 20)) {
		advice = one_in(&w->f, 2) ? (int)below(&w->f, 8) : (int)draw(&w->f) | 1 << 24;
		h.must = EINVAL;
	}
	/* Files of other kinds take advice of other kinds. */
	if (h.strange_fd)
		h.must = advice >= 0 && advice < 8 ? MAY_ANY : h.must ? MUST_FAIL : MAY_ANY;
	judge(&w->f, &h, h.must,
	      -posix_fadvise(h.fd, args.tag | (__u64)args.flags << 32, args.value, advice));
}

/* The page that says who listens: what it says, and that it stays as it is. */
static void use_page(struct worker *w, const struct hostile *h, void *at, int prot)
{
	const volatile struct vcpc_trace_page *page = at;
	__u32 flags;

	if (prot & PROT_READ) {
		flags = page->flags;
		if (page->size != sizeof(*page) ||
		    flags & ~(VCPC_TRACE_LISTENING | VCPC_TRACE_BEGINS))
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
	/* Longer than it is, and somewhere else: nothing is behind it, and all goes. */
	moved = one_in(&w->f, 4) ? mremap(at, pages * PAGE, (pages + 1) * PAGE, MREMAP_MAYMOVE) :
				   MAP_FAILED;
	if (moved == MAP_FAILED)
		munmap(at, pages * PAGE);
	else
		munmap(moved, (pages + 1) * PAGE);
}
