// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Totals of what was traced, by tag name, over all tracing sessions.
 *
 * When tracing is turned off and on, the kernel's statistics start from zero, and tags may get
 * other ids.  A recorder's counters must not go backwards, so the totals of earlier sessions are
 * kept and the present ones added to them.  Statistics that programs write themselves outlive the
 * kernel's id of the tag, so they are kept in a part of their own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "tags.h"

void shim_live_tags__init(struct shim_live_tags *tags)
{
	*tags = (struct shim_live_tags) { NULL };
	shim_hash__init(&tags->by_name);
}

void shim_live_tags__free(struct shim_live_tags *tags)
{
	for (size_t i = 0; i < tags->n; i++) {
		free(tags->at[i]->name);
		free(tags->at[i]);
	}
	free(tags->at);
	shim_hash__free(&tags->by_name);
}

static uint64_t hash_of(const struct shim_live_tags *tags, const char *name)
{
	return shim_hash__bytes(&tags->by_name, name, strlen(name));
}

/* The tag of that name and user; if there is none, another user's tag of that name */
static struct shim_live_tag *find(const struct shim_live_tags *tags,
				  const struct shim_bpf_tag *wanted)
{
	struct shim_hnode *node = shim_hash__first(&tags->by_name, hash_of(tags, wanted->name));
	struct shim_live_tag *other = NULL;

	for (; node; node = shim_hash__next(node)) {
		struct shim_live_tag *tag = shim_hnode__entry(node, struct shim_live_tag, node);

		if (strcmp(tag->name, wanted->name))
			continue;
		if (tag->user == wanted->user)
			return tag;
		other = tag;
	}
	return other;
}

/**
 * shim_live_tags__find() - find a tag that was read before
 * @tags: the tags of its kind
 * @tag: the tag as the reader has it
 *
 * Return: the tag, or NULL.
 */
const struct shim_live_tag *shim_live_tags__find(const struct shim_live_tags *tags,
					      const struct shim_bpf_tag *tag)
{
	const struct shim_live_tag *found = find(tags, tag);

	return found && found->user == tag->user ? found : NULL;
}

/* @several: there is another user's tag of that name already */
static struct shim_live_tag *add(struct shim_live_tags *tags, const struct shim_bpf_tag *from,
				int several)
{
	struct shim_live_tag *tag = calloc(1, sizeof(*tag));

	if (!tag || shim_vec__room(tags->at, &tags->room, tags->n))
		goto err;
	tag->name = strdup(from->name);
	tag->user = from->user;
	/* The reader may know other users' tags of that name, of other kinds. */
	shim_bpf__label(tag->label, from->name, from->user,
			several || strcmp(from->label, from->name));
	if (!tag->name || shim_hash__add(&tags->by_name, &tag->node, hash_of(tags, from->name)))
		goto err;
	tags->at[tags->n++] = tag;
	return tag;
err:
	if (tag)
		free(tag->name);
	free(tag);
	return NULL;
}

static void add_up(struct vc_stat *total, const struct vc_stat *more)
{
	if (more->count && (!total->count || more->min_ns < total->min_ns))
		total->min_ns = more->min_ns;
	if (more->max_ns > total->max_ns)
		total->max_ns = more->max_ns;
	if (more->last_ns >= total->last_ns) {
		total->last_ns = more->last_ns;
		total->last_took_ns = more->last_took_ns;
		total->value = more->value;
	}
	total->aborted += more->aborted;
	if (!more->count)
		return;
	total->count += more->count;
	total->sum_ns += more->sum_ns;
	for (size_t i = 0; i < VC_HIST_SLOTS; i++)
		total->hist[i] += more->hist[i];
}

static int is_known(const struct shim_live_part *part, const struct shim_bpf_stat *stat,
		    unsigned int session)
{
	return part->session == session && part->id == stat->key.tag &&
	       !memcmp(&part->now, &stat->total, sizeof(part->now));
}

/**
 * shim_live_tags__take() - update a tag with its present statistics
 * @tags: the tags of its kind
 * @stat: the kernel's statistics
 * @session: number of the tracing session, which changes when tracing was off
 *
 * Return: 0 or -ENOMEM.
 */
