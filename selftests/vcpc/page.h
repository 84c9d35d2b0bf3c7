/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a set, as programs read it. */
#ifndef VCPC_TEST_PAGE_H
#define VCPC_TEST_PAGE_H

#include <sched.h>

#include "calls.h"

static inline const struct vcpc_page_slot *slot_at(const struct vcpc_page *page, unsigned int i)
{
	return (const void *)((const char *)page + page->size + (size_t)i * page->slot_size);
}

/* The first @size bytes of a slot as they were at one time; false if it does not get there. */
static inline bool read_slot(const struct vcpc_page_slot *from, void *to, size_t size)
{
	unsigned int tries;
	__u32 seq;

	/* Its writer's CPU may not run for a while where it is a virtual one: a minute. */
	for (tries = 0; tries < 61000; tries++) {
		seq = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);
		memcpy(to, from, size);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(seq & 1) && seq == __atomic_load_n(&from->seq, __ATOMIC_RELAXED))
			return true;
		if (tries < 1000)
			sched_yield();
		else
			usleep(1000);
	}
	return false;
}

#endif /* VCPC_TEST_PAGE_H */
