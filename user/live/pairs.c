// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Instances that pair a transaction's tag with a bucket of its histogram or with one of its counted
 * events.
 *
 * Their names are "tag/4096ns", for the bucket that begins at 4096 ns, and "tag/event".  An
 * instance is added when it has a count, and is removed with its tag.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "core/bpf_stat.h"
#include "core/event.h"
#include "pairs.h"

/*
 * The maximum number of sums, so that programs that keep writing new events cannot exhaust memory.
 */
#define MOST_SUMS	65536
/*
 * Maximum number of buckets of all tags.  4,096 tags use fewer, and an agent can store the names of
 * this many.  The tags of one user may use half of these buckets, and half of the sums.
 */
#define MOST_SLOTS	262144
/* Maximum number, per sum, of event sets that programs write themselves */
#define MOST_OWN	256

void shim_live_pairs__init(struct shim_live_pairs *pairs)
{
	*pairs = (struct shim_live_pairs) { NULL };
	shim_hash__init(&pairs->by_name);
	shim_hash__init(&pairs->shares);
}

static void free_sum(struct shim_live_sum *sum)
{
	free(sum->addends);
	free(sum->name);
	free(sum);
}

void shim_live_pairs__free(struct shim_live_pairs *pairs)
{
	for (size_t i = 0; i < pairs->nsums; i++)
		free_sum(pairs->sums[i]);
	free(pairs->sums);
	free(pairs->slots);
	free(pairs->taken);
	shim_hash__free(&pairs->by_name);
	shim_hash__free(&pairs->shares);
	shim_arena__free(&pairs->arena);
}

/* Find or create the share of a user.  Return NULL if out of memory. */
static struct shim_live_share *share_of(struct shim_live_pairs *pairs, uint32_t user)
{
	uint64_t hash = shim_hash__u32(&pairs->shares, user);
	struct shim_live_share *share;

	for (struct shim_hnode *node = shim_hash__first(&pairs->shares, hash); node;
	     node = shim_hash__next(node)) {
		share = shim_hnode__entry(node, struct shim_live_share, node);
		if (share->user == user)
			return share;
	}
	share = shim_arena__alloc(&pairs->arena, sizeof(*share));
	if (!share || shim_hash__add(&pairs->shares, &share->node, hash))
		return NULL;
	share->user = user;
	return share;
}

static uint64_t hash_of(const struct shim_live_pairs *pairs, const char *name)
{
	return shim_hash__bytes(&pairs->by_name, name, strlen(name));
}

static struct shim_live_sum *sum_find(struct shim_live_pairs *pairs, const char *name)
{
	struct shim_hnode *node = shim_hash__first(&pairs->by_name, hash_of(pairs, name));

	for (; node; node = shim_hash__next(node)) {
		struct shim_live_sum *sum = shim_hnode__entry(node, struct shim_live_sum, node);

		if (!strcmp(sum->name, name))
			return sum;
	}
	return NULL;
}

/*
 * All numbers have been used.  Renumber the existing sums, possibly with numbers of removed ones.
 */
static void renumber_sums(struct shim_live_pairs *pairs)
{
	for (size_t i = 0; i < pairs->nsums; i++)
		pairs->sums[i]->inst = i + 1;
	pairs->sum_numbers.last = pairs->nsums;
	pairs->sum_numbers.removed += INT32_MAX;
}

static void renumber_slots(struct shim_live_pairs *pairs, const struct shim_live_tags *tags)
{
	for (size_t i = 0; i < tags->n; i++)
		memset(tags->at[i]->slots, 0, sizeof(tags->at[i]->slots));
	for (size_t i = 0; i < pairs->nslots; i++)
		pairs->slots[i].inst = pairs->slots[i].tag->slots[pairs->slots[i].slot] = i + 1;
	pairs->slot_numbers.last = pairs->nslots;
	pairs->slot_numbers.removed += INT32_MAX;
}

/* Add a sum of @tag, which takes ownership of @name.  Return NULL if out of memory. */
static struct shim_live_sum *sum_add(struct shim_live_pairs *pairs, const struct shim_live_tag *tag, char *name)
{
	struct shim_live_sum *sum = calloc(1, sizeof(*sum));

	if (!sum)
		return NULL;
	if (shim_vec__room(pairs->sums, &pairs->sums_room, pairs->nsums) ||
	    shim_hash__add(&pairs->by_name, &sum->node, hash_of(pairs, name))) {
		free(sum);
		return NULL;
	}
	if (pairs->sum_numbers.last == INT32_MAX)
		renumber_sums(pairs);
	sum->name = name;
	sum->tag = tag;
	sum->inst = ++pairs->sum_numbers.last;
	pairs->sums[pairs->nsums++] = sum;
	return sum;
}

/*
 * Find or create the sum with this name and tag.  Take ownership of @name even on error.  Return 0,
 * -EAGAIN if the limit is reached, or -ENOMEM.
 */
static int sum_of(struct shim_live_pairs *pairs, const struct shim_live_tag *tag, char *name,
		  struct shim_live_sum **sum)
{
	struct shim_live_share *share = share_of(pairs, tag->user);
	int err = share ? 0 : -ENOMEM;

