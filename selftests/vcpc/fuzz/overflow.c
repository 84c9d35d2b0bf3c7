// SPDX-License-Identifier: GPL-2.0-or-later
/* Presets, overflows, who waits for them, and who is sent a signal. */
#include <poll.h>
#include <sys/epoll.h>

#include "acts.h"

/* Mostly near what was there, so that values can still be checked. */
static __u64 some_preset(struct worker *w, struct own_set *own, __u32 request)
{
	if (!own || request >= own->nr)
		return draw(&w->f);
	if (!one_in(&w->f, 3))
		return own->presets[request] + below(&w->f, 1 << 10);
	own->shared = true;
	return one_in(&w->f, 2) ? draw(&w->f) : -1000000ULL - below(&w->f, 1 << 24);
}

void do_preset(struct worker *w)
{
	struct vcpc_preset_args args = { .tid = some_tid(w) };
	struct hostile h = { .op = &contract[OP_PRESET] };
	struct own_set *own = choose_set(w, &h);

	args.request = one_in(&w->f, 10) ? (__u32)draw(&w->f) : below(&w->f, own ? own->nr : 4);
	args.preset = some_preset(w, own, args.request);
	if (own && args.request >= own->nr)
		h.must = EINVAL;
	if (one_in(&w->f, 10)) {
		args.flags = VCPC_TARGET_F_CPU;
		args.tid = below(&w->f, 3);
	}
	if (one_in(&w->f, 20)) {
		args.flags = one_in(&w->f, 2) ? VCPC_TARGET_F_ALL : 4U << below(&w->f, 30);
		h.must = EINVAL;
	}
	memcpy(h.image, &args, sizeof(args));
	fire(&w->f, &h);
}

/* As many counts as there was room for, and sets that have none say so. */
static void check_counts(struct worker *w, const struct hostile *h, const struct own_set *own,
			 size_t at, size_t there, size_t room)
{
	const unsigned char *buf = w->f.data.rw + at;
	size_t i, n = !own || own->nr > room ? room : own->nr;
	__u64 count;

	if (own && !own->overflows)
		wrong(&w->f, h->op->name, "counts of a set that has none", own->nr, room);
	for (i = 0; own && w->process->software && i < n && (i + 1) * 8 <= there; i++) {
		memcpy(&count, buf + i * 8, sizeof(count));
		if (count >> 40)
			wrong(&w->f, h->op->name, "count", count, i);
	}
	for (i = n * 8; i < there; i++)
		if (buf[i] != PATTERN) {
			wrong(&w->f, h->op->name, "wrote after the counts", i, n);
			return;
		}
}

void do_overflows(struct worker *w)
{
	struct vcpc_overflows_args args = { .tid = some_tid(w) };
	struct hostile h = { .op = &contract[OP_OVERFLOWS] };
	const struct own_set *own = choose_set(w, &h);
	enum place place = some_place(&w->f);
	size_t there, at, room;

	room = args.room = below(&w->f, 4);
	if (place == PLACE_HALF && !room)
		place = PLACE_PLAIN;
	at = lay(&w->f, place, room * 8, &there);
	args.buf = pointer(address(&w->f.data, place, at));
	if (place >= PLACE_READ_ONLY && room)
		h.must = MUST_FAIL;
	/* No more is written than there are requests. */
	if (own && place < PLACE_READ_ONLY && room >= own->nr && one_in(&w->f, 10))
		args.room = (__u32)draw(&w->f) | 4;
	if (one_in(&w->f, 10)) {
		args.flags = VCPC_TARGET_F_CPU;
		args.tid = below(&w->f, 3);
	}
	if (one_in(&w->f, 20)) {
		args.flags = one_in(&w->f, 2) ? VCPC_TARGET_F_ALL : 4U << below(&w->f, 30);
		h.must = EINVAL;
	}
	memset(w->f.data.rw, PATTERN, PAGES * PAGE);
	memcpy(h.image, &args, sizeof(args));
	if (!fire(&w->f, &h) && (own || room))
		check_counts(w, &h, own, at, there, room);
}

/* A set is waited for by many for long; what it is closed under must not be there any more. */
static void watch(struct worker *w, const struct hostile *h)
{
	struct epoll_event event = { .events = EPOLLPRI | (one_in(&w->f, 2) ? EPOLLET : 0) };
	struct epoll_event events[4];

	epoll_ctl(w->epoll, one_in(&w->f, 3) ? EPOLL_CTL_DEL : EPOLL_CTL_ADD, h->fd, &event);
	epoll_wait(w->epoll, events, 4, 0);
}

void do_poll(struct worker *w)
{
	struct hostile h = { .op = &contract[OP_POLL] };
	const struct own_set *own = choose_set(w, &h);
	struct pollfd fd = { .fd = h.fd, .events = POLLPRI | POLLIN | POLLOUT };
	int ret = poll(&fd, 1, one_in(&w->f, 50));

	judge(&w->f, &h, MAY_ANY, ret < 0 ? -errno : ret);
	if (own && fd.revents & ~(POLLPRI | POLLERR))
		wrong(&w->f, h.op->name, "events", fd.revents, 0);
	if (own && !own->overflows && fd.revents & POLLPRI)
		wrong(&w->f, h.op->name, "news of a set that has none", fd.revents, own->nr);
	watch(w, &h);
}
