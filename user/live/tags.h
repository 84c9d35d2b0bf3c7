/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Totals of what was traced, by tag name, over all tracing sessions. */
#ifndef SHIM_LIVE_TAGS_H
#define SHIM_LIVE_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "core/bpf.h"
#include "core/bpf_slots.h"

/* Who wrote the statistics: the kernel, under a tag id that may change, or programs themselves */
enum { SHIM_LIVE_KERNEL, SHIM_LIVE_DIRECT, SHIM_LIVE_PARTS };

/* Slots of a histogram, from @first to before @end; none if these are equal */
struct shim_live_range {
	uint32_t first, end;
};

/**
 * struct shim_live_part - what one of these wrote about a tag
 * @id: the tag's id
 * @session: the tracing session in which the tag has this id
 * @now: total of this session and id, NULL before there is any; the tag's @total as long as there
 *	is nothing else to add to it
 * @slots: those of its histogram outside are 0
 */
struct shim_live_part {
	uint64_t id;
	unsigned int session;
	struct vc_stat *now;
	struct shim_live_range slots;
};

/**
 * struct shim_live_since - what was added since the last sample that was written
 * @count: events
 * @sum_ns: time of transactions
 * @min_ns: of the shortest, at most the mean
 * @max_ns: of the longest, at least the mean
 * @slots: what was added to the histogram is in these
 */
struct shim_live_since {
	uint64_t count, sum_ns, min_ns, max_ns;
	struct shim_live_range slots;
};

/**
 * struct shim_live_tag - a tag of one kind; what each value is made of comes first
 * @inst: its instance number
 * @marked: shim_live_tags__sweep() frees it
 * @is_written: whether @before is @total
 * @unwritten: where their histograms may differ, otherwise
 * @since: what shim_live_tag__since() computed
 * @since_of: number of the sample that @since is of
 * @total: sum of all statistics
 * @before: @total at the last sample that was written
 * @part: its statistics, by who wrote them
 * @earlier: total of earlier sessions and ids, NULL if there were none
 * @unseen: slots that have changed since instances were last added for them
 * @aborted_ns: when an abort was last seen, which the statistics do not have
 * @seen: the last sample of which shim_live_tags__see() found it there
 * @missed: how many samples in turn did not have it, of those that were looked through
 * @node: by name
 * @owned: by name and user
 * @name: the tag
 * @user: whose it is
 * @label: its name as an instance, which differs between users' tags of one name; never changes
 * @slots: of a transaction: instance numbers of its histogram's slots, 0: none yet
 */
struct shim_live_tag {
	int32_t inst;
	bool marked, is_written;
	struct shim_live_range unwritten;
	uint64_t since_of;
	struct shim_live_since since;
	struct vc_stat total, before;
	struct shim_live_part part[SHIM_LIVE_PARTS];
	struct vc_stat *earlier;
	struct shim_live_range unseen;
	uint64_t aborted_ns;
	uint64_t seen;
	unsigned int missed;
	struct shim_hnode node, owned;
	char *name;
	uint32_t user;
	char label[SHIM_LABEL_LEN];
	uint32_t slots[VC_HIST_SLOTS];
};

/*
 * Numbers of instances, which are in lists sorted by them; @last: the last one given, as none is given
 * twice before all 2^31 have been; @removed: grows when instances are removed, or numbered anew
 */
struct shim_live_numbers {
	int32_t last;
	uint64_t removed;
};

/*
 * The tags of a kind, by number, which is the order of arrival; @most: how many were there at a time
 * @former: whose tags were removed, and of which label, by name, in @arena
 * @forgot: there were too many of these
 */
struct shim_live_tags {
	struct shim_live_tag **at;
	size_t n, room;
	struct shim_hash by_name, by_owner, former;
	struct shim_arena arena;
	bool forgot;
	struct shim_live_numbers numbers;
	size_t most;
};

void shim_live_tags__init(struct shim_live_tags *tags);
void shim_live_tags__free(struct shim_live_tags *tags);
int shim_live_tags__take(struct shim_live_tags *tags, const struct shim_bpf_stat *stat,
			unsigned int session, struct shim_live_tag **known);
const struct shim_live_tag *shim_live_tags__find(const struct shim_live_tags *tags,
					      const struct shim_bpf_tag *tag);
bool shim_live_tags__are_too_many(struct shim_live_tags *tags, size_t present);
void shim_live_tags__see(struct shim_live_tags *tags, const struct shim_bpf_tag *tag, uint64_t sample);
int shim_live_tags__mark(struct shim_live_tags *tags, uint64_t sample);
void shim_live_tags__sweep(struct shim_live_tags *tags);
void shim_live_tags__written(struct shim_live_tags *tags);
void shim_live_tag__since(const struct shim_live_tag *tag, struct shim_live_since *since);
uint64_t shim_live__now_ns(void);
double shim_live_tag__percentile(const struct shim_live_tag *tag,
				 const struct shim_live_since *since, double percent);

#endif /* SHIM_LIVE_TAGS_H */
