// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading a set's mapping, which the module writes at any time.
 *
 * A slot's words may change while they are copied; the sequence number before and
 * after tells.  Nothing that decides where is read comes from the mapping twice.
 *
 * Threads: any number of readers, also in signal handlers.
 */
#include <errno.h>
#include <sched.h>
#include <stdint.h>

#include "page.h"

/*
 * A writer has interrupts off, but its CPU may be a hypervisor's that takes it away.
 * After so many tries the reader lets others run at each.
 */
#define PATIENCE	1000
#define TRIES		100000

_Static_assert(offsetof(struct vcpc_page_slot, seq) == 0, "a slot begins with its number");
_Static_assert(sizeof(struct vcpc_page_slot) % sizeof(uint64_t) == 0, "slots are words");

/**
 * shim_page__init() - look at a mapping for the first time
 * @page: filled on success
 * @map: what mmap(2) gave
 * @size: bytes
 *
 * Return: 0 or -EPROTO if that is no set's mapping.
 */
int shim_page__init(struct shim_page *page, const void *map, size_t size)
{
	const struct vcpc_page *head = map;
	size_t fit;

	if (size < sizeof(*head) || head->size < sizeof(*head) || head->size > size ||
	    head->size % sizeof(uint64_t) || head->slot_size % sizeof(uint64_t) ||
	    head->slot_size < sizeof(struct vcpc_page_slot))
		return -EPROTO;
	/* Somebody else may have mapped more of it. */
	fit = (size - head->size) / head->slot_size;
	page->map = map;
	page->size = size;
	page->slots = head->slots < fit ? head->slots : fit;
	return 0;
}

/**
 * shim_page__missing() - how many instances have no slot
 * @page: the mapping
 */
unsigned int shim_page__missing(const struct shim_page *page)
{
	const struct vcpc_page *head = page->map;

	return __atomic_load_n(&head->missing, __ATOMIC_RELAXED);
}

static void copy_words(uint64_t *to, const uint64_t *from, size_t words)
{
	for (size_t i = 0; i < words; i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

/* Whether what was copied was whole */
static int try_copy(const struct vcpc_page_slot *from, struct vcpc_page_slot *to, size_t size)
{
	uint32_t seq = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);

	if (seq & 1)
		return 0;
	copy_words((uint64_t *)to, (const uint64_t *)from, size / sizeof(uint64_t));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&from->seq, __ATOMIC_RELAXED) == seq;
}

/**
 * shim_page__read() - the last sample of an instance
 * @page: the mapping
 * @i: which slot, below @page->slots
 * @slot: a copy of it; holds nothing useful after a failure
 * @size: bytes at @slot, a multiple of 8; as much of the slot is copied
 *
 * Return: 0, -ENOENT (no instance has that slot), -ENODATA (nobody has sampled the
 * instance yet), -EAGAIN (it was being written whenever it was looked at).
 */
int shim_page__read(const struct shim_page *page, unsigned int i, struct vcpc_page_slot *slot,
		    size_t size)
{
	const struct vcpc_page *head = page->map;
	const char *at = (const char *)page->map + head->size + (size_t)i * head->slot_size;

	if (size > head->slot_size)
		size = head->slot_size;
	for (unsigned int tries = 0; tries < TRIES; tries++) {
		if (tries > PATIENCE)
			sched_yield();
		if (!try_copy((const struct vcpc_page_slot *)at, slot, size))
			continue;
		if (!slot->used)
			return -ENOENT;
		return slot->sample.time ? 0 : -ENODATA;
	}
	return -EAGAIN;
}
