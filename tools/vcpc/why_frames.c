// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc why: find the stacks in which slow transactions spend more time than average. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "json_text.h"
#include "text.h"
#include "vcpc.h"
#include "why_paths.h"

#define SHOWN	3
#define KERNEL_FRAMES	5	/* maximum number shown per stack */
#define USER_FRAMES	12

/**
 * why_frame() - name a frame
 * @view: contains the resolver
 * @stack: the stack
 * @i: index of the frame, innermost first; kernel frames precede user frames
 * @symbol: written
 *
 * The return address in a caller may be the first address of the next function, so the preceding
 * address is resolved.
 */
void why_frame(const struct why_view *view, const struct shim_why_stack *stack, unsigned int i,
	       struct symbol *symbol)
{
	const struct shim_why_frame *frame;
	bool kernel = i < stack->nkernel;
	unsigned int at = kernel ? i : i - stack->nkernel;
	unsigned int back = at ? 1 : 0;

	if (kernel) {
		symbols_of_kernel(view->symbols, stack->kernel[at] - back, symbol);
		return;
	}
	frame = &stack->user[at];
	if (frame->has_build_id)
		symbols_of_file(view->symbols, stack->pid, frame->build_id, frame->at - back, symbol);
	else
		symbols_of_process(view->symbols, stack->pid, frame->at - back, symbol);
}

/**
 * why_learn() - open the files of the stacks' processes, because the processes may exit soon
 * @view: contains the resolver and the stacks
 *
 * Return: 0, or an error from reading the stacks.  The resolver counts the files that it cannot
 * read.
 */
int why_learn(const struct why_view *view)
{
	size_t ntags = 0, n = 0;
	int err = shim_why_tags_get(view->why, 0, &ntags);

	symbols_read(view->symbols);
	for (size_t tag = 0; !err && tag < ntags; tag++) {
		err = shim_why_stacks_get(view->why, tag, &n);
		for (size_t i = 0; !err && i < n; i++) {
			pid_t pid = shim_why_stack_at(view->why, i)->pid;

			if (pid && !symbols_know(view->symbols, pid))
				symbols_learn(view->symbols, pid);
		}
	}
	if (!err)
		symbols_prune(view->symbols);
	return err;
}

/**
 * why_stack_difference() - compute the excess time of slow transactions in a stack
 * @tag: the stack's tag
 * @stack: the stack
 *
 * Return: ns per slow transaction minus ns per transaction.
 */
double why_stack_difference(const struct shim_why_tag *tag, const struct shim_why_stack *stack)
{
	double slow = tag->slow.count ? (double)stack->slow_ns / tag->slow.count : 0;

	return tag->all.count ? slow - (double)stack->all_ns / tag->all.count : slow;
}

/**
 * why_print_nameless() - report missing names
 * @symbols: the resolver, after it has named frames; or NULL
 * @out: output file
 */
void why_print_nameless(struct symbols *symbols, FILE *out)
{
	if (!symbols)
		return;
	if (symbols_kernel_hidden(symbols))
		fputs("\nKernel addresses are hidden (sysctl kernel.kptr_restrict=1 shows them to root).\n", out);
	if (symbols_dropped(symbols))
		fprintf(out, "\n%lu files, processes or mappings exceeded the limits or could not be read: their frames have no names.\n",
			symbols_dropped(symbols));
	if (symbols_cut(symbols))
		fprintf(out, "\n%lu symbol lists (/tmp/perf-PID.map, /proc/kallsyms) were not read completely: some frames have no name or a wrong one.\n",
			symbols_cut(symbols));
}

/* Return the nanoseconds per transaction that is not slow. */
static double typical_ns(const struct shim_why_tag *tag, const struct why_path *path)
{
	uint64_t count = tag->all.count - tag->slow.count;

	return count ? (double)(path->all_ns - path->slow_ns) / count : 0;
}

/* Write the tag's label without semicolons, which would separate fields. */
static void put_tag(const struct why_view *view, FILE *out)
{
	char label[WHY_LABEL];

	why_label(view, view->at, label, sizeof(label));
	for (char *c = label; (c = strchr(c, ';'));)
		*c = '_';
	fputs(label, out);
}

static void fold(const struct why_view *view, const struct why_path *path, FILE *out)
{
	const struct shim_why_tag *tag = shim_why_tag_at(view->why, view->at);
	char reason[64];

	shim_why_reason_name(path->reason, reason, sizeof(reason));
	put_tag(view, out);
	fprintf(out, ";%s", reason);
	for (size_t i = 0; i < path->n; i++)
		fprintf(out, ";%s", path->frames[i].name);
	if (view->differential)
		fprintf(out, " %.0f %.0f\n", typical_ns(tag, path),
			tag->slow.count ? (double)path->slow_ns / tag->slow.count : 0);
	else
		fprintf(out, " %llu\n", (unsigned long long)path->slow_ns);
}

