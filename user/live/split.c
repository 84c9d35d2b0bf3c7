// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read how the time of tags' transactions is divided, while any process has a 'why' session open.
 */
#include <errno.h>
#include <stddef.h>

#include "split.h"
#include "tags.h"

#define SEARCH_NS	1000000000ull	/* a search examines all BPF programs of the machine */

static void sums_add(struct shim_why_sums *to, const struct shim_why_sums *more)
{
	to->count += more->count;
	for (int i = 0; i < VC_WHY_PARTS; i++)
		to->part[i] += more->part[i];
}

/* Add the sums of a tag.  Skip a tag that is not traced, because it has no instance. */
static int sums_take(void *arg, const char *name, uint32_t user, const struct shim_why_sums *sums)
{
	struct shim_live_tag *tag = shim_live_tags__get(arg, name, user);

	if (!tag)
		return 0;
	tag->parts.any = true;
	sums_add(&tag->parts.now, sums);
	return 0;
}

static int take_all(const struct shim_live_split *split, struct shim_live_tags *tags)
{
	for (size_t i = 0; i < tags->n; i++)
		tags->at[i]->parts.now = (struct shim_why_sums) { 0 };
	return shim_why_maps__walk(&split->maps, sums_take, tags);
}

/* Handle the end of the 'why' session.  Its final statistics have already been read. */
static void end(struct shim_live_split *split, struct shim_live_tags *tags)
{
	for (size_t i = 0; i < tags->n; i++) {
		sums_add(&tags->at[i]->parts.earlier, &tags->at[i]->parts.now);
		tags->at[i]->parts.now = (struct shim_why_sums) { 0 };
	}
	shim_why_maps__close(&split->maps);
}

static int split_search(struct shim_live_split *split)
{
	uint64_t now = shim_live__now_ns();
	int err;

	if (split->denied || (split->searched_ns && now - split->searched_ns < SEARCH_NS))
		return 0;
	err = shim_why_maps__find(&split->maps);
	/*
	 * Without privilege there is nothing to read, unless this process has opened a 'why'
	 * session.
	 */
	split->denied = err == -EPERM && !shim_why_maps__has_own();
	if (err && err != -ENOENT && !split->denied)
		return err;
	split->searched_ns = now;
	return 0;
}

/**
 * shim_live_split__sample() - read the open 'why' session, if one exists
 * @split: the 'why' session to read
 * @tags: transactions that have been sampled; their parts are updated
 *
 * Return: 0, -ENOMEM, -EMFILE, or another errno from bpf(2).
 */
int shim_live_split__sample(struct shim_live_split *split, struct shim_live_tags *tags)
{
	int err = 0, ended;

	if (split->maps.program) {
		ended = shim_why_maps__has_ended(&split->maps);
		if (ended < 0)
			return ended;
		err = take_all(split, tags);
		if (err || !ended)
			return err;
		end(split, tags);
	}
	/* Another session may have begun since the previous one ended. */
	err = split_search(split);
	return err || !split->maps.program ? err : take_all(split, tags);
}

void shim_live_split__close(struct shim_live_split *split)
{
	shim_why_maps__close(&split->maps);
}
