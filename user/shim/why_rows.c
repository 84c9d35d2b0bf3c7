// SPDX-License-Identifier: LGPL-2.1-or-later
/* Public calls of <shim/why.h> for the reasons and stacks of a tag */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/vec.h"
#include "why_state.h"

_Static_assert(SHIM_WHY_BUILD_ID == BPF_BUILD_ID_SIZE, "the size must equal the kernel's");

/* Find the first row of a tag.  Return its index, or that of the first row of a later tag. */
static size_t first_row(const struct why_rows *rows, const struct why_tag *tag)
{
	size_t from = 0, to = rows->n;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (memcmp(&rows->at[middle].key.tag, &tag->key, sizeof(tag->key)) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Return the last reason if it is the same, otherwise add one.  Return NULL if out of memory. */
static struct shim_why_reason *reason_of(struct shim_why *why, uint32_t reason)
{
	if (why->nreasons && why->reasons[why->nreasons - 1].reason == reason)
		return &why->reasons[why->nreasons - 1];
	if (shim_vec__room(why->reasons, &why->reasons_room, why->nreasons))
		return NULL;
	why->reasons[why->nreasons] = (struct shim_why_reason) { .reason = reason };
	return &why->reasons[why->nreasons++];
}

static int add_reason(struct shim_why *why, const struct why_tag *tag, const struct why_row *row)
{
	struct shim_why_reason *reason = reason_of(why, row->key.reason);

	if (!reason)
		return -ENOMEM;
	reason->all_ns += row->sum.ns;
	reason->all_times += row->sum.times;
	if (row->key.slot >= tag->first) {
		reason->slow_ns += row->sum.ns;
		reason->slow_times += row->sum.times;
	}
	return 0;
}

/* Call a function for each row of a tag whose sum.times is not 0. */
static int each_row(struct shim_why *why, const struct why_rows *rows, const struct why_tag *tag,
		    int (*fn)(struct shim_why *, const struct why_tag *, const struct why_row *))
{
	int err = 0;

	for (size_t i = first_row(rows, tag); i < rows->n && !err; i++) {
		if (memcmp(&rows->at[i].key.tag, &tag->key, sizeof(tag->key)))
			break;
		if (rows->at[i].sum.times)
			err = fn(why, tag, &rows->at[i]);
	}
	return err;
}

static int compare_reasons(const void *a, const void *b)
{
	const struct shim_why_reason *left = a, *right = b;

	if (left->slow_ns != right->slow_ns)
		return left->slow_ns < right->slow_ns ? 1 : -1;
	return left->all_ns < right->all_ns ? 1 : left->all_ns > right->all_ns ? -1 : 0;
}

/**
 * shim_why_reasons_get() - get the reasons why a tag's transactions were blocked
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
	why->nreasons = 0;
	err = each_row(why, &why->reason_rows, why->shown[tag], add_reason);
	if (err)
		return err;
	if (why->nreasons)
		qsort(why->reasons, why->nreasons, sizeof(*why->reasons), compare_reasons);
	*n = why->nreasons;
	return 0;
}

/**
 * shim_why_reason_at() - get a reason
 * @why: the handle
 * @i: index, below the result of shim_why_reasons_get()
 *
 * Return: the reason, or NULL.
 */
SHIM_API const struct shim_why_reason *shim_why_reason_at(const struct shim_why *why, size_t i)
{
	return i < why->nreasons ? &why->reasons[i] : NULL;
}

static int read_user(const struct shim_why *why, struct shim_why_stack *stack, struct why_frames *to)
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
static int read_frames(const struct shim_why *why, struct shim_why_stack *stack, struct why_frames *to)
{
	int err = read_user(why, stack, to);

	if (err && err != -ENOENT)
		return err;
	err = shim_bpf_why__kernel_trace(why->bpf, to->kernel_id, to->kernel);
	while (!err && stack->nkernel < VC_WHY_FRAMES && to->kernel[stack->nkernel])
		stack->nkernel++;
	return err == -ENOENT ? 0 : err;
}

/* Get the last stack if it is the same, otherwise add one.  Return 0 or a negated errno. */
static int stack_of(struct shim_why *why, const struct vc_why_stack_key *key,
		    struct shim_why_stack **out)
{
	struct shim_why_stack *stack;
	struct why_frames *frames;
	int err;

	if (why->nstacks) {
		*out = &why->stacks[why->nstacks - 1];
		frames = &why->frames[why->nstacks - 1];
		if ((*out)->reason == key->reason && (*out)->pid == key->tgid &&
		    frames->user_id == key->user && frames->kernel_id == key->kernel)
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

static int add_stack(struct shim_why *why, const struct why_tag *tag, const struct why_row *row)
{
	struct shim_why_stack *stack;
	int err = stack_of(why, &row->key, &stack);

	if (err)
		return err;
	stack->all_ns += row->sum.ns;
	stack->all_times += row->sum.times;
	if (row->key.slot >= tag->first) {
		stack->slow_ns += row->sum.ns;
		stack->slow_times += row->sum.times;
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
	why->nstacks = 0;
	err = each_row(why, &why->stack_rows, why->shown[tag], add_stack);
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

/**
 * shim_why_stack_at() - get a stack
 * @why: the handle
 * @i: index, below the result of shim_why_stacks_get()
 *
 * Return: the stack, or NULL.
 */
SHIM_API const struct shim_why_stack *shim_why_stack_at(const struct shim_why *why, size_t i)
{
	return i < why->nstacks ? &why->stacks[i] : NULL;
}
