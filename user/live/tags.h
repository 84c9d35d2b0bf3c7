/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Totals of what was traced, by tag name, over all tracing sessions. */
#ifndef SHIM_LIVE_TAGS_H
#define SHIM_LIVE_TAGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "core/bpf.h"
#include "core/bpf_slots.h"

/* Who wrote the statistics: the kernel, under a tag id that may change, or programs themselves */
enum { SHIM_LIVE_KERNEL, SHIM_LIVE_DIRECT, SHIM_LIVE_PARTS };

/**
 * struct shim_live_part - what one of these wrote about a tag
 * @id: the tag's id
 * @session: the tracing session in which the tag has this id
 * @base: total of earlier sessions and ids
 * @now: total of this session and id
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
 * @label: its name as an instance, which differs between users' tags of one name; never changes
 * @part: its statistics, by who wrote them
 * @total: sum of all parts
 * @before: @total at the last sample that was written
 * @since: what shim_live_tag__since() computed
 * @since_of: number of the sample that @since is of
 * @has_changed: whether it changed since instances were last added for its slots
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
