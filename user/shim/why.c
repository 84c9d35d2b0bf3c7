// SPDX-License-Identifier: LGPL-2.1-or-later
/* Public calls of <shim/why.h>, which show where transactions spend their time */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/vec.h"
#include "why_state.h"

_Static_assert(SHIM_WHY_PARTS == (int)VC_WHY_PARTS && SHIM_WHY_BLOCKED == (int)VC_WHY_BLOCKED &&
	       SHIM_WHY_OCTAVES == VC_WHY_OCTAVES && SHIM_WHY_SAMPLED == VC_WHY_SAMPLED,
	       "numbers must equal core's");

#define DEFAULT_HERTZ	999
#define MOST_HERTZ	10000

/**
 * shim_why_open() - start recording where transactions spend their time
 * @options: what to record, or NULL: everything except stacks
 * @why: the handle, to be closed with shim_why_close()
 *
 * Transactions that begin after this call are recorded, including transactions of functions and
 * pairs that are currently traced (shim_trace_probe()).
 *
 * Return: 0; -EPERM if the caller lacks the privilege, -EOPNOTSUPP if the kernel has no BTF,
 *	-ENOSYS if it has no BPF, -ESTALE if a file with traced functions was replaced, -EINVAL for
 *	invalid @options, -ENOMEM, or another negated errno.
 */
SHIM_API int shim_why_open(const struct shim_why_options *options, struct shim_why **why)
{
	struct shim_bpf_why_options bpf = { 0 };
	struct shim_why *w;
	int err;

	if (options && (options->size != sizeof(*options) || options->hertz > MOST_HERTZ ||
			options->flags & ~(SHIM_WHY_F_STACKS | SHIM_WHY_F_PROBES)))
		return -EINVAL;
	if (options) {
		bpf.pid = options->pid;
		bpf.stacks = !!(options->flags & SHIM_WHY_F_STACKS);
		bpf.probes = !!(options->flags & SHIM_WHY_F_PROBES);
		bpf.hertz = options->hertz ? options->hertz : DEFAULT_HERTZ;
	}
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	err = shim_bpf_why__open(&bpf, &w->bpf);
	if (err)
		free(w);
	else
		*why = w;
	return err;
}

/**
 * shim_why_sampled_cpus() - get the number of CPUs on which threads are sampled
 * @why: the handle
 *
 * Return: the number; 0 without SHIM_WHY_F_STACKS, or if the kernel cannot sample.
 */
SHIM_API unsigned int shim_why_sampled_cpus(const struct shim_why *why)
{
	return shim_bpf_why__sampled(why->bpf);
}

/*
 * Add 64-bit words, or subtract them if @sign is -1.  The kernel's type and this library's differ, so
 * a compiler may assume that they do not alias.
 */
static void add_words(void *sums, const void *more, size_t n, int sign)
{
	for (size_t i = 0; i < n * sizeof(uint64_t); i += sizeof(uint64_t)) {
		uint64_t sum, word;

		memcpy(&sum, (char *)sums + i, sizeof(sum));
		memcpy(&word, (const char *)more + i, sizeof(word));
		sum += sign * word;
		memcpy((char *)sums + i, &sum, sizeof(sum));
	}
}

static int compare_keys(const void *a, const void *b)
{
	const struct why_tag *left = a, *right = b;

	return memcmp(&left->key, &right->key, sizeof(left->key));
}

/* Find or add a tag; the first @sorted tags are in order. */
static struct why_tag *tag_of(struct shim_why *why, const struct vc_why_key *key, size_t sorted)
{
	const struct why_tag wanted = { .key = *key };
	struct why_tag *tag =
		sorted ? bsearch(&wanted, why->tags, sorted, sizeof(*tag), compare_keys) : NULL;

	if (tag || shim_vec__room(why->tags, &why->tags_room, why->nknown))
		return tag;
	tag = &why->tags[why->nknown++];
	memset(tag, 0, sizeof(*tag));
	tag->key = *key;
	return tag;
}

/* @sorted: number of tags before the walk */
struct tag_walk {
	struct shim_why *why;
	size_t sorted;
};

