/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets that new threads inherit, and finding the one that a thread has inherited. */
#ifndef SHIM_CPC_HEIR_H
#define SHIM_CPC_HEIR_H

#include <stdbool.h>

#include "core/counters.h"

/**
 * struct shim_heir_estate - a set that threads inherit
 * @next: in the list of all
 * @counters: the set, which its owner keeps while it is in the list
 * @listed: it is in the list
 */
struct shim_heir_estate {
	struct shim_heir_estate *next;
	struct shim_counters *counters;
	bool listed;
};

int shim_heir__prepare(unsigned int nr);
void shim_heir__bequeath(struct shim_heir_estate *estate, struct shim_counters *counters);
void shim_heir__end(struct shim_heir_estate *estate);
struct shim_counters *shim_heir__inherited(void);

#endif /* SHIM_CPC_HEIR_H */
