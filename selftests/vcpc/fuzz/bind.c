// SPDX-License-Identifier: GPL-2.0-or-later
/* Bind sets to the calling thread, unbind, enable and disable them. */
#include "acts.h"

#define BIND_KNOWN	(VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE |	\
			 VCPC_BIND_F_TRACE)

static __u32 unknown_flag(struct worker *w, __u32 known)
{
	__u32 flag;

	do {
		flag = 1U << below(&w->f, 32);
	} while (flag & known);
	return flag;
}

void do_bind(struct worker *w)
{
	struct vcpc_bind_args args = { .bad_request = -7 };
	struct hostile h = { .op = &contract[OP_BIND] };
	const struct own_set *own = choose_set(w, &h);

	args.flags = one_in(&w->f, 2) ? 0 : below(&w->f, 8);
	if (one_in(&w->f, 5))
		args.flags |= VCPC_BIND_F_TRACE;
	if (own && own->signals && args.flags & VCPC_BIND_F_TREE)
		h.must = MUST_FAIL;
	if (one_in(&w->f, 20)) {
		args.flags |= unknown_flag(w, BIND_KNOWN);
		h.must = EINVAL;
	} else if (one_in(&w->f, 20)) {
		args.reserved = 1U << below(&w->f, 32);
		h.must = EINVAL;
	}
	memcpy(h.image, &args, sizeof(args));
	fire(&w->f, &h);
}

void do_own(struct worker *w)
{
	struct vcpc_own_args args = { 0 };
	struct hostile h = { .op = &contract[OP_UNBIND + below(&w->f, 4)] };

	choose_set(w, &h);
	if (h.op == &contract[OP_UNBIND] && one_in(&w->f, 3))
		args.flags = VCPC_OWN_F_ALL;
	if (one_in(&w->f, 20)) {
		args.flags |= h.op == &contract[OP_UNBIND] ? 2U << below(&w->f, 31) :
							      1U << below(&w->f, 32);
		h.must = EINVAL;
	}
	memcpy(h.image, &args, sizeof(args));
	fire(&w->f, &h);
}