	*sum = sum_find(pairs, name);
	if (*sum)
		err = 0;
	else if (share && (pairs->nsums >= MOST_SUMS || share->nsums >= MOST_SUMS / 2))
		err = -EAGAIN;
	else if (share)
		*sum = sum_add(pairs, tag, name);
	if (*sum && (*sum)->name == name) {
		share->nsums++;
		return 0;
	}
	free(name);
	return *sum || err ? err : -ENOMEM;
}

/*
 * Return whether both IDs of a tag come from the kernel.  If so, the newer one replaces the older
 * one.
 */
static bool are_of_kernel(const struct shim_live_addend *one, const struct shim_live_addend *other)
{
	return !((one->id | other->id) & SHIM_DIRECT_ID);
}

/*
 * Forget the rows of earlier sessions and IDs, whose counts stay in the total.  Do not forget the
 * row that programs write themselves: it exists in addition to the kernel's row.
 */
static void forget_ended(struct shim_live_sum *sum, const struct shim_live_addend *now)
{
	size_t n = 0;

	for (size_t i = 0; i < sum->naddends; i++)
		if (sum->addends[i].session == now->session &&
		    (sum->addends[i].id == now->id || !are_of_kernel(&sum->addends[i], now)))
			sum->addends[n++] = sum->addends[i];
	sum->naddends = n;
}

/*
 * Find or add the addend for @now's row.  Return NULL with the reason in *@err, which is 0 if the
 * row is ignored.
 */
static struct shim_live_addend *addend_of(struct shim_live_sum *sum,
					  const struct shim_live_addend *now, int *err)
{
	struct shim_live_addend *addend;

	*err = 0;
	for (size_t i = 0; i < sum->naddends; i++)
		if (sum->addends[i].events == now->events && sum->addends[i].id == now->id)
			return &sum->addends[i];
	if (now->id & SHIM_DIRECT_ID && sum->naddends >= MOST_OWN)
		return NULL;
	*err = shim_vec__room(sum->addends, &sum->room, sum->naddends);
	if (*err)
		return NULL;
	addend = &sum->addends[sum->naddends++];
	*addend = *now;
	memset(addend->now, 0, sizeof(addend->now));
	return addend;
}

static int take_one(struct shim_live_sum *sum, const struct shim_live_addend *now)
{
	struct shim_live_addend *addend;
	int err;

	/*
	 * This row belongs to an abandoned ID.  The row of the ID's successor has already been
	 * read.
	 */
	for (size_t i = 0; i < sum->naddends; i++)
		if (sum->addends[i].session == now->session && sum->addends[i].id > now->id &&
		    are_of_kernel(&sum->addends[i], now))
			return 0;
	forget_ended(sum, now);
	addend = addend_of(sum, now, &err);
	if (!addend)
		return err;
	for (int i = 0; i < 2; i++)
		sum->total[i] += now->now[i] - addend->now[i];
	memcpy(addend->now, now->now, sizeof(addend->now));
	return 0;
}

/* Return whether a set of events also contains its @i-th event at a lower index. */
static bool is_repeated(const struct vc_events *events, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (!memcmp(&events->event[k], &events->event[i], sizeof(events->event[i])))
			return true;
	return false;
}

static int take_event(struct shim_live_pairs *pairs, const struct shim_bpf_count *row, uint32_t i,
		      const struct shim_live_tag *tag)
{
	const struct vc_event_desc *desc = &row->events.event[i];
	/*
	 * Ignore the ID of rows that programs wrote themselves, because a tag has at most one of
	 * these rows.
	 */
	const struct shim_live_addend now = {
		.id = row->id & SHIM_DIRECT_ID ? SHIM_DIRECT_ID : row->id,
		.events = row->events_key,
		.session = pairs->session,
		.now = { row->total.count, row->total.sum[i] },
	};
	char event[SHIM_EVENT_LEN];
	struct shim_live_sum *sum;
	char *name;
	int ret;

	shim_event__name(desc->type, desc->config, desc->flags, event, sizeof(event));
	if (asprintf(&name, "%s/%s", tag->label, event) < 0)
		return -ENOMEM;
	ret = sum_of(pairs, tag, name, &sum);
	return ret ? ret : take_one(sum, &now);
}

/* Return 0, -EAGAIN if some of the events are beyond the limit, or -ENOMEM. */
static int take_row(struct shim_live_pairs *pairs, const struct shim_bpf_count *row,
		    const struct shim_live_tag *tag)
{
	int ret = 0;

	for (uint32_t i = 0; i < row->events.nr; i++) {
		int err = is_repeated(&row->events, i) ? 0 : take_event(pairs, row, i, tag);

		if (err == -ENOMEM)
			return err;
		if (err)
			ret = err;
	}
	return ret;
}

