// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets put on threads and CPUs, taken off, and turned on and off. */
#include "acts.h"

#define BIND_KNOWN	(VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE |	\
			 VCPC_BIND_F_PROCESS | VCPC_BIND_F_CPU | VCPC_BIND_F_YIELD |		\
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
	struct vcpc_bind_args args = { .tid = some_tid(w), .bad_request = -7 };
	struct hostile h = { .op = &contract[OP_BIND] };
	const struct own_set *own = choose_set(w, &h);

	args.flags = one_in(&w->f, 2) ? 0 : below(&w->f, 16);
	if (one_in(&w->f, 5))
		args.flags |= VCPC_BIND_F_TRACE;
	if (args.tid == 1 && !w->process->root)
		h.must = args.flags & VCPC_BIND_F_TREE ? MUST_FAIL : EACCES;
	if (args.tid < 0)
		h.must = ESRCH;
	if (one_in(&w->f, 10)) {
		args.flags = VCPC_BIND_F_CPU | (one_in(&w->f, 2) ? VCPC_BIND_F_YIELD : 0);
		args.tid = one_in(&w->f, 10) ? (int)draw(&w->f) : (int)below(&w->f, 3);
		h.must = w->process->root ? 0 : MUST_FAIL;
	}
	if (own && own->signals && args.flags & VCPC_BIND_F_TREE)
		h.must = MUST_FAIL;
	if (one_in(&w->f, 20)) {
		args.flags |= unknown_flag(w, BIND_KNOWN);
		h.must = EINVAL;
	}
	memcpy(h.image, &args, sizeof(args));
	fire(&w->f, &h);
}

void do_target(struct worker *w)
{
	struct vcpc_target_args args = { .tid = some_tid(w) };
	struct hostile h = { .op = &contract[OP_UNBIND + below(&w->f, 4)] };
	const struct own_set *own = choose_set(w, &h);

	if (one_in(&w->f, 5))
		args.flags = VCPC_TARGET_F_ALL;
	else if (own && own->groups && h.op == &contract[OP_RESTART])
		h.must = MUST_FAIL;
	if (one_in(&w->f, 10)) {
		args.flags |= VCPC_TARGET_F_CPU;
		args.tid = below(&w->f, 3);
	}
	if (one_in(&w->f, 20)) {
		args.flags |= 4U << below(&w->f, 30);
		h.must = EINVAL;
	} else if (one_in(&w->f, 20)) {
		args.reserved = 1U << below(&w->f, 32);
		h.must = EINVAL;
	}
	memcpy(h.image, &args, sizeof(args));
	fire(&w->f, &h);
}
