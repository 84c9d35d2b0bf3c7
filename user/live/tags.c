// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What was traced, by name, over all that recorded.
 *
 * The kernel's statistics begin again when tracing goes off and on, and its
 * numbers of tags may.  A recorder's counters must not go back: what was there
 * is kept, and what comes is added.  What programs wrote themselves does not go
 * with the kernel's number of the tag, and so is kept apart.
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

/* The tag, or if there is only another user's of that name, that */
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
 * shim_live_tags__find() - a tag that was taken in
 * @tags: of its kind
 * @tag: the reader's
 *
 * Return: the tag, or NULL.
 */
const struct shim_live_tag *shim_live_tags__find(const struct shim_live_tags *tags,
					      const struct shim_bpf_tag *tag)
{
	const struct shim_live_tag *found = find(tags, tag);

	return found && found->user == tag->user ? found : NULL;
}

/* @several: another user's of that name has come before */
static struct shim_live_tag *add(struct shim_live_tags *tags, const struct shim_bpf_tag *from,
				int several)
{
	struct shim_live_tag *tag = calloc(1, sizeof(*tag));

	if (!tag || shim_vec__room(tags->at, &tags->room, tags->n))
		goto err;
	tag->name = strdup(from->name);
	tag->user = from->user;
	/* The reader may know of others, of another kind. */
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
 * shim_live_tags__take() - take in what is known of a tag now
 * @tags: of its kind
 * @stat: the kernel's statistics
 * @session: another number after tracing was off
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
	/* Most tags have had no event since. */
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

/* The record is written: what comes next is new. */
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

/* Between what the slots allow, and the extremes of all times, as far as these agree with them */
static void bound(const struct vc_stat *total, uint64_t *least, uint64_t *most)
{
	if (total->min_ns > *least && total->min_ns <= *most)
		*least = total->min_ns;
	if (total->max_ns < *most && total->max_ns >= *least)
		*most = total->max_ns;
}

/*
 * The extremes are the middles of the outermost slots, so right to a sixteenth.  The mean is
 * exact and never outside the true extremes: where a middle is on its wrong side, the mean is
 * closer to the truth.  Fields are read while events go on, so the sum may lag behind the count.
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
 * shim_live_tag__since() - what came since the sample before
 * @tag: the tag, with the totals of now and of then
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
	if (first == VC_HIST_SLOTS)	/* the histogram lags behind */
		since->min_ns = since->max_ns = since->sum_ns / since->count;
	else
		set_extremes(&tag->total, since, first, last);
}

/* In nanoseconds; 0 if there is nothing */
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
