// SPDX-License-Identifier: LGPL-2.1-or-later
/* Public calls of <shim/why.h>, which show where transactions spend their time */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shim/why.h>

#include "base/api.h"
#include "base/vec.h"
#include "core/bpf_why.h"

_Static_assert(SHIM_WHY_PARTS == (int)VC_WHY_PARTS && SHIM_WHY_BLOCKED == (int)VC_WHY_BLOCKED &&
	       SHIM_WHY_OCTAVES == VC_WHY_OCTAVES && SHIM_WHY_SAMPLED == VC_WHY_SAMPLED,
	       "numbers must equal core's");
_Static_assert(SHIM_WHY_BUILD_ID == BPF_BUILD_ID_SIZE, "the size must equal the kernel's");

#define DEFAULT_HERTZ	999
#define MOST_HERTZ	10000

/* Statistics of a tag; transactions in slot @first and above are slow */
struct tag {
	struct vc_why_key key;
	uint32_t first;
	char name[VC_TAG_LEN];
	struct vc_why_stat total;
};

/* Data to which a public stack points */
struct frames {
	struct shim_why_frame user[VC_WHY_FRAMES];
	uint64_t kernel[VC_WHY_FRAMES];
	int32_t user_id, kernel_id;
};

struct shim_why {
	struct shim_bpf_why *bpf;
	struct tag *tags;
	struct shim_why_tag *given;	/* array of the same length */
	size_t ntags, tags_room, given_room;
	struct shim_why_reason *reasons;
	size_t nreasons, reasons_room;
	struct shim_why_stack *stacks;
	struct frames *frames;		/* array of the same length */
	size_t nstacks, stacks_room, frames_room;
	const struct tag *wanted;	/* the requested tag during a walk */
};

/**
 * shim_why_open() - start recording where transactions spend their time
 * @options: what to record, or NULL: everything except stacks
 * @why: the handle, for shim_why_close()
 *
 * Transactions that begin after this call are recorded, including transactions of functions and
 * pairs that are currently traced (shim_trace_probe()).
 *
 * Return: 0; -EPERM if the caller lacks the privilege, -EOPNOTSUPP if the kernel has no BTF,
 *	-ENOSYS if it has no BPF, -ESTALE if a file with traced functions was replaced, -EINVAL for
 *	invalid @options, -ENOMEM and others.
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
 * Add 64-bit words.  The kernel's type and this library's differ, so a compiler may assume that
 * they do not alias.
 */
static void add_words(void *sums, const void *more, size_t n)
{
	for (size_t i = 0; i < n * sizeof(uint64_t); i += sizeof(uint64_t)) {
		uint64_t sum, word;

		memcpy(&sum, (char *)sums + i, sizeof(sum));
		memcpy(&word, (const char *)more + i, sizeof(word));
		sum += word;
		memcpy((char *)sums + i, &sum, sizeof(sum));
	}
}

static int add_tag(void *arg, const struct vc_why_key *key, const char *name,
		   const struct vc_why_stat *cpus)
{
	struct shim_why *why = arg;
	struct tag *tag;
	int err = shim_vec__room(why->tags, &why->tags_room, why->ntags);

	if (err)
		return err;
	tag = &why->tags[why->ntags];
	memset(tag, 0, sizeof(*tag));
	tag->key = *key;
	memcpy(tag->name, name, sizeof(tag->name));
	for (size_t i = 0; i < shim_bpf_why__cpus(why->bpf); i++)
		add_words(&tag->total, &cpus[i], sizeof(tag->total) / sizeof(__u64));
	why->ntags++;
	return 0;
}

static void add_slots(struct shim_why_parts *parts, const struct tag *tag, uint32_t first)
{
	for (uint32_t i = first; i < VC_HIST_SLOTS; i++) {
		parts->count += tag->total.slot[i].count;
		add_words(parts->ns, tag->total.slot[i].part, SHIM_WHY_PARTS);
	}
}

/*
 * Get the first slot of slow transactions.  The percentile's bucket may contain many more
 * transactions than the requested share, while the buckets above it are empty.  Start with this
 * bucket or the next one, whichever is closer to the share.
 */
static uint32_t first_slow(const struct tag *tag, uint64_t count, double percent)
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

static uint64_t time_of_tag(const struct tag *tag)
{
	struct shim_why_parts parts = { 0 };

	add_slots(&parts, tag, 0);
	return time_of(&parts);
}

