// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc why: merge stacks by the names of their functions, and find the stacks that differ most. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "why_paths.h"

#define SMALL	100	/* differences below 1/100 of the largest one are considered noise */

static int compare_texts(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Intern a text.  Return NULL if out of memory. */
static const char *intern(struct why_paths *paths, const char *text)
{
	char **found = tfind(text, &paths->names, compare_texts);
	char *copy;

	if (found)
		return *found;
	copy = strdup(text);
	if (copy && !tsearch(copy, &paths->names, compare_texts)) {
		free(copy);
		return NULL;
	}
	return copy;
}

/*
 * Remove the offset.  Functions without names have different addresses; when stacks are merged, all
 * nameless functions of a file are treated as the same function.
 */
static void cut_offset(char *name)
{
	char *end = *name == '[' ? strstr(name, "]+0x") : NULL;

	if (end)
		end[1] = '\0';
}

static int add_frame(struct why_paths *paths, struct why_path *path, struct symbol *symbol,
		     bool brief)
{
	struct why_name *frame = &path->frames[path->n];
	char where[sizeof(symbol->file) + 16];

	if (brief)
		cut_offset(symbol->name);
	frame->name = intern(paths, symbol->name);
	frame->where = NULL;
	if (symbol->line) {
		snprintf(where, sizeof(where), "%s:%u", symbol->file, symbol->line);
		frame->where = intern(paths, where);
	}
	if (!frame->name || (symbol->line && !frame->where))
		return -ENOMEM;
	/* Merge recursive calls of any depth into one frame. */
	if (!brief || !path->n || frame[-1].name != frame->name)
		path->n++;
	return 0;
}

static int name_frames(const struct why_view *view, const struct shim_why_stack *stack,
		       struct why_paths *paths, struct why_path *path, bool brief)
{
	unsigned int all = stack->nkernel + stack->nuser;
	struct symbol symbol;
	int err = 0;

	path->frames = calloc(all + 1, sizeof(*path->frames));
	if (!path->frames)
		return -ENOMEM;
	for (unsigned int i = all; i && !err; i--) {
		size_t before = path->n;

		why_frame(view, stack, i - 1, &symbol);
		err = add_frame(paths, path, &symbol, brief);
		if (i <= stack->nkernel)
			path->nkernel += path->n - before;
	}
	return err;
}

/*
 * Sort by reason, then by frames, outermost first, so that paths with the same start are adjacent.
 */
static int paths_compare(const void *a, const void *b)
{
	const struct why_path *left = a, *right = b;

	if (left->reason != right->reason)
		return left->reason < right->reason ? -1 : 1;
	for (size_t i = 0; i < left->n && i < right->n; i++)
		if (left->frames[i].name != right->frames[i].name)
			return strcmp(left->frames[i].name, right->frames[i].name);
	return left->n < right->n ? -1 : left->n > right->n;
}

/* Add a path to another.  Keep the line numbers of the stack with the most time. */
static void merge(struct why_path *to, struct why_path *from)
{
	if (from->difference > to->difference) {
		struct why_name *frames = to->frames;

		to->frames = from->frames;
		from->frames = frames;
	}
	if (to->pid != from->pid)
		to->pid = 0;
	to->difference += from->difference;
	to->all_ns += from->all_ns;
	to->all_times += from->all_times;
	to->slow_ns += from->slow_ns;
	to->slow_times += from->slow_times;
	free(from->frames);
}

static void merge_all(struct why_paths *paths)
{
	size_t n = 0;

	qsort(paths->at, paths->n, sizeof(*paths->at), paths_compare);
	for (size_t i = 0; i < paths->n; i++) {
		if (n && !paths_compare(&paths->at[n - 1], &paths->at[i]))
			merge(&paths->at[n - 1], &paths->at[i]);
		else
			paths->at[n++] = paths->at[i];
	}
	paths->n = n;
}

/**
 * why_paths_read() - read the stacks of a tag
 * @view: contains the handle and the resolver
 * @tag: index of the tag
 * @brief: prepare for display: recursive calls become one frame, and functions without a name are
 *   merged
 * @paths: written; call why_paths_free() even after an error
 *
 * Return: 0 or a negated errno.
 */
int why_paths_read(const struct why_view *view, size_t tag, bool brief, struct why_paths *paths)
{
	size_t n = 0;
	int err = shim_why_stacks_get(view->why, tag, &n);

	*paths = (struct why_paths){ 0 };
	if (err)
		return err;
	paths->at = calloc(n + 1, sizeof(*paths->at));
	if (!paths->at)
		return -ENOMEM;
	for (size_t i = 0; i < n && !err; i++) {
		const struct shim_why_stack *stack = shim_why_stack_at(view->why, i);
		struct why_path *path = &paths->at[paths->n++];

		*path = (struct why_path) {
			.reason = stack->reason, .pid = stack->pid,
			.difference = why_stack_difference(shim_why_tag_at(view->why, tag), stack),
			.all_ns = stack->all_ns, .all_times = stack->all_times,
			.slow_ns = stack->slow_ns, .slow_times = stack->slow_times,
		};
		err = name_frames(view, stack, paths, path, brief);
	}
	if (!err)
		merge_all(paths);
	return err;
}

/*
 * Among the paths from @from to @to, find those that share the frame with the largest difference at
 * a depth.
 */
static double heaviest(const struct why_paths *paths, size_t depth, size_t *from, size_t *to)
{
	size_t first = *from, last = *to;
	double most = 0;

	for (size_t i = first, next; i < last; i = next) {
		const struct why_path *path = &paths->at[i];
		double sum = 0;

		next = i + 1;
		if (path->n <= depth)
			continue;
		for (next = i; next < last && paths->at[next].n > depth &&
		     paths->at[next].frames[depth].name == path->frames[depth].name; next++)
			sum += paths->at[next].difference;
		if (sum > most) {
			most = sum;
			*from = i;
			*to = next;
		}
	}
	return most;
}

/* Add up the paths that have the same first @depth frames, and remove them. */
static void path_take(struct why_paths *paths, size_t from, size_t to, size_t depth,
		      struct why_path *path)
{
	const struct why_path *most = &paths->at[from];
	double sum = 0;
	size_t cut;

	*path = paths->at[from];
	for (size_t i = from; i < to; i++) {
		if (paths->at[i].difference > most->difference)
			most = &paths->at[i];
		if (paths->at[i].pid != path->pid)
			path->pid = 0;
		sum += paths->at[i].difference;
	}
	cut = most->n - depth;
	path->frames = most->frames;
	path->n = depth;
	path->nkernel = most->nkernel > cut ? most->nkernel - cut : 0;
	path->difference = sum;
	for (size_t i = from; i < to; i++)
		paths->at[i].difference = 0;
}

/* Keep the longest call path that has more than half of the samples of its first frame. */
static void take_samples(struct why_paths *paths, size_t from, size_t to, struct why_path *path)
{
	size_t depth = 0, first = from, last = to;
	double most = heaviest(paths, depth, &first, &last), half = most / 2;

	while (most > half) {
		from = first;
		to = last;
		most = heaviest(paths, ++depth, &first, &last);
	}
	path_take(paths, from, to, depth, path);
}

static int compare_differences(const void *a, const void *b)
{
	const struct why_path *left = a, *right = b;

	return left->difference < right->difference ? 1 : left->difference > right->difference ? -1 : 0;
}

/**
 * why_paths_first() - find the paths that differ most
 * @paths: from why_paths_read(), brief; their differences are changed
 * @first: written in descending order of differences; frames belong to @paths
 * @most: maximum number
 * @kept: number of paths written; their differences are positive and not small
 *
 * Each wait has one call path.  Samples have many, so samples that share most of their path are
 * merged.
 *
 * Return: 0 or -ENOMEM.
 */
int why_paths_first(struct why_paths *paths, struct why_path *first, size_t most, size_t *kept)
{
	struct why_path *all = calloc(paths->n + most, sizeof(*all));
	size_t n = 0, waits = 0;

	*kept = 0;
	if (!all)
		return -ENOMEM;
	while (waits < paths->n && paths->at[waits].reason != SHIM_WHY_SAMPLED)
		all[n++] = paths->at[waits++];
	for (size_t i = 0; i < most && waits < paths->n; i++)
		take_samples(paths, waits, paths->n, &all[n++]);
	qsort(all, n, sizeof(*all), compare_differences);
	for (; *kept < n && *kept < most && all[*kept].difference > 0 &&
	     all[*kept].difference >= all[0].difference / SMALL; ++*kept)
		first[*kept] = all[*kept];
	free(all);
	return 0;
}

/** why_paths_free() - free the results of why_paths_read() */
void why_paths_free(struct why_paths *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		free(paths->at[i].frames);
	free(paths->at);
	tdestroy(paths->names, free);
}
