// SPDX-License-Identifier: GPL-2.0
/*
 * Copy in the requests of a new set, and check that the caller is permitted to count them.
 *
 * perf does not check permissions of counters that a module opens.  Users who have permission to
 * open the device can count their own threads in user mode; the administrator sets the node's mode.
 * Counting in kernel mode requires CAP_PERFMON when the set is created and again when it is bound,
 * because the descriptor can come from a process with more privileges.
 */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/once.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/siphash.h>

#include "hardware.h"
#include "internals.h"
#include "spec.h"
#include "trace/counts.h"
#include "uarg.h"

/*
 * Return a number that identifies the events of a set's first counters.  It is keyed, so it cannot
 * be forged.
 */
static u64 identify(const struct vcpc_spec *spec)
{
	static siphash_key_t secret;
	u32 i, nr = min_t(u32, spec->nr, VCPC_TRACE_COUNTERS);
	u64 sum = nr;

	get_random_once(&secret, sizeof(secret));
	for (i = 0; i < nr; i++) {
		const struct vcpc_request *req = &spec->requests[i];

		sum = siphash_4u64(sum, (u64)req->type << 32 | req->flags, req->config,
				   siphash_2u64(req->config1, req->config2, &secret), &secret);
	}
	return sum ?: 1;
}

static int take_request(struct vcpc_spec *spec, const struct vcpc_set_create_args *args)
{
	struct vcpc_request *req = &spec->requests[spec->nr];
	int ret = vcpc_uarg_request(req, args, spec->nr);

	if (ret)
		return ret;
	if (req->flags & VCPC_REQ_F_KERNEL) {
		spec->kernel = min(spec->kernel, spec->nr);
		if (!perfmon_capable())
			return -EACCES;
	}
	if (req->flags & VCPC_REQ_F_OVERFLOW) {
		spec->overflows = true;
		spec->cost += vcpc_is_clock(req->type, req->config) ? VCPC_TIMER_COST : 0;
	}
	spec->cost++;
	return vcpc_hardware_check(req);
}

/**
 * vcpc_spec_take() - copy in and check the requests of a new set
 * @spec: zeroed, with space for all requests
 * @args: validated arguments
 * @bad: set to the request's index if a request caused the failure
 *
 * Context: sleeps.
 * Return: 0, -EINVAL, -E2BIG, -ENOENT, -EOPNOTSUPP, -EACCES, -EFAULT, -EINTR, or the PMU's error.
 */
int vcpc_spec_take(struct vcpc_spec *spec, const struct vcpc_set_create_args *args, int *bad)
{
	int ret;

	spec->cost = 1;
	spec->kernel = args->nr_requests;
	for (; spec->nr < args->nr_requests; spec->nr++) {
		ret = take_request(spec, args);
		if (!ret && fatal_signal_pending(current))
			return -EINTR;
		if (ret) {
			*bad = spec->nr;
			return ret;
		}
	}
	spec->flags = args->flags;
	spec->signal = args->signal;
	spec->events = identify(spec);
	return args->signal && !spec->overflows ? -EINVAL : 0;
}

/**
 * vcpc_spec_allowed() - check whether the caller is permitted to count the requests
 * @spec: the requests
 * @bad: on failure set to the index of the first request that is not permitted
 *
 * Return: 0 or -EACCES.
 */
int vcpc_spec_allowed(const struct vcpc_spec *spec, int *bad)
{
	if (spec->kernel == spec->nr || perfmon_capable())
		return 0;
	*bad = spec->kernel;
	return -EACCES;
}