static int add_tag(void *arg, const struct vc_why_key *key, const char *name,
		   const struct vc_why_stat *cpus)
{
	const size_t words = sizeof(*cpus) / sizeof(uint64_t);
	const struct tag_walk *walk = arg;
	struct why_tag *tag = tag_of(walk->why, key, walk->sorted);

	if (!tag)
		return -ENOMEM;
	memcpy(tag->name, name, sizeof(tag->name));
	memset(&tag->total, 0, sizeof(tag->total));
	for (size_t i = 0; i < shim_bpf_why__cpus(walk->why->bpf); i++)
		add_words(&tag->total, &cpus[i], words, 1);
	add_words(&tag->total, &tag->before, words, -1);
	return 0;
}

static int read_tags(struct shim_why *why)
{
	struct tag_walk walk = { why, why->nknown };
	int err = shim_bpf_why__walk_tags(why->bpf, add_tag, &walk);

	if (why->nknown)
		qsort(why->tags, why->nknown, sizeof(*why->tags), compare_keys);
	return err;
}

/*
 * Compare rows by tag first.  Rows that are merged because they differ only in their histogram
 * buckets are then adjacent.
 */
static int compare_rows(const void *a, const void *b)
{
	const struct vc_why_stack_key *left = &((const struct why_row *)a)->key;
	const struct vc_why_stack_key *right = &((const struct why_row *)b)->key;
	int order = memcmp(&left->tag, &right->tag, sizeof(left->tag));

	if (!order)
		order = memcmp(&left->reason, &right->reason, sizeof(*left) -
			       offsetof(struct vc_why_stack_key, reason));
	return order ? order : left->slot < right->slot ? -1 : left->slot > right->slot;
}

static int add_row(struct why_rows *rows, const struct vc_why_stack_key *key,
		   const struct vc_why_sum *sum)
{
	const struct why_row wanted = { .key = *key };
	struct why_row *row = rows->sorted ? bsearch(&wanted, rows->at, rows->sorted, sizeof(*row),
						 compare_rows) : NULL;

	if (!row) {
		if (shim_vec__room(rows->at, &rows->room, rows->n))
			return -ENOMEM;
		row = &rows->at[rows->n++];
		*row = wanted;
	}
	row->sum = (struct vc_why_sum) {
		.ns = sum->ns - row->before.ns, .times = sum->times - row->before.times,
	};
	return 0;
}

static int add_reason_row(void *arg, const void *key, const void *value)
{
	const struct vc_why_reason_key *from = key;

	return add_row(arg, &(struct vc_why_stack_key) {
		.tag = from->tag, .reason = from->reason, .slot = from->slot,
	}, value);
}

static int add_stack_row(void *arg, const void *key, const void *value)
{
	return add_row(arg, key, value);
}

static int read_rows(const struct shim_why *why, enum shim_bpf_why_map which, shim_bpf_why_fn *fn,
		     struct why_rows *rows)
{
	int err = shim_bpf_why__walk(why->bpf, which, fn, rows);

	if (rows->n)
		qsort(rows->at, rows->n, sizeof(*rows->at), compare_rows);
	rows->sorted = rows->n;
	return err;
}

static void add_slots(struct shim_why_parts *parts, const struct why_tag *tag, uint32_t first)
{
	for (uint32_t i = first; i < VC_HIST_SLOTS; i++) {
		parts->count += tag->total.slot[i].count;
		add_words(parts->ns, tag->total.slot[i].part, SHIM_WHY_PARTS, 1);
	}
}

/*
 * Get the first histogram bucket of slow transactions.  The percentile's bucket may contain many
 * more transactions than the requested share, while the buckets above it are empty.  Start with
 * this bucket or the next one, whichever is closer to the share.
 */
