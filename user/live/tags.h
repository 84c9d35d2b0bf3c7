/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was traced, by name, over all that recorded: also while tracing went off and on. */
#ifndef SHIM_LIVE_TAGS_H
#define SHIM_LIVE_TAGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "core/bpf.h"
#include "core/bpf_slots.h"

/* Who wrote it: the kernel, under a number that may go, or programs themselves */
enum { SHIM_LIVE_KERNEL, SHIM_LIVE_DIRECT, SHIM_LIVE_PARTS };

/**
 * struct shim_live_part - what one of them wrote
 * @id: the number of the tag
 * @session: in which time of tracing that was
 * @base: what earlier times and numbers had
 * @now: what this one has
 */
struct shim_live_part {
	uint64_t id;
	unsigned int session;
	struct vc_stat base, now;
};

/**
 * struct shim_live_tag - a tag of one kind; its instance number is its place, counted from 1
 * @node: by name
 * @name: the tag
 * @user: whose it is
 * @label: what it is called in the archive, which tells users' equal names apart; for good
 * @part: what was written of it, by whom
 * @total: all together
 * @before: that of the sample before
 * @since: what came between the two, as worked out
 * @since_of: for the sample of that number
 * @has_changed: since its slots were looked at
 * @slots: of a transaction: instance numbers of its histogram's slots, 0: none yet
 */
struct shim_live_tag {
	struct shim_hnode node;
	char *name;
	uint32_t user;
	char label[SHIM_LABEL_LEN];
	struct shim_live_part part[SHIM_LIVE_PARTS];
	struct vc_stat total, before;
	struct vc_stat since;
	uint64_t since_of;
	int has_changed;
	uint32_t slots[VC_HIST_SLOTS];
};

struct shim_live_tags {
	struct shim_live_tag **at;
	size_t n, room;
	struct shim_hash by_name;
};

void shim_live_tags__init(struct shim_live_tags *tags);
void shim_live_tags__free(struct shim_live_tags *tags);
int shim_live_tags__take(struct shim_live_tags *tags, const struct shim_bpf_stat *stat,
			unsigned int session);
const struct shim_live_tag *shim_live_tags__find(const struct shim_live_tags *tags,
					      const struct shim_bpf_tag *tag);
void shim_live_tags__written(struct shim_live_tags *tags);
void shim_live_tag__since(const struct shim_live_tag *tag, struct vc_stat *since);
double shim_live_tag__percentile(const struct vc_stat *stat, double percent);

#endif /* SHIM_LIVE_TAGS_H */
