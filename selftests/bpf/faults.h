/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perform transactions that cause a known number of page faults. */
#ifndef BPF_FAULTS_H
#define BPF_FAULTS_H

#include "bpf_test.h"

/* Cause exactly @pages page faults. */
static inline int touch(size_t pages)
{
	size_t page = sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return -1;
	for (size_t i = 0; i < pages; i++)
		p[i * page] = 1;
	return munmap((void *)p, pages * page);
}

static inline int transaction(const char *tag, size_t pages)
{
	return pmtracebegin(tag) || (pages && touch(pages)) || pmtraceend(tag);
}

#endif /* BPF_FAULTS_H */
