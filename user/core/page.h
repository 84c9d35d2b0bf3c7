/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The last sample of each instance of a set, read from the set's mapping without a call. */
#ifndef SHIM_CORE_PAGE_H
#define SHIM_CORE_PAGE_H

#include <stddef.h>
#include <linux/vcpc.h>

/**
 * struct shim_page - a set's mapping
 * @map: begins with a struct vcpc_page
 * @size: bytes mapped
 * @slots: how many of its slots can be read
 */
struct shim_page {
	const void *map;
	size_t size;
	unsigned int slots;
};

int shim_page__init(struct shim_page *page, const void *map, size_t size);
unsigned int shim_page__missing(const struct shim_page *page);
int shim_page__read(const struct shim_page *page, unsigned int i, struct vcpc_page_slot *slot,
		    size_t size);

#endif /* SHIM_CORE_PAGE_H */