int shim_live_tags__take(struct shim_live_tags *tags, const struct shim_bpf_stat *stat,
			unsigned int session)
{
	struct shim_live_tag *tag = find(tags, stat->tag);
	struct shim_live_part *part;

	if (!tag || tag->user != stat->tag->user)
		tag = add(tags, stat->tag, tag != NULL);
	if (!tag)
		return -ENOMEM;
	part = &tag->part[stat->key.tag & SHIM_DIRECT_ID ? SHIM_LIVE_DIRECT : SHIM_LIVE_KERNEL];
	/* Most tags had no event since the last sample. */
	if (is_known(part, stat, session))
		return 0;
	if (part->session != session || (part->id != stat->key.tag && part == &tag->part[SHIM_LIVE_KERNEL]))
		add_up(&part->base, &part->now);
	part->session = session;
	part->id = stat->key.tag;
	part->now = stat->total;
	tag->has_changed = 1;
	tag->total = (struct vc_stat) { 0 };
	for (size_t i = 0; i < SHIM_LIVE_PARTS; i++) {
		add_up(&tag->total, &tag->part[i].base);
		add_up(&tag->total, &tag->part[i].now);
	}
	return 0;
}

/* The sample was written: shim_live_tag__since() counts from here on. */
void shim_live_tags__written(struct shim_live_tags *tags)
{
	for (size_t i = 0; i < tags->n; i++)
		tags->at[i]->before = tags->at[i]->total;
}

static uint64_t slot_middle(uint32_t slot)
{
	return (vc_hist_floor(slot) + vc_hist_floor(slot + 1) - 1) / 2;
}

static uint64_t clamp(uint64_t v, uint64_t least, uint64_t most)
{
	return v < least ? least : v > most ? most : v;
}

/* Narrow the slots' bounds to the extremes of all time, where these lie between the bounds */
static void bound(const struct vc_stat *total, uint64_t *least, uint64_t *most)
{
	if (total->min_ns > *least && total->min_ns <= *most)
		*least = total->min_ns;
	if (total->max_ns < *most && total->max_ns >= *least)
		*most = total->max_ns;
}

/*
 * Estimate the extremes as the middles of the outermost slots, which are right to a sixteenth.
 * The mean is exact and lies between the true extremes, so a middle on the wrong side of the mean
 * is replaced by the mean.  Fields are read while events go on: the sum may lag behind the count,
 * so it is clamped to what the slots allow.
 */
static void set_extremes(const struct vc_stat *total, struct vc_stat *since, uint32_t first,
			 uint32_t last)
{
	uint64_t least = vc_hist_floor(first), most = vc_hist_floor(last + 1) - 1;
	uint64_t n = since->count;

	bound(total, &least, &most);
	since->sum_ns = clamp(since->sum_ns, least * n, most * n);
	since->min_ns = clamp(slot_middle(first), least, since->sum_ns / n);
	since->max_ns = clamp(slot_middle(last), (since->sum_ns + n - 1) / n, most);
}

/**
 * shim_live_tag__since() - what was added since the last sample that was written
 * @tag: the tag, with its present total and the one before
 * @since: count, sum and histogram, and the extremes: min_ns <= sum_ns / count <= max_ns
 */
void shim_live_tag__since(const struct shim_live_tag *tag, struct vc_stat *since)
{
	uint32_t first = VC_HIST_SLOTS, last = 0;

	if (!memcmp(&tag->total, &tag->before, sizeof(tag->total))) {
		memset(since, 0, sizeof(*since));
		return;
	}
	*since = (struct vc_stat) {
		.count = tag->total.count - tag->before.count,
		.sum_ns = tag->total.sum_ns - tag->before.sum_ns,
	};
	for (uint32_t i = 0; i < VC_HIST_SLOTS; i++) {
		since->hist[i] = tag->total.hist[i] - tag->before.hist[i];
		if (!since->hist[i])
			continue;
		first = first < i ? first : i;
		last = i;
	}
	if (!since->count)
		return;
	if (first == VC_HIST_SLOTS)	/* the histogram lags behind the count */
		since->min_ns = since->max_ns = since->sum_ns / since->count;
	else
		set_extremes(&tag->total, since, first, last);
}

/* In nanoseconds; 0 if the histogram is empty */
double shim_live_tag__percentile(const struct vc_stat *stat, double percent)
{
	uint64_t n = 0, before = 0;

	for (size_t i = 0; i < VC_HIST_SLOTS; i++)
		n += stat->hist[i];
	for (uint32_t i = 0; i < VC_HIST_SLOTS; i++) {
		uint64_t middle = slot_middle(i);

		before += stat->hist[i];
		if (!stat->hist[i] || before < n * percent / 100)
			continue;
		if (middle < stat->min_ns)
			return stat->min_ns;
		return middle > stat->max_ns ? stat->max_ns : middle;
	}
	return 0;
}
