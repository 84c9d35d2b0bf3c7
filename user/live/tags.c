// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Totals of traced tags by name, over all tracing sessions.
 *
 * When tracing is turned off and on, the kernel's statistics start from zero, and tags may get
 * other IDs.  A recorder's counters must not go backwards, so the totals of earlier sessions are
 * kept and the current ones are added to them.  Statistics that programs write themselves outlive
 * the kernel's ID of the tag, so they are stored separately.
 *
 * The number of removed tags that are kept is limited to the maximum number of tags that existed
 * simultaneously, or to LEAST_KEPT if that is larger.  Otherwise a program that keeps creating tags
 * would fill memory.  The owners of tags that are not kept are remembered, so that a tag that
 * reappears gets its former label, and another user's tag never gets that label.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vec.h"
#include "core/bpf_stat.h"
#include "tags.h"

#define LEAST_KEPT	1024
/*
 * If a table changes fast, a read can miss existing tags.  Consider a tag removed only after this
 * many misses.
 */
#define MISSED		3
/*
 * Maximum number of removed tags that are remembered; beyond it, labels of all new tags include the
 * user.
 */
#define MOST_FORMER	65536
#define ALL_SLOTS	((struct shim_live_range) { 0, VC_HIST_SLOTS })

void shim_live_tags__init(struct shim_live_tags *tags)
{
	*tags = (struct shim_live_tags) { NULL };
	shim_hash__init(&tags->by_name);
	shim_hash__init(&tags->by_owner);
	shim_hash__init(&tags->former);
}

static void free_tag(struct shim_live_tag *tag)
{
	for (size_t part = 0; part < SHIM_LIVE_PARTS; part++)
		if (tag->part[part].now != &tag->total)
			free(tag->part[part].now);
	free(tag->earlier);
	free(tag->name);
	free(tag);
}

void shim_live_tags__free(struct shim_live_tags *tags)
{
	for (size_t i = 0; i < tags->n; i++)
		free_tag(tags->at[i]);
	free(tags->at);
	shim_hash__free(&tags->by_name);
	shim_hash__free(&tags->by_owner);
	shim_hash__free(&tags->former);
	shim_arena__free(&tags->arena);
}

static uint64_t hash_of(const struct shim_live_tags *tags, const char *name)
{
	return shim_hash__bytes(&tags->by_name, name, strlen(name));
}

static uint64_t hash_of_owner(const struct shim_live_tags *tags, const char *name, uint32_t user)
{
	return shim_hash__bytes(&tags->by_owner, name, strlen(name)) ^
	       shim_hash__u32(&tags->by_owner, user);
}

/* Return whether any user has a tag with this name. */
static bool has_name(const struct shim_live_tags *tags, const char *name)
{
	struct shim_hnode *node = shim_hash__first(&tags->by_name, hash_of(tags, name));

	for (; node; node = shim_hash__next(node))
		if (!strcmp(shim_hnode__entry(node, struct shim_live_tag, node)->name, name))
			return true;
	return false;
}

/* Return the tag with this name and user, or NULL. */
struct shim_live_tag *shim_live_tags__get(const struct shim_live_tags *tags, const char *name,
					  uint32_t user)
{
	uint64_t hash = hash_of_owner(tags, name, user);

	for (struct shim_hnode *node = shim_hash__first(&tags->by_owner, hash); node;
	     node = shim_hash__next(node)) {
		struct shim_live_tag *tag = shim_hnode__entry(node, struct shim_live_tag, owned);

		if (tag->user == user && !strcmp(tag->name, name))
			return tag;
	}
	return NULL;
}

static struct shim_live_tag *tag_find(const struct shim_live_tags *tags,
				      const struct shim_bpf_tag *wanted)
{
	return shim_live_tags__get(tags, wanted->name, wanted->user);
}

