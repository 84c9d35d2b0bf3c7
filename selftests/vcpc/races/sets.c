// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls on sets, any of which may be closed, unbound or turned by somebody else meanwhile. */
#include "../heirs.h"
#include "acts.h"

static const int bind_says[] = { EBUSY, ESRCH, ENOSPC, EUSERS, EINTR, EOPNOTSUPP, ENOMEM, 0 };
static const int other_says[] = { EINVAL, EAGAIN, EINTR, 0 };

void do_bind(struct actor *a)
{
	static const __u32 flags[] = {
		0, 0, 0, VCPC_BIND_F_INHERIT, VCPC_BIND_F_TREE | VCPC_BIND_F_INHERIT,
		VCPC_BIND_F_PROCESS, VCPC_BIND_F_PROCESS | VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE,
		VCPC_BIND_F_ENABLE_ON_EXEC, VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_TREE,
	};
	static const int says[] = {
		EBUSY, ESRCH, ENOSPC, EUSERS, EINTR, EOPNOTSUPP, ENOMEM, EINVAL, 0
	};

	check(a->world, "BIND", set_bind(some_set(a), flags[below(a, 9)], some_target(a)), says);
}

void do_unbind(struct actor *a)
{
	if (below(a, 3))
		check(a->world, "UNBIND", set_target(some_set(a), VCPC_IOC_UNBIND, some_target(a)),
		      other_says);
	else
		check(a->world, "UNBIND all", set_all(some_set(a), VCPC_IOC_UNBIND, 0), other_says);
}

void do_turn(struct actor *a)
{
	unsigned long cmd = below(a, 2) ? VCPC_IOC_ENABLE : VCPC_IOC_DISABLE;

	if (below(a, 3))
		check(a->world, "turn", set_target(some_set(a), cmd, some_target(a)), other_says);
	else
		check(a->world, "turn all", set_all(some_set(a), cmd, 0), other_says);
}

void do_sample(struct actor *a)
{
	struct room room;
	struct vcpc_sample_args args = {
		.size = sizeof(args),
		.flags = below(a, 3) ? 0 : VCPC_SAMPLE_F_TOTAL,
		.tid = some_target(a),
		.buf_size = sizeof(room),
		.buf = pointer(&room),
	};

	check(a->world, "SAMPLE", call(some_set(a), VCPC_IOC_SAMPLE, &args), other_says);
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

/* Closing a set takes it from all who use it; another takes its place. */
void do_replace(struct actor *a)
{
	struct vcpc_request requests[3] = { page_faults, task_clock, cycles };
	int device = device_open();
	unsigned int nr = hw_slots() ? 1 + below(a, 3) : 1 + below(a, 2);
	int set = set_create(device, requests, nr, below(a, 4) ? 0 : VCPC_SET_F_DISABLED);

	close(device);
	if (set < 0) {
		check(a->world, "SET_CREATE", set, bind_says);
		return;
	}
	close(__atomic_exchange_n(&a->world->sets[below(a, SETS)], set, __ATOMIC_RELAXED));
}
