// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of all kinds, good and bad. */
#include "acts.h"

static struct vcpc_request some_request(struct worker *w, int *must)
{
	struct fuzzer *f = &w->f;
	struct vcpc_request r = page_faults;

	if (one_in(f, 2))
		r.config = below(f, PERF_COUNT_SW_MAX + 2);
	if (one_in(f, 8)) {
		r.type = one_in(f, 4) ? (__u32)draw(f) : below(f, 12);
		r.config = one_in(f, 2) ? draw(f) : below(f, 16);
	}
	if (one_in(f, 8)) {
		r.config1 = draw(f);
		r.config2 = draw(f);
	}
	if (one_in(f, 2))
		r.preset = draw(f);
	if (one_in(f, 6))
		r.flags = below(f, 4);
	if (one_in(f, 20))
		r.flags |= 1U << below(f, 32);
	if (one_in(f, 10))
		r.flags |= VCPC_REQ_F_OVERFLOW;
	if (one_in(f, 30))
		r.reserved[below(f, 2)] = draw(f) | 1;
	if (one_in(f, 60))
		r.reserved0 = draw(f) | 1;
	if (!(r.flags & 3U) || r.flags & ~7U || r.reserved0 || r.reserved[0] || r.reserved[1])
		*must = MUST_FAIL;
	if (r.flags & VCPC_REQ_F_KERNEL && !w->process->root)
		*must = MUST_FAIL;
	return r;
}

/* Requests in the arena, some of them bad, or not wholly there. */
static void some_requests(struct worker *w, struct vcpc_set_create_args *args, int *must,
			  __u64 *presets)
{
	struct arena *a = &w->f.data;
	enum place place = some_place(&w->f);
	struct vcpc_request request;
	size_t len, there, at;
	unsigned int i, group = 0;

	len = args->nr_requests * sizeof(request);
	at = lay(&w->f, place, len, &there);
	for (i = 0; i < args->nr_requests; i++) {
		request = some_request(w, must);
		if (args->flags & VCPC_SET_F_GROUPS)
			request.group = i && one_in(&w->f, 3) ? ++group : group;
		if (one_in(&w->f, 50)) {
			request.group += 2 + below(&w->f, 1 << 30);
			*must = MUST_FAIL;
		}
		if (args->flags & VCPC_SET_F_GROUPS && request.flags & VCPC_REQ_F_OVERFLOW)
			*must = MUST_FAIL;
		presets[i] = request.preset;
		if ((i + 1) * sizeof(request) <= there)
			memcpy(a->rw + at + i * sizeof(request), &request, sizeof(request));
	}
	args->requests = pointer(address(a, place, at));
	if (there < len || place >= PLACE_NULL)
		*must = MUST_FAIL;
}

static void some_slot(struct worker *w, struct vcpc_set_create_args *args, int *must)
{
	if (args->flags & VCPC_SET_F_GROUPS && one_in(&w->f, 2))
		args->slot = VCPC_SLOT_MIN + draw(&w->f) % (VCPC_SLOT_MAX - VCPC_SLOT_MIN + 1);
	if (one_in(&w->f, 40)) {
		args->slot = one_in(&w->f, 2) ? 1 + below(&w->f, VCPC_SLOT_MIN - 1) :
						VCPC_SLOT_MAX + 1 + below(&w->f, 1 << 30);
		*must = MUST_FAIL;
	}
}

/* The samples of a set with groups are longer than those of others. */
static void use_set(struct worker *w, int fd, unsigned int nr, const __u64 *presets, bool groups)
{
	struct own_set *own;
	int old;

	if (groups || one_in(&w->f, 3)) {
		old = __atomic_exchange_n(&w->process->common[below(&w->f, COMMON)], fd,
					  __ATOMIC_RELAXED);
		close(old);
		return;
	}
	own = &w->own[below(&w->f, OWN)];
	close(own->fd);
	own->fd = fd;
	own->nr = nr;
	memcpy(own->presets, presets, nr * sizeof(*presets));
}

void do_create(struct worker *w)
{
	struct vcpc_set_create_args args = { .request_size = sizeof(struct vcpc_request) };
	struct hostile h = { .op = &contract[OP_SET_CREATE] };
	__u64 presets[MAX_VALUES];
	int fd, before = 0x5a5a5a5a;

	choose_device(w, &h);
	args.bad_request = before;
	args.flags = below(&w->f, 2);
	if (one_in(&w->f, 4))
		args.flags |= VCPC_SET_F_GROUPS;
	if (args.flags & VCPC_SET_F_GROUPS && one_in(&w->f, 4)) {
		args.flags |= VCPC_SET_F_SHUFFLE;
		args.seed = draw(&w->f);
	}
	some_slot(w, &args, &h.must);
	args.nr_requests = one_in(&w->f, 10) ? 1 + below(&w->f, MAX_VALUES) : 1 + below(&w->f, 4);
	some_requests(w, &args, &h.must, presets);
	if (one_in(&w->f, 20)) {
		args.request_size = below(&w->f, 64);
		h.must = EINVAL;
	}
	if (args.nr_requests > w->process->max_requests)
		h.must = EINVAL;
	if (one_in(&w->f, 40)) {
		args.nr_requests = one_in(&w->f, 2) ? 0 : ~below(&w->f, 1 << 20);
		h.must = EINVAL;
	}
	if (one_in(&w->f, 20)) {
		args.flags |= 4U << below(&w->f, 30);
		if (args.flags & ~(VCPC_SET_F_DISABLED | VCPC_SET_F_GROUPS | VCPC_SET_F_SHUFFLE |
				   VCPC_SET_F_COUNT_OVERFLOWS) ||
		    (args.flags & VCPC_SET_F_SHUFFLE && !(args.flags & VCPC_SET_F_GROUPS)))
			h.must = EINVAL;
	}
	memcpy(h.image, &args, sizeof(args));
	fd = fire(&w->f, &h);
	memcpy(&args, h.image, sizeof(args));
	if (fd >= 0 && !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
		wrong(&w->f, h.op->name, "kept at exec", fd, 0);
	if (fd < 0 && args.bad_request != before && args.bad_request != -1 &&
	    (__u32)args.bad_request >= args.nr_requests)
		wrong(&w->f, h.op->name, "bad_request", args.bad_request, args.nr_requests);
	if (fd >= 0)
		use_set(w, fd, args.nr_requests, presets, args.flags & VCPC_SET_F_GROUPS);
}
