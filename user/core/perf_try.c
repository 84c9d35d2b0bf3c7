// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find out whether perf can count an event for the caller, whether it can count any event, and how
 * many it can count at once.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <unistd.h>

#include "perf_group.h"
#include "pmus.h"

#define MOST_SLOTS	32

static const struct shim_group_place caller = { .tid = 0, .cpu = -1 };
static const struct shim_group_place cpu = { .tid = -1, .cpu = 0 };

/**
 * shim_group__try() - check whether an event can be counted here
 * @req: the event
 *
 * Return: 0 or a negative error of VCPC_IOC_SET_CREATE.
 */
int shim_group__try(const struct vcpc_request *req)
{
	struct perf_event_attr attr;
	int fd, err;

	shim_group__describe(&attr, req);
	attr.disabled = 1;
	fd = shim_group__open_event(&attr, &caller, -1);
	err = errno;
	/* EINVAL for a thread can mean that the event counts only on CPUs. */
	if (fd < 0 && err == EINVAL)
		fd = shim_group__open_event(&attr, &cpu, -1);
	if (fd < 0)
		return shim_group__error(err);
	close(fd);
	return 0;
}

/**
 * shim_group__why() - check whether perf counts events for the caller
 *
 * Return: 0, -EACCES (kernel.perf_event_paranoid), -EPERM (something else forbids the call, for
 * example a container's system call filter), -ENOSYS, or another error from perf_event_open(2).
 */
int shim_group__why(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = shim_group__open_event(&attr, &caller, -1);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/*
 * Find the number of counters that a group may use: add events until the kernel rejects the group
 * because it could never be on the PMU. @short_of is set if the group was rejected for lack of
 * descriptors or memory instead; another try may then find more counters.
 */
static unsigned int find_slots(const struct vcpc_request *cycles, bool *short_of)
{
	struct perf_event_attr attr;
	int fds[MOST_SLOTS];
	unsigned int n;

	/* The leader is enabled, because arm64 does not include a disabled leader in its check. */
	shim_group__describe(&attr, cycles);
	for (n = 0; n < MOST_SLOTS; n++) {
		fds[n] = shim_group__open_event(&attr, &caller, n ? fds[0] : -1);
		if (fds[n] < 0)
			break;
	}
	*short_of |= n < MOST_SLOTS && (errno == EMFILE || errno == ENFILE || errno == ENOMEM);
	for (unsigned int i = n; i--; )
		close(fds[i]);
	return n;
}

/* Return the minimum over all kinds of core. */
static unsigned int find_least_slots(bool *short_of)
{
	const struct shim_pmus *pmus = shim_pmus__several();
	const struct vcpc_request cycles = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.flags = VCPC_REQ_F_USER,
	};
	struct vcpc_request one = cycles;
	unsigned int least = MOST_SLOTS;

	*short_of = false;
	if (!pmus)
		return find_slots(&cycles, short_of);
	for (unsigned int k = 0; k < pmus->n; k++) {
		unsigned int n;

		shim_pmus__make(pmus, k, &cycles, &one);
		n = find_slots(&one, short_of);
		least = n < least ? n : least;
	}
	return least;
}

/**
 * shim_group__slots() - get the number of the PMU's counters
 *
 * This finds the number by trying, and caches it unless descriptors or memory ran out.
 *
 * Return: the number; the minimum if there are several kinds of core; 0 if there is no
 * PMU or the caller is not permitted to use it.
 */
unsigned int shim_group__slots(void)
{
	static atomic_uint found;	/* the number + 1; 0: unknown */
	unsigned int n = atomic_load(&found);
	bool short_of;

	if (!n) {
		n = find_least_slots(&short_of) + 1;
		if (!short_of)
			atomic_store(&found, n);
	}
	return n - 1;
}
