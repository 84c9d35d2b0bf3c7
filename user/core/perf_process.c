// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Distinguish a process from its forked children without a system call: a page contains a number of
 * the process, and the kernel clears the page in a child (MADV_WIPEONFORK), regardless of the call
 * that created the child.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "perf_set.h"
#include "clock.h"

static _Atomic(volatile __u64 *) the_page;

static volatile __u64 *map_process(void)
{
	volatile __u64 *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile __u64 *none = NULL;

	if (page == MAP_FAILED)
		return NULL;
	if (madvise((void *)page, sysconf(_SC_PAGESIZE), MADV_WIPEONFORK) ||
	    !atomic_compare_exchange_strong(&the_page, &none, page))
		munmap((void *)page, sysconf(_SC_PAGESIZE));
	return atomic_load(&the_page);
}

/**
 * shim_perf__process() - get the process's page, or map it
 *
 * Return: the page, which begins with the process's number; NULL if the kernel cannot map such a
 *	page.
 */
const volatile __u64 *shim_perf__process(void)
{
	volatile __u64 *page = atomic_load(&the_page);
	__u64 none = 0;

	if (!page)
		page = map_process();
	if (!page)
		return NULL;
	__atomic_compare_exchange_n(page, &none, shim_clock__ns(), 0, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	return page;
}
