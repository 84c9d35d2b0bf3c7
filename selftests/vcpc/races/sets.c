// SPDX-License-Identifier: GPL-2.0-or-later
/* Make calls on sets that other threads can close, unbind, enable or disable at any time. */

#include "../inherited.h"
#include "../signaled.h"
#include "acts.h"

static const int create_says[] = { EUSERS, ENOMEM, EMFILE, 0 };
static const int other_says[] = { EINVAL, EAGAIN, EINTR, 0 };

void do_bind(struct actor *a)
{
	static const __u32 flags[] = {
		0, 0, 0, VCPC_BIND_F_INHERIT, VCPC_BIND_F_TREE | VCPC_BIND_F_INHERIT,
		VCPC_BIND_F_TREE, VCPC_BIND_F_ENABLE_ON_EXEC,
		VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_TREE,
		VCPC_BIND_F_INHERIT | VCPC_BIND_F_TRACE, VCPC_BIND_F_TREE | VCPC_BIND_F_TRACE,
	};
	static const int says[] = {
		EBUSY, ENOSPC, EUSERS, EINTR, EOPNOTSUPP, ENOMEM, EINVAL, 0
	};

	check(a->world, "BIND", set_bind(some_set(a), flags[below(a, 10)]), says);
}

void do_unbind(struct actor *a)
{
	if (below(a, 3))
		check(a->world, "UNBIND", set_own(some_set(a), VCPC_IOC_UNBIND), other_says);
	else
		check(a->world, "UNBIND all", set_unbind_all(some_set(a)), other_says);
}

void do_turn(struct actor *a)
{
	static const unsigned long cmds[] = {
		VCPC_IOC_ENABLE, VCPC_IOC_DISABLE, VCPC_IOC_RESTART,
	};

	check(a->world, "turn", set_own(some_set(a), cmds[below(a, 3)]), other_says);
}

/*
 * Return a preset that overflows soon.  For a clock, it must not be so soon that the machine spends
 * all its time on overflows.
 */
static __u64 soon(struct actor *a, bool faults)
{
	return -1ULL - (faults ? below(a, 5) : 500000 + below(a, 1 << 20));
}

void do_preset(struct actor *a)
{
	struct vcpc_preset_args args = {
		.size = sizeof(args),
		.request = below(a, 3),
		.preset = chance(&a->random),
	};
	static const int says[] = { EINVAL, EAGAIN, EINTR, ENOMEM, 0 };

	/* The first request of each set counts page faults; the others count time and cycles. */
	if (below(a, 2))
		args.preset = soon(a, args.request == 0);
	check(a->world, "PRESET", call(some_set(a), VCPC_IOC_PRESET, &args), says);
}

void do_sample(struct actor *a)
{
	static const __u32 flags[] = {
		0, 0, 0, VCPC_SAMPLE_F_TOTAL, VCPC_SAMPLE_F_TOTAL, VCPC_SAMPLE_F_TOTAL,
	};
	struct room room;
	struct vcpc_sample_args args = {
		.size = sizeof(args),
		.flags = flags[below(a, 6)],
		.buf_size = sizeof(room),
		.buf = pointer(&room),
	};
	static const int says[] = { EINVAL, EAGAIN, EBUSY, EINTR, ENOMEM, 0 };

	args.tid = args.flags ? 0 : some_target(a);
	check(a->world, "SAMPLE", call(some_set(a), VCPC_IOC_SAMPLE, &args), says);
}

void do_read(struct actor *a)
{
	struct room room;
	ssize_t len = read(some_set(a), &room, sizeof(room));

	check(a->world, "read", len < 0 ? -errno : 0, other_says);
}

void do_list(struct actor *a)
{
	struct vcpc_instance_info info[16];
	struct vcpc_instances_args args;

	check(a->world, "INSTANCES", set_instances(some_set(a), info, 16, &args), other_says);
}

static void with_overflow(struct actor *a, struct vcpc_set_create_args *args,
			  struct vcpc_request *requests)
{
	struct vcpc_request *r = &requests[below(a, args->nr_requests)];
	bool faults = r->config == PERF_COUNT_SW_PAGE_FAULTS && r->type == PERF_TYPE_SOFTWARE;

	r->flags |= VCPC_REQ_F_OVERFLOW;
	r->preset = soon(a, faults);
	args->signal = below(a, 2) ? OVERFLOW_SIGNAL : 0;
}

/* Close a set while other threads may use it, and replace it with a new one. */
void do_replace(struct actor *a)
{
	struct vcpc_request requests[3] = { page_faults, task_clock, cycles };
	struct vcpc_set_create_args args =
		create_args(requests, 1 + below(a, hw_slots() ? 3 : 2));
	int device = device_open(), set;

	args.flags = below(a, 4) ? 0 : VCPC_SET_F_DISABLED;
	if (!below(a, 3))
		with_overflow(a, &args, requests);
	set = call(device, VCPC_IOC_SET_CREATE, &args);
	close(device);
	if (set < 0)
		check(a->world, "SET_CREATE", set, create_says);
	else
		close(__atomic_exchange_n(&a->world->sets[below(a, SETS)], set, __ATOMIC_RELAXED));
}