/**
 * shim_live_tags__find() - find a tag that has already been read
 * @tags: the tags of its kind
 * @tag: the reader's tag
 *
 * Return: the tag, or NULL.
 */
const struct shim_live_tag *shim_live_tags__find(const struct shim_live_tags *tags,
					      const struct shim_bpf_tag *tag)
{
	return tag_find(tags, tag);
}

/*
 * All numbers have been used.  Renumber the existing tags, possibly with numbers of removed ones.
 */
static void renumber(struct shim_live_tags *tags)
{
	for (size_t i = 0; i < tags->n; i++)
		tags->at[i]->inst = i + 1;
	tags->numbers.last = tags->n;
	tags->numbers.removed += INT32_MAX;
}

/* A removed tag.  The node has the hash of its name.  @plain is set if its label was its name. */
struct former {
	struct shim_hnode node;
	uint32_t user;
	bool plain;
};

static bool is_plain(const struct shim_live_tag *tag)
{
	return !strcmp(tag->label, tag->name);
}

/*
 * Find a user's removed tag with this name, or NULL. Set *@others to whether other users had one.
 */
static struct former *former_of(const struct shim_live_tags *tags, const char *name, uint32_t user,
				bool *others)
{
	*others = false;
	for (struct shim_hnode *node = shim_hash__first(&tags->former, hash_of(tags, name)); node;
	     node = shim_hash__next(node)) {
		struct former *former = shim_hnode__entry(node, struct former, node);

		if (former->user == user)
			return former;
		*others = true;
	}
	return NULL;
}

/* Remember a tag that is being removed. */
static void remember(struct shim_live_tags *tags, const struct shim_live_tag *tag)
{
	struct former *former;
	bool others;

	if (tags->forgot || former_of(tags, tag->name, tag->user, &others))
		return;
	former = tags->former.n < MOST_FORMER ? shim_arena__alloc(&tags->arena, sizeof(*former)) : NULL;
	if (former && !shim_hash__add(&tags->former, &former->node, tag->node.hash)) {
		former->user = tag->user;
		former->plain = is_plain(tag);
	} else {
		tags->forgot = true;
	}
}

/* Return whether the label of a new tag must include its user. */
static bool names_user(const struct shim_live_tags *tags, const struct shim_bpf_tag *from)
{
	bool others;
	const struct former *former = former_of(tags, from->name, from->user, &others);

	if (former)
		return !former->plain;
	/* The reader may know other users' tags of other kinds with this name. */
	return others || tags->forgot || has_name(tags, from->name) || strcmp(from->label, from->name);
}

static struct shim_live_tag *tag_add(struct shim_live_tags *tags, const struct shim_bpf_tag *from)
{
	struct shim_live_tag *tag = calloc(1, sizeof(*tag));

	if (!tag || shim_vec__room(tags->at, &tags->room, tags->n))
		goto err;
	tag->name = strdup(from->name);
	tag->user = from->user;
	shim_bpf__label(tag->label, from->name, from->user, names_user(tags, from));
	if (!tag->name || shim_hash__add(&tags->by_name, &tag->node, hash_of(tags, from->name)))
		goto err;
	if (shim_hash__add(&tags->by_owner, &tag->owned, hash_of_owner(tags, from->name, from->user))) {
		shim_hash__del(&tags->by_name, &tag->node);
		goto err;
	}
	if (tags->numbers.last == INT32_MAX)
		renumber(tags);
	tag->inst = ++tags->numbers.last;
	tags->at[tags->n++] = tag;
	return tag;
err:
	if (tag)
		free(tag->name);
	free(tag);
	return NULL;
}

/* Return the range of buckets in which two histograms differ. */
static struct shim_live_range differing(const __u64 *a, const __u64 *b, struct shim_live_range in)
{
	while (in.first < in.end && a[in.first] == b[in.first])
		in.first++;
	while (in.first < in.end && a[in.end - 1] == b[in.end - 1])
		in.end--;
	return in;
}

