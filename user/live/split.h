/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the time of tags' transactions is divided, while any process has a 'why' session open */
#ifndef SHIM_LIVE_SPLIT_H
#define SHIM_LIVE_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bpf_why_maps.h"

/**
 * struct shim_live_parts - parts of the time of a tag's transactions
 * @any: whether any 'why' session has recorded a transaction
 * @earlier: sums of the 'why' sessions that have ended
 * @now: sums of the open 'why' session
 */
struct shim_live_parts {
	bool any;
	struct shim_why_sums earlier, now;
};

/**
 * struct shim_live_split - the open 'why' session
 * @maps: its maps
 * @searched_ns: time of the last search
 * @denied: searching is not permitted
 */
struct shim_live_split {
	struct shim_why_maps maps;
	uint64_t searched_ns;
	bool denied;
};

struct shim_live_tags;

int shim_live_split__sample(struct shim_live_split *split, struct shim_live_tags *tags);
void shim_live_split__close(struct shim_live_split *split);

#endif /* SHIM_LIVE_SPLIT_H */