static uint32_t first_slow(const struct why_tag *tag, uint64_t count, double percent)
{
	double wanted = count * (100 - percent) / 100, with = 0, above = 0;
	uint32_t slot = VC_HIST_SLOTS, least = VC_HIST_SLOTS;

	while (slot && with <= wanted) {
		slot--;
		if (!tag->total.slot[slot].count)
			continue;
		above = with;
		with += tag->total.slot[slot].count;
		if (with <= wanted)
			least = slot;
	}
	if (!above || with * above <= wanted * wanted)
		return slot;
	return least;
}

static uint64_t time_of(const struct shim_why_parts *parts)
{
	return parts->ns[SHIM_WHY_ON_CPU] + parts->ns[SHIM_WHY_RUNNABLE] +
	       parts->ns[SHIM_WHY_BLOCKED];
}

static struct shim_why_parts all_of(const struct why_tag *tag)
{
	struct shim_why_parts parts = { 0 };

	add_slots(&parts, tag, 0);
	return parts;
}

static int compare_tags(const void *a, const void *b)
{
	const struct shim_why_parts first = all_of(*(struct why_tag *const *)a);
	const struct shim_why_parts second = all_of(*(struct why_tag *const *)b);
	uint64_t left = time_of(&first), right = time_of(&second);

	return left < right ? 1 : left > right ? -1 : 0;
}

static void give_tag(struct shim_why_tag *to, struct why_tag *tag, double percent)
{
	*to = (struct shim_why_tag) {
		.name = tag->name, .user = tag->key.user, .all = all_of(tag),
	};
	tag->first = first_slow(tag, to->all.count, percent);
	to->above_ns = vc_hist_floor(tag->first);
	add_slots(&to->slow, tag, tag->first);
	memcpy(to->hist, tag->total.hist, sizeof(to->hist));
}

static int choose_tags(struct shim_why *why)
{
	int err = shim_vec__reserve(why->shown, &why->shown_room, why->nknown);

	if (!err)
		err = shim_vec__reserve(why->given, &why->given_room, why->nknown);
	for (size_t i = 0; i < why->nknown && !err; i++)
		if (all_of(&why->tags[i]).count)
			why->shown[why->ntags++] = &why->tags[i];
	if (why->ntags)
		qsort(why->shown, why->ntags, sizeof(*why->shown), compare_tags);
	return err;
}

/**
 * shim_why_tags_get() - read the statistics of all tags: parts of durations, reasons and stacks
 * @why: the handle
 * @percent: transactions above this percentile of their tag's durations are slow, 0 to 100
 * @n: number of tags with ended transactions, in descending order of their time
 *
 * Pointers from earlier calls become invalid.
 *
 * Return: 0, -EINVAL, -ENOMEM, or another errno.
 */
SHIM_API int shim_why_tags_get(struct shim_why *why, double percent, size_t *n)
{
	int err;

	if (!(percent >= 0 && percent <= 100))
		return -EINVAL;
	why->ntags = 0;
	why->nreasons = 0;
	why->nstacks = 0;
	err = read_tags(why);
	if (!err)
		err = read_rows(why, SHIM_BPF_WHY_REASON, add_reason_row, &why->reason_rows);
	if (!err)
		err = read_rows(why, SHIM_BPF_WHY_STACK, add_stack_row, &why->stack_rows);
	if (!err)
		err = choose_tags(why);
	if (err)
		return err;
	for (size_t i = 0; i < why->ntags; i++)
		give_tag(&why->given[i], why->shown[i], percent);
	*n = why->ntags;
	return 0;
}

/**
 * shim_why_tag_at() - get a tag
 * @why: the handle
 * @i: index, below the result of shim_why_tags_get()
 *
 * Return: the tag, or NULL.
 */
SHIM_API const struct shim_why_tag *shim_why_tag_at(const struct shim_why *why, size_t i)
{
	return i < why->ntags ? &why->given[i] : NULL;
}

static void rows_restart(struct why_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		add_words(&rows->at[i].before, &rows->at[i].sum,
			  sizeof(struct vc_why_sum) / sizeof(uint64_t), 1);
		rows->at[i].sum = (struct vc_why_sum) { 0 };
	}
}