static void widen(struct shim_live_range *range, struct shim_live_range by)
{
	if (by.first == by.end)
		return;
	if (range->first == range->end)
		*range = by;
	range->first = range->first < by.first ? range->first : by.first;
	range->end = range->end > by.end ? range->end : by.end;
}

/* Copy statistics whose histograms differ only in @slots.  Most of a histogram never changes. */
static void copy(struct vc_stat *to, const struct vc_stat *from, struct shim_live_range slots)
{
	memcpy(to, from, offsetof(struct vc_stat, hist));
	memcpy(&to->hist[slots.first], &from->hist[slots.first],
	       (slots.end - slots.first) * sizeof(to->hist[0]));
}

/* Allocate memory for a part that still shares the tag's total.  Return 0 or -ENOMEM. */
static int set_apart(struct shim_live_tag *tag, struct shim_live_part *part)
{
	struct vc_stat *own;

	if (part->now && part->now != &tag->total)
		return 0;
	own = calloc(1, sizeof(*own));
	if (!own)
		return -ENOMEM;
	if (part->now)
		*own = *part->now;
	part->now = own;
	return 0;
}

/*
 * Prepare memory for a part's next statistics.  If @has_ended is set, keep its previous ones.  Most
 * tags have one part and one session, and need only the memory of the tag's total.  Return 0 or
 * -ENOMEM.
 */
static int make_room(struct shim_live_tag *tag, struct shim_live_part *part, bool has_ended)
{
	struct shim_live_part *other = &tag->part[part == tag->part];

	if (!tag->earlier && !has_ended && !other->now) {
		part->now = &tag->total;
		return 0;
	}
	if (has_ended && !tag->earlier) {
		tag->earlier = calloc(1, sizeof(*tag->earlier));
		if (!tag->earlier)
			return -ENOMEM;
	}
	if (set_apart(tag, part))
		return -ENOMEM;
	return other->now ? set_apart(tag, other) : 0;
}

/* Store a part's statistics.  Return the range of buckets in which the tag's total has changed. */
static struct shim_live_range set(struct shim_live_tag *tag, struct shim_live_part *part,
				  const struct shim_bpf_stat *stat)
{
	struct shim_live_range slots = { stat->slots.first, stat->slots.end };

	widen(&part->slots, slots);
	slots = differing(part->now->hist, stat->total.hist, part->slots);
	copy(part->now, &stat->total, slots);
	if (part->now == &tag->total)
		return slots;
	tag->total = (struct vc_stat) { 0 };
	if (tag->earlier)
		shim_bpf_stat__add(&tag->total, tag->earlier);
	for (size_t i = 0; i < SHIM_LIVE_PARTS; i++)
		if (tag->part[i].now)
			shim_bpf_stat__add(&tag->total, tag->part[i].now);
	return ALL_SLOTS;
}

/* Return the current time according to the clock of the statistics. */
uint64_t shim_live__now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/**
 * shim_live_tags__take() - update a tag with its current statistics
 * @tags: the tags of its kind
 * @stat: the kernel's statistics
 * @session: number of the tracing session; a new session begins when tracing was off
 * @known: the tag if the caller knows it, otherwise NULL; set to the tag
 *
 * Return: 0 or -ENOMEM.
 */