/* Process a row.  Return 0, -EAGAIN if it must wait for the next sample, or another error. */
static int take_of_tag(struct shim_live_pairs *pairs, struct shim_bpf_reader *reader,
		       const struct shim_bpf_count *row, const struct shim_live_tags *tags)
{
	const struct shim_live_tag *known;
	const struct shim_bpf_tag *tag;
	int ret = shim_bpf_reader__tag(reader, row->id, &tag);

	if (ret)	/* -ENOENT: the tag has been evicted */
		return ret == -ENOENT ? -EAGAIN : ret;
	known = shim_live_tags__find(tags, tag);
	/* A tag may be newer than the last read of the transactions. */
	return known ? take_row(pairs, row, known) : -EAGAIN;
}

/**
 * shim_live_pairs__counted() - read the current counts of transactions
 * @pairs: updated
 * @reader: the reader of the counts
 * @tags: the transactions, which have already been read
 * @session: number of the tracing session; a new session begins when tracing was off
 *
 * Return: 0, -ENOMEM, or an error from shim_bpf_reader__counts().
 */
int shim_live_pairs__counted(struct shim_live_pairs *pairs, struct shim_bpf_reader *reader,
			const struct shim_live_tags *tags, unsigned int session)
{
	size_t n, before = pairs->session == session ? pairs->ntaken : 0;
	const struct shim_bpf_count *rows;
	int ret = shim_bpf_reader__counts(reader, &rows, &n);

	pairs->session = session;
	pairs->ntaken = 0;
	if (!ret && shim_vec__reserve(pairs->taken, &pairs->taken_room, n))
		ret = -ENOMEM;
	for (size_t i = 0; i < n && !ret; i++) {
		if (i < before && pairs->taken[i] == rows[i].version)
			continue;
		ret = take_of_tag(pairs, reader, &rows[i], tags);
		pairs->taken[i] = ret ? 0 : rows[i].version;
		if (ret == -EAGAIN)
			ret = 0;
	}
	if (!ret)
		pairs->ntaken = n;
	return ret;
}

static void reap_slots(struct shim_live_pairs *pairs)
{
	size_t n = 0;

	for (size_t i = 0; i < pairs->nslots; i++) {
		const struct shim_live_tag *tag = pairs->slots[i].tag;

		if (tag->marked)
			share_of(pairs, tag->user)->nslots--;
		else
			pairs->slots[n++] = pairs->slots[i];
	}
	pairs->slot_numbers.removed += pairs->nslots - n;
	pairs->nslots = n;
}

static void reap_sums(struct shim_live_pairs *pairs)
{
	size_t n = 0;

	for (size_t i = 0; i < pairs->nsums; i++) {
		struct shim_live_sum *sum = pairs->sums[i];

		if (!sum->tag->marked) {
			pairs->sums[n++] = sum;
			continue;
		}
		share_of(pairs, sum->tag->user)->nsums--;
		shim_hash__del(&pairs->by_name, &sum->node);
		free_sum(sum);
	}
	pairs->sum_numbers.removed += pairs->nsums - n;
	pairs->nsums = n;
}

/* Remove the pairs of marked tags.  Call this before shim_live_tags__sweep(). */
void shim_live_pairs__reap(struct shim_live_pairs *pairs)
{
	reap_slots(pairs);
	reap_sums(pairs);
	/* Process all rows again, because pairs that exceeded the limit may now fit. */
	pairs->ntaken = 0;
}

/* Add instances for a tag's new buckets.  Return 0, -EAGAIN if some are omitted, or -ENOMEM. */
static int add_slots(struct shim_live_pairs *pairs, const struct shim_live_tags *tags,
		     struct shim_live_tag *tag, struct shim_live_share *share)
{
	for (uint32_t slot = tag->unseen.first; slot < tag->unseen.end; slot++) {
		if (tag->slots[slot] || !tag->total.hist[slot])
			continue;
		if (pairs->nslots >= MOST_SLOTS || share->nslots >= MOST_SLOTS / 2)
			return -EAGAIN;
		if (pairs->slot_numbers.last == INT32_MAX)
			renumber_slots(pairs, tags);
		if (shim_vec__room(pairs->slots, &pairs->slots_room, pairs->nslots))
			return -ENOMEM;
		tag->slots[slot] = ++pairs->slot_numbers.last;
		pairs->slots[pairs->nslots++] =
			(struct shim_live_slot) { pairs->slot_numbers.last, slot, tag };
		share->nslots++;
	}
	tag->unseen = (struct shim_live_range) { 0 };
	return 0;
}

/**
 * shim_live_pairs__slots() - add instances for the buckets that now have counts
 * @pairs: updated
 * @tags: the transactions
 *
 * Buckets beyond the limit are tried again with the next sample.
 *
 * Return: 0 or -ENOMEM.
 */
int shim_live_pairs__slots(struct shim_live_pairs *pairs, const struct shim_live_tags *tags)
{
	for (size_t i = 0; i < tags->n; i++) {
		struct shim_live_tag *tag = tags->at[i];
		struct shim_live_share *share;

		if (tag->unseen.first == tag->unseen.end)
			continue;
		share = share_of(pairs, tag->user);
		if (!share || add_slots(pairs, tags, tag, share) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}