static int compare_tags(const void *a, const void *b)
{
	uint64_t left = time_of_tag(a), right = time_of_tag(b);

	return left < right ? 1 : left > right ? -1 : 0;
}

static void give_tag(struct shim_why_tag *to, struct tag *tag, double percent)
{
	*to = (struct shim_why_tag) { .name = tag->name, .user = tag->key.user };
	add_slots(&to->all, tag, 0);
	tag->first = first_slow(tag, to->all.count, percent);
	to->above_ns = vc_hist_floor(tag->first);
	add_slots(&to->slow, tag, tag->first);
	memcpy(to->hist, tag->total.hist, sizeof(to->hist));
}

/**
 * shim_why_tags_get() - read the parts of all tags' durations
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
	err = shim_bpf_why__walk_tags(why->bpf, add_tag, why);
	if (!err)
		err = shim_vec__reserve(why->given, &why->given_room, why->ntags);
	if (err) {
		why->ntags = 0;
		return err;
	}
	if (why->ntags)
		qsort(why->tags, why->ntags, sizeof(*why->tags), compare_tags);
	for (size_t i = 0; i < why->ntags; i++)
		give_tag(&why->given[i], &why->tags[i], percent);
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

static int is_wanted(const struct shim_why *why, const struct vc_why_key *key)
{
	return !memcmp(key, &why->wanted->key, sizeof(*key));
}

static struct shim_why_reason *reason_of(struct shim_why *why, uint32_t reason)
{
	for (size_t i = 0; i < why->nreasons; i++)
		if (why->reasons[i].reason == reason)
			return &why->reasons[i];
	if (shim_vec__room(why->reasons, &why->reasons_room, why->nreasons))
		return NULL;
	why->reasons[why->nreasons] = (struct shim_why_reason) { .reason = reason };
	return &why->reasons[why->nreasons++];
}

static int add_reason(void *arg, const void *row, const void *value)
{
	const struct vc_why_reason_key *key = row;
	const struct vc_why_sum *sum = value;
	struct shim_why *why = arg;
	struct shim_why_reason *reason;

	if (!is_wanted(why, &key->tag))
		return 0;
	reason = reason_of(why, key->reason);
	if (!reason)
		return -ENOMEM;
	reason->all_ns += sum->ns;
	reason->all_times += sum->times;
	if (key->slot >= why->wanted->first) {
		reason->slow_ns += sum->ns;
		reason->slow_times += sum->times;
	}
	return 0;
}

static int compare_reasons(const void *a, const void *b)
{
	const struct shim_why_reason *left = a, *right = b;

	if (left->slow_ns != right->slow_ns)
		return left->slow_ns < right->slow_ns ? 1 : -1;
	return left->all_ns < right->all_ns ? 1 : left->all_ns > right->all_ns ? -1 : 0;
}

/**
 * shim_why_reasons_get() - read why a tag's transactions were blocked
 * @why: the handle
 * @tag: index, below the result of shim_why_tags_get()
 * @n: number of reasons; the one with the longest time in slow transactions comes first
 *
 * Return: 0, -EINVAL, -ENOMEM, or another errno.
 */
SHIM_API int shim_why_reasons_get(struct shim_why *why, size_t tag, size_t *n)
{
	int err;

	if (tag >= why->ntags)
		return -EINVAL;
	why->wanted = &why->tags[tag];
	why->nreasons = 0;
	err = shim_bpf_why__walk(why->bpf, SHIM_BPF_WHY_REASON, add_reason, why);
	if (err)
		return err;
	if (why->nreasons)
		qsort(why->reasons, why->nreasons, sizeof(*why->reasons), compare_reasons);
	*n = why->nreasons;
	return 0;
}

/** shim_why_reason_at() - get a reason, or NULL; @i is an index below shim_why_reasons_get()'s */
SHIM_API const struct shim_why_reason *shim_why_reason_at(const struct shim_why *why, size_t i)
{
	return i < why->nreasons ? &why->reasons[i] : NULL;
}