/**
 * why_fold() - write a tag's stacks, one per line: tag;reason;frames and their time
 * @view: the tag, and the kind of times: ns of the slow transactions or, if @differential is
 *	set, ns per transaction that is not slow and ns per slow transaction
 * @out: output file
 *
 * Return: 0 or a negated errno.
 */
int why_fold(const struct why_view *view, FILE *out)
{
	struct why_paths paths;
	int err = why_paths_read(view, view->at, false, &paths);

	for (size_t i = 0; i < paths.n && !err; i++)
		if (paths.at[i].slow_ns || view->differential)
			fold(view, &paths.at[i], out);
	why_paths_free(&paths);
	return err;
}

/**
 * why_print_folded() - print the stacks of the explained tag as why_fold() does
 * @view: the data and options
 *
 * Return: 0, or an exit status after printing a message.
 */
int why_print_folded(const struct why_view *view)
{
	int err = why_fold(view, stdout);

	if (err)
		return vcpc_fail(err, "cannot read the stacks");
	why_print_nameless(view->symbols, stderr);
	return why_print_drops(view, stderr);
}

static void json_path(const struct why_path *path)
{
	char reason[64];

	shim_why_reason_name(path->reason, reason, sizeof(reason));
	fputs("{\"reason\": ", stdout);
	vcpc_json_text(stdout, reason);
	if (path->pid)
		printf(", \"pid\": %u", path->pid);
	fputs(", \"frames\": [", stdout);
	for (size_t i = path->n; i; i--) {
		if (i < path->n)
			fputs(", ", stdout);
		vcpc_json_text(stdout, path->frames[i - 1].name);
	}
	printf("], \"all_ns\": %llu, \"all_times\": %llu, \"slow_ns\": %llu, \"slow_times\": %llu}",
	       (unsigned long long)path->all_ns, (unsigned long long)path->all_times,
	       (unsigned long long)path->slow_ns, (unsigned long long)path->slow_times);
}

/**
 * why_json_stacks() - print a tag's stacks as a member of a JSON object
 * @view: contains the handle and the resolver
 * @tag: index of the tag
 *
 * Return: 0, or an exit status after printing a message.
 */
int why_json_stacks(const struct why_view *view, size_t tag)
{
	struct why_paths paths;
	int err = why_paths_read(view, tag, false, &paths);

	fputs(", \"stacks\": [", stdout);
	for (size_t i = 0; i < paths.n && !err; i++) {
		if (i)
			fputs(", ", stdout);
		json_path(&paths.at[i]);
	}
	putchar(']');
	why_paths_free(&paths);
	return err ? vcpc_fail(err, "cannot read the stacks") : 0;
}

/* Print the innermost of the @n frames, starting with @first. */
static void print_frames(const struct why_name *first, size_t n, size_t most, const char *whose)
{
	for (size_t shown = 0; shown < n && shown < most; shown++) {
		const struct why_name *frame = &first[n - 1 - shown];

		printf("      %s", frame->name);
		if (frame->where)
			printf(" (%s)", frame->where);
		putchar('\n');
	}
	if (n > most)
		printf("      (%zu more%s; --folded prints all)\n", n - most, whose);
}

static void print_one(const struct why_path *path)
{
	size_t user = path->n - path->nkernel;
	char reason[64], time[32];

	shim_why_reason_name(path->reason, reason, sizeof(reason));
	printf("\n  %s more per slow transaction, %s, ",
	       why_duration(path->difference, time, sizeof(time)), reason);
	if (path->pid)
		printf("process %u:\n", path->pid);
	else
		puts("several processes:");
	print_frames(path->frames + user, path->nkernel, KERNEL_FRAMES, " in the kernel");
	print_frames(path->frames, user, USER_FRAMES, "");
	if (!path->n)
		puts("      (unknown)");
}

/**
 * why_print_stacks() - print the stacks that differ most
 * @view: the data and options
 *
 * Return: 0, or an exit status after printing a message.
 */
int why_print_stacks(const struct why_view *view)
{
	struct why_path first[SHOWN];
	struct why_paths paths;
	size_t n = 0;
	int err;

	if (!view->symbols)
		return 0;
	err = why_paths_read(view, view->at, true, &paths);
	if (!err)
		err = why_paths_first(&paths, first, SHOWN, &n);
	if (n)
		puts("\nStacks (innermost frame first):");
	for (size_t i = 0; i < n; i++)
		print_one(&first[i]);
	if (paths.n)
		why_print_nameless(view->symbols, stdout);
	why_paths_free(&paths);
	return err ? vcpc_fail(err, "cannot read the stacks") : 0;
}