int shim_live_tags__take(struct shim_live_tags *tags, const struct shim_bpf_stat *stat,
			unsigned int session, struct shim_live_tag **known)
{
	struct shim_live_tag *tag = *known ? *known : tag_find(tags, stat->tag);
	struct shim_live_range changed;
	struct shim_live_part *part;
	uint64_t aborted;
	bool has_ended;

	if (!tag)
		tag = tag_add(tags, stat->tag);
	if (!tag)
		return -ENOMEM;
	*known = tag;
	part = &tag->part[stat->key.tag & SHIM_DIRECT_ID ? SHIM_LIVE_DIRECT : SHIM_LIVE_KERNEL];
	has_ended = part->now && part->session != session;
	if (part->now && !has_ended && part == &tag->part[SHIM_LIVE_KERNEL]) {
		/* This row belongs to an abandoned ID, and has already been read. */
		if (stat->key.tag < part->id)
			return 0;
		has_ended = stat->key.tag != part->id;
	}
	if (make_room(tag, part, has_ended))
		return -ENOMEM;
	if (has_ended)
		shim_bpf_stat__add(tag->earlier, part->now);
	part->session = session;
	part->id = stat->key.tag;
	aborted = tag->total.aborted;
	changed = set(tag, part, stat);
	if (tag->total.aborted != aborted)
		tag->aborted_ns = shim_live__now_ns();
	widen(&tag->unseen, changed);
	widen(&tag->unwritten, changed);
	tag->is_written = false;
	return 0;
}

static size_t most_gone(const struct shim_live_tags *tags)
{
	return tags->most > LEAST_KEPT ? tags->most : LEAST_KEPT;
}

/**
 * shim_live_tags__are_too_many() - check whether more removed tags are known than may be kept
 * @tags: the tags of a kind
 * @present: number of tags that exist now
 *
 * Return: true if the caller must call shim_live_tags__see() for each existing tag, and then
 *	shim_live_tags__mark().
 */
bool shim_live_tags__are_too_many(struct shim_live_tags *tags, size_t present)
{
	if (present > tags->most)
		tags->most = present;
	return tags->n > present + most_gone(tags);
}

/* Record that a tag exists in the sample with this number, counted from 1. */
void shim_live_tags__see(struct shim_live_tags *tags, const struct shim_bpf_tag *tag, uint64_t sample)
{
	struct shim_live_tag *found = tag_find(tags, tag);

	if (found)
		found->seen = sample;
}

static uint64_t last_event(const struct shim_live_tag *tag)
{
	return tag->aborted_ns > tag->total.last_ns ? tag->aborted_ns : tag->total.last_ns;
}

static int by_last_event(const void *a, const void *b)
{
	uint64_t x = last_event(*(const struct shim_live_tag *const *)a);
	uint64_t y = last_event(*(const struct shim_live_tag *const *)b);

	return (x > y) - (x < y);
}

/**
 * shim_live_tags__mark() - mark ended tags for removal
 * @tags: the tags of a kind
 * @sample: the number that was passed to shim_live_tags__see()
 *
 * This marks the tags with the oldest last events, until only half of the permitted number of
 * ended tags is left.
 *
 * Return: 0 or -ENOMEM.
 */
int shim_live_tags__mark(struct shim_live_tags *tags, uint64_t sample)
{
	struct shim_live_tag **gone = calloc(tags->n + 1, sizeof(struct shim_live_tag *));
	size_t n = 0, stay = most_gone(tags) / 2;

	if (!gone)
		return -ENOMEM;
	for (size_t i = 0; i < tags->n; i++) {
		tags->at[i]->missed = tags->at[i]->seen == sample ? 0 : tags->at[i]->missed + 1;
		if (tags->at[i]->missed >= MISSED)
			gone[n++] = tags->at[i];
	}
	qsort(gone, n, sizeof(gone[0]), by_last_event);
	for (size_t i = 0; i + stay < n; i++)
		gone[i]->marked = true;
	free(gone);
	return 0;
}

/* Free the marked tags. */
void shim_live_tags__sweep(struct shim_live_tags *tags)
{
	size_t n = 0;

	for (size_t i = 0; i < tags->n; i++) {
		struct shim_live_tag *tag = tags->at[i];

		if (!tag->marked) {
			tags->at[n++] = tag;
			continue;
		}
		remember(tags, tag);
		shim_hash__del(&tags->by_name, &tag->node);
		shim_hash__del(&tags->by_owner, &tag->owned);
		free_tag(tag);
	}
	tags->numbers.removed += tags->n - n;
	tags->n = n;
}

