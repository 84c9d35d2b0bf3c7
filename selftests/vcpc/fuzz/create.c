// SPDX-License-Identifier: GPL-2.0-or-later
/* Create valid and invalid sets of all kinds. */
#include "../signaled.h"
#include "acts.h"

/*
 * Set an early overflow.  For clocks and cycles it must not be so early that an emulated machine
 * spends all its time on overflows.
 */
static void overflow_soon(struct worker *w, struct vcpc_request *r)
{
	bool rare = r->type == PERF_TYPE_SOFTWARE && r->config > PERF_COUNT_SW_TASK_CLOCK;

	r->flags |= VCPC_REQ_F_OVERFLOW;
	if (!one_in(&w->f, 4))
		r->preset = -(rare ? 1ULL + below(&w->f, 64) : 1000000ULL + below(&w->f, 1 << 24));
}

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
	if (one_in(f, 6))
		overflow_soon(w, &r);
	if (one_in(f, 30))
		r.reserved[below(f, 3)] = draw(f) | 1;
	if (!(r.flags & 3U) || r.flags & ~7U || r.reserved[0] || r.reserved[1] || r.reserved[2])
		*must = MUST_FAIL;
	if (r.flags & VCPC_REQ_F_KERNEL && !w->process->root)
		*must = MUST_FAIL;
	return r;
}

/* Put requests into the arena.  Some are invalid or partly unmapped. */
static void some_requests(struct worker *w, struct vcpc_set_create_args *args, int *must,
			  struct own_set *own)
{
	struct arena *a = &w->f.data;
	enum place place = some_place(&w->f);
	struct vcpc_request request;
	size_t len, there, at;
	unsigned int i;

	len = args->nr_requests * sizeof(request);
	at = lay(&w->f, place, len, &there);
	for (i = 0; i < args->nr_requests; i++) {
		request = some_request(w, must);
		own->presets[i] = request.preset;
		own->overflows |= request.flags & VCPC_REQ_F_OVERFLOW;
		if ((i + 1) * sizeof(request) <= there)
			memcpy(a->rw + at + i * sizeof(request), &request, sizeof(request));
	}
	own->nr = args->nr_requests;
	args->requests = pointer(address(a, place, at));
	if (there < len || place >= PLACE_NULL)
		*must = MUST_FAIL;
}

/* Request a signal for overflows, even if no request overflows, or none. */
static void some_signal(struct worker *w, struct vcpc_set_create_args *args, struct own_set *own,
			int *must)
{
	if (own->overflows && one_in(&w->f, 2))
		args->signal = OVERFLOW_SIGNAL;
	if (!own->overflows && one_in(&w->f, 30)) {
		args->signal = OVERFLOW_SIGNAL;
		*must = MUST_FAIL;
	}
	if (one_in(&w->f, 30)) {
		args->signal = 65 + below(&w->f, 1 << 30);
		*must = MUST_FAIL;
	}
	if (one_in(&w->f, 60)) {
		args->reserved[below(&w->f, 2)] = 1ULL << below(&w->f, 64);
		*must = MUST_FAIL;
	}
	own->signals = args->signal;
}

static void use_set(struct worker *w, const struct own_set *set)
{
	unsigned int i = below(&w->f, OWN);
	struct own_set *own = &w->own[i];
	int old;

	if (one_in(&w->f, 3)) {
		old = __atomic_exchange_n(&w->process->common[below(&w->f, COMMON)], set->fd,
					  __ATOMIC_RELAXED);
		close(old);
		return;
	}
	close(own->fd);
	*own = *set;
}

/* Set invalid flags. */
static void some_flags(struct worker *w, struct vcpc_set_create_args *args, int *must)
{
	args->flags |= 2U << below(&w->f, 31);
	*must = MUST_FAIL;
}

static void fill_create(struct worker *w, struct vcpc_set_create_args *args, struct own_set *own,
			int *must)
{
	args->flags = below(&w->f, 2);
	args->nr_requests = one_in(&w->f, 10) ? 1 + below(&w->f, MAX_VALUES) : 1 + below(&w->f, 4);
	some_requests(w, args, must, own);
	some_signal(w, args, own, must);
	if (one_in(&w->f, 20)) {
		args->request_size = below(&w->f, 64);
		*must = MUST_FAIL;
	}
	if (args->nr_requests > w->process->max_requests)
		*must = MUST_FAIL;
	if (one_in(&w->f, 40)) {
		args->nr_requests = one_in(&w->f, 2) ? 0 : ~below(&w->f, 1 << 20);
		*must = MUST_FAIL;
	}
	if (one_in(&w->f, 20))
		some_flags(w, args, must);
}

void do_create(struct worker *w)
{
	struct vcpc_set_create_args args = { .request_size = sizeof(struct vcpc_request) };
	struct hostile h = { .op = &contract[OP_SET_CREATE] };
	struct own_set own = { 0 };
	int before = 0x5a5a5a5a;

	choose_device(w, &h);
	args.bad_request = before;
	fill_create(w, &args, &own, &h.must);
	memcpy(h.image, &args, sizeof(args));
	own.fd = fire(&w->f, &h);
	memcpy(&args, h.image, sizeof(args));
	if (own.fd >= 0 && !(fcntl(own.fd, F_GETFD) & FD_CLOEXEC))
		wrong(&w->f, h.op->name, "kept across exec", own.fd, 0);
	if (own.fd < 0 && args.bad_request != before && args.bad_request != -1 &&
	    (__u32)args.bad_request >= args.nr_requests)
		wrong(&w->f, h.op->name, "bad_request", args.bad_request, args.nr_requests);
	if (own.fd >= 0)
		use_set(w, &own);
}
