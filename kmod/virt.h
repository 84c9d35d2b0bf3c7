/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arithmetic of virtual counters: 64 bits over a counter of any width.
 */
#ifndef VCPC_VIRT_H
#define VCPC_VIRT_H

#include <linux/types.h>

/**
 * vcpc_virt_since() - how far a physical counter has gone
 * @from: what it was read as; bits beyond its width mean nothing
 * @to: what it was read as later, likewise
 * @mask: of its bits
 *
 * Context: pure.
 * Return: the events between, if they were fewer than the counter can tell.
 */
static __always_inline u64 vcpc_virt_since(u64 from, u64 to, u64 mask)
{
	return (to - from) & mask;
}

#endif