/**
 * shim_why_restart() - exclude the statistics of the last shim_why_tags_get() from later reads
 * @why: the handle
 *
 * Statistics that have arrived since that call are part of the next read, so none are lost.  Losses
 * (shim_why_drops_get()) are not restarted.  After an error of shim_why_tags_get(), this call has
 * no effect.  Pointers from earlier calls become invalid.
 */
SHIM_API void shim_why_restart(struct shim_why *why)
{
	if (!why->ntags)
		return;
	for (size_t i = 0; i < why->nknown; i++) {
		struct why_tag *tag = &why->tags[i];

		add_words(&tag->before, &tag->total, sizeof(tag->total) / sizeof(uint64_t), 1);
		memset(&tag->total, 0, sizeof(tag->total));
	}
	rows_restart(&why->reason_rows);
	rows_restart(&why->stack_rows);
	why->ntags = 0;
	why->nreasons = 0;
	why->nstacks = 0;
}

/**
 * shim_why_drops_get() - get the numbers of events missing from the statistics, by reason
 * @why: the handle
 * @drops: written on success
 *
 * Return: 0 or a negated errno.
 */
SHIM_API int shim_why_drops_get(struct shim_why *why, struct shim_why_drops *drops)
{
	uint64_t n[VC_WHY_DROP_NR];
	int err = shim_bpf_why__drops(why->bpf, n);

	if (err)
		return err;
	*drops = (struct shim_why_drops) {
		.not_seen = n[VC_WHY_DROP_NOT_SEEN],
		.moved = n[VC_WHY_DROP_MOVED],
		.died = n[VC_WHY_DROP_DIED],
		.deep = n[VC_WHY_DROP_DEEP],
		.broken = n[VC_WHY_DROP_BROKEN],
		.threads = n[VC_WHY_DROP_THREADS],
		.tags = n[VC_WHY_DROP_TAGS],
		.reasons = n[VC_WHY_DROP_REASONS],
		.stacks = n[VC_WHY_DROP_STACKS],
	};
	return 0;
}

/* Name the system call or other reason of a row. */
static void name_call(uint32_t reason, char *name, size_t size)
{
	uint32_t call = reason & VC_WHY_CALL;
	const char *known = call ? shim_syscall__name(call - 1) : NULL;

	if (!call)
		snprintf(name, size, "%s", reason & VC_WHY_STOPPED ? "stopped" : "page fault");
	else if (reason & VC_WHY_COMPAT)
		snprintf(name, size, "32-bit system call %u", call - 1);
	else if (known)
		snprintf(name, size, "%s", known);
	else
		snprintf(name, size, "system call %u", call - 1);
}

/**
 * shim_why_reason_name() - get the text of a reason
 * @reason: as in struct shim_why_reason or struct shim_why_stack
 * @name: receives a system call, "page fault", "stopped", or "on CPU"; ", I/O" follows if the
 *	thread waited for a disk
 * @size: size of @name
 *
 * Return: 0, or -ENOSPC if @name is too short.
 */
SHIM_API int shim_why_reason_name(uint32_t reason, char *name, size_t size)
{
	char call[64];
	int len;

	if (reason == SHIM_WHY_SAMPLED)
		snprintf(call, sizeof(call), "on CPU");
	else
		name_call(reason, call, sizeof(call));
	len = snprintf(name, size, "%s%s%s", call,
		       reason != SHIM_WHY_SAMPLED && reason & VC_WHY_IO ? ", I/O" : "",
		       reason != SHIM_WHY_SAMPLED && reason & VC_WHY_STOPPED &&
		       reason & VC_WHY_CALL ? ", stopped" : "");
	return len < 0 || (size_t)len >= size ? -ENOSPC : 0;
}

/** shim_why_close() - stop recording, and discard all statistics; @why may be NULL */
SHIM_API void shim_why_close(struct shim_why *why)
{
	if (!why)
		return;
	shim_bpf_why__close(why->bpf);
	free(why->tags);
	free(why->shown);
	free(why->given);
	free(why->reason_rows.at);
	free(why->stack_rows.at);
	free(why->reasons);
	free(why->stacks);
	free(why->frames);
	free(why);
}