/*
 * Call this when a sample has been written.  shim_live_tag__since() then counts from this sample.
 */
void shim_live_tags__written(struct shim_live_tags *tags)
{
	for (size_t i = 0; i < tags->n; i++) {
		struct shim_live_tag *tag = tags->at[i];

		if (tag->is_written)
			continue;
		copy(&tag->before, &tag->total, tag->unwritten);
		tag->unwritten = (struct shim_live_range) { 0 };
		tag->is_written = true;
	}
}

static uint64_t slot_middle(uint32_t slot)
{
	return (vc_hist_floor(slot) + vc_hist_floor(slot + 1) - 1) / 2;
}

static uint64_t clamp(uint64_t v, uint64_t least, uint64_t most)
{
	return v < least ? least : v > most ? most : v;
}

/* Narrow the buckets' bounds to the overall minimum and maximum if these are between the bounds. */
static void bound(const struct vc_stat *total, uint64_t *least, uint64_t *most)
{
	if (total->min_ns > *least && total->min_ns <= *most)
		*least = total->min_ns;
	if (total->max_ns < *most && total->max_ns >= *least)
		*most = total->max_ns;
}

/*
 * Estimate the extremes as the middles of the outermost buckets, which are accurate to 1/16.  The
 * mean is exact and lies between the true extremes, so a middle on the wrong side of the mean is
 * replaced with the mean.  Fields are read while the kernel adds events: the sum may lag behind the
 * count, so it is clamped to the range that the buckets allow.
 */
static void set_extremes(const struct vc_stat *total, struct shim_live_since *since)
{
	uint64_t least = vc_hist_floor(since->slots.first), most = vc_hist_floor(since->slots.end) - 1;
	uint64_t n = since->count;

	bound(total, &least, &most);
	since->sum_ns = clamp(since->sum_ns, least * n, most * n);
	since->min_ns = clamp(slot_middle(since->slots.first), least, since->sum_ns / n);
	since->max_ns = clamp(slot_middle(since->slots.end - 1), (since->sum_ns + n - 1) / n, most);
}

/**
 * shim_live_tag__since() - compute the statistics since the last written sample
 * @tag: the tag, with its current total and the previous one
 * @since: written
 */
void shim_live_tag__since(const struct shim_live_tag *tag, struct shim_live_since *since)
{
	*since = (struct shim_live_since) {
		.count = tag->total.count - tag->before.count,
		.sum_ns = tag->total.sum_ns - tag->before.sum_ns,
	};
	if (!since->count)
		return;
	since->slots = differing(tag->total.hist, tag->before.hist, tag->unwritten);
	if (since->slots.first == since->slots.end)	/* the histogram lags behind the count */
		since->min_ns = since->max_ns = since->sum_ns / since->count;
	else
		set_extremes(&tag->total, since);
}

/**
 * shim_live_tag__percentile() - compute a percentile of the transactions' durations
 * @tag: the tag
 * @since: from shim_live_tag__since() for its current total
 * @percent: percentage of the transactions in @since
 *
 * Return: nanoseconds; 0 if the histogram has no transactions.
 */
double shim_live_tag__percentile(const struct shim_live_tag *tag,
				 const struct shim_live_since *since, double percent)
{
	const __u64 *now = tag->total.hist, *then = tag->before.hist;
	uint64_t n = 0, before = 0;

	for (uint32_t i = since->slots.first; i < since->slots.end; i++)
		n += now[i] - then[i];
	for (uint32_t i = since->slots.first; i < since->slots.end; i++) {
		uint64_t middle = slot_middle(i), in_slot = now[i] - then[i];

		before += in_slot;
		if (!in_slot || before < n * percent / 100)
			continue;
		if (middle < since->min_ns)
			return since->min_ns;
		return middle > since->max_ns ? since->max_ns : middle;
	}
	return 0;
}
