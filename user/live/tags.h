/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Totals of traced tags by name, over all tracing sessions */
#ifndef SHIM_LIVE_TAGS_H
#define SHIM_LIVE_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "core/bpf.h"
#include "core/bpf_stat.h"
#include "split.h"

/* The writer of statistics: the kernel, under a tag ID that may change, or programs themselves */
enum { SHIM_LIVE_KERNEL, SHIM_LIVE_DIRECT, SHIM_LIVE_PARTS };

/* Buckets of a histogram, from @first up to, but not including, @end; none if these are equal */
struct shim_live_range {
	uint32_t first, end;
};

/**
 * struct shim_live_part - statistics of a tag from one of these writers
 * @id: the tag's ID
 * @session: the tracing session in which the tag has this ID
 * @now: total of this session and ID, or NULL; points to the tag's @total while there is nothing
 *	else to add to it
 * @slots: the used buckets of its histogram; all others are 0
 */
struct shim_live_part {
	uint64_t id;
	unsigned int session;
	struct vc_stat *now;
	struct shim_live_range slots;
};

/**
 * struct shim_live_since - the events since the last written sample
 * @count: number of events
 * @sum_ns: total time of the transactions
 * @min_ns: the shortest time, which is at most the mean
 * @max_ns: the longest time, which is at least the mean
 * @slots: the buckets that have changed
 */
struct shim_live_since {
	uint64_t count, sum_ns, min_ns, max_ns;
	struct shim_live_range slots;
};

/**
 * struct shim_live_tag - a tag of one kind; members that are used for each value come first
 * @inst: its instance number
 * @marked: shim_live_tags__sweep() will free the tag
 * @is_written: whether @before equals @total
 * @unwritten: if not, the range in which their histograms may differ
 * @since: the result of shim_live_tag__since()
 * @since_of: number of the sample for which @since was computed
 * @total: sum of all statistics
 * @before: @total at the last written sample
 * @part: the tag's statistics by writer
 * @earlier: total of earlier sessions and IDs, NULL if there were none
 * @parts: parts of its transactions' time while a 'why' session was open
 * @unseen: buckets that have changed since instances were last added
 * @aborted_ns: time when an abort was last detected; the statistics do not contain it
 * @seen: the last sample in which shim_live_tags__see() found the tag
 * @missed: number of consecutive searched samples without it
 * @node: node in the table by name
 * @owned: node in the table by name and user
 * @name: its name
 * @user: its owner
 * @label: its name as an instance, which differs between users' tags with the same name and never
 *	changes
 * @slots: for a transaction: instance numbers of its histogram's buckets; 0: none yet
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
	struct shim_live_parts parts;
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
 * Numbers of instances.  Lists of instances are sorted by number.  @last is the last number used; a
 * number is reused only after all 2^31 have been used.  @removed increases when instances are
 * removed or renumbered.
 */
struct shim_live_numbers {
	int32_t last;
	uint64_t removed;
};

/*
 * The tags of a kind, sorted by number, which is the order of arrival
 * @former: removed tags by name: their owners and labels, in @arena
 * @forgot: some removed tags were forgotten because there were too many
 * @most: maximum number of tags that existed simultaneously
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
struct shim_live_tag *shim_live_tags__get(const struct shim_live_tags *tags, const char *name,
					  uint32_t user);
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