static int read_user(const struct shim_why *why, struct shim_why_stack *stack, struct frames *to)
{
	struct bpf_stack_build_id user[VC_WHY_FRAMES];
	int err = shim_bpf_why__user_trace(why->bpf, to->user_id, user);

	while (!err && stack->nuser < VC_WHY_FRAMES && user[stack->nuser].status) {
		const struct bpf_stack_build_id *from = &user[stack->nuser];
		struct shim_why_frame *frame = &to->user[stack->nuser++];

		frame->has_build_id = from->status == BPF_STACK_BUILD_ID_VALID;
		frame->at = frame->has_build_id ? from->offset : from->ip;
		if (frame->has_build_id)
			memcpy(frame->build_id, from->build_id, sizeof(frame->build_id));
	}
	return err;
}

/*
 * Read a stack's frames.  User frames have build IDs if the kernel found them.  A stack that was
 * lost has no frames.
 */
static int read_frames(const struct shim_why *why, struct shim_why_stack *stack, struct frames *to)
{
	int err = read_user(why, stack, to);

	if (err && err != -ENOENT)
		return err;
	err = shim_bpf_why__kernel_trace(why->bpf, to->kernel_id, to->kernel);
	while (!err && stack->nkernel < VC_WHY_FRAMES && to->kernel[stack->nkernel])
		stack->nkernel++;
	return err == -ENOENT ? 0 : err;
}

/* Find or add a stack.  Return 0 or a negated errno. */
static int stack_of(struct shim_why *why, const struct vc_why_stack_key *key,
		    struct shim_why_stack **out)
{
	struct shim_why_stack *stack;
	struct frames *frames;
	int err;

	for (size_t i = 0; i < why->nstacks; i++) {
		*out = &why->stacks[i];
		if ((*out)->reason == key->reason && (*out)->pid == key->tgid &&
		    why->frames[i].user_id == key->user && why->frames[i].kernel_id == key->kernel)
			return 0;
	}
	err = shim_vec__room(why->stacks, &why->stacks_room, why->nstacks);
	if (!err)
		err = shim_vec__room(why->frames, &why->frames_room, why->nstacks);
	if (err)
		return err;
	*out = stack = &why->stacks[why->nstacks];
	frames = &why->frames[why->nstacks++];
	memset(frames, 0, sizeof(*frames));
	frames->user_id = key->user;
	frames->kernel_id = key->kernel;
	*stack = (struct shim_why_stack) { .reason = key->reason, .pid = key->tgid };
	return read_frames(why, stack, frames);
}

static int add_stack(void *arg, const void *row, const void *value)
{
	const struct vc_why_stack_key *key = row;
	const struct vc_why_sum *sum = value;
	struct shim_why *why = arg;
	struct shim_why_stack *stack;
	int err;

	if (!is_wanted(why, &key->tag))
		return 0;
	err = stack_of(why, key, &stack);
	if (err)
		return err;
	stack->all_ns += sum->ns;
	stack->all_times += sum->times;
	if (key->slot >= why->wanted->first) {
		stack->slow_ns += sum->ns;
		stack->slow_times += sum->times;
	}
	return 0;
}

/**
 * shim_why_stacks_get() - read the stacks of a tag's transactions
 * @why: the handle
 * @tag: index, below the result of shim_why_tags_get()
 * @n: number of stacks, in no particular order; 0 without SHIM_WHY_F_STACKS
 *
 * Return: 0, -EINVAL, -ENOMEM, or another errno.
 */
SHIM_API int shim_why_stacks_get(struct shim_why *why, size_t tag, size_t *n)
{
	int err;

	if (tag >= why->ntags)
		return -EINVAL;
	why->wanted = &why->tags[tag];
	why->nstacks = 0;
	err = shim_bpf_why__walk(why->bpf, SHIM_BPF_WHY_STACK, add_stack, why);
	if (err) {
		why->nstacks = 0;	/* the last stack may lack frames */
		return err;
	}
	/* Store the pointers now that the arrays no longer move. */
	for (size_t i = 0; i < why->nstacks; i++) {
		why->stacks[i].user = why->frames[i].user;
		why->stacks[i].kernel = why->frames[i].kernel;
	}
	*n = why->nstacks;
	return 0;
}

/** shim_why_stack_at() - get a stack, or NULL; @i is an index below shim_why_stacks_get()'s */
SHIM_API const struct shim_why_stack *shim_why_stack_at(const struct shim_why *why, size_t i)
{
	return i < why->nstacks ? &why->stacks[i] : NULL;
}

/**
 * shim_why_drops_get() - get the losses from the statistics, by reason
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
	free(why->given);
	free(why->reasons);
	free(why->stacks);
	free(why->frames);
	free(why);
}
