// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc why: the stacks in which slow transactions spend more time than all do. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vcpc.h"
#include "why.h"

#define SHOWN	3
#define FRAMES	12	/* of a stack, on the screen */

/**
 * why_frame() - name a frame
 * @view: has the resolver
 * @stack: the stack
 * @i: which frame, innermost first, the kernel's before the user's
 * @symbol: written
 *
 * A caller's address is that after its call, which may be the next function's begin.
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
 * why_learn() - remember the files of the processes that have stacks, which may exit soon
 * @view: has the resolver and the stacks
 */
void why_learn(const struct why_view *view)
{
	size_t ntags = 0, n = 0;

	if (shim_why_tags_get(view->why, 0, &ntags))
		return;
	for (size_t tag = 0; tag < ntags; tag++) {
		if (shim_why_stacks_get(view->why, tag, &n))
			continue;
		for (size_t i = 0; i < n; i++) {
			pid_t pid = shim_why_stack_at(view->why, i)->pid;

			if (pid && !symbols_know(view->symbols, pid))
				symbols_learn(view->symbols, pid);
		}
	}
}

/**
 * why_stack_difference() - how much more of a stack slow transactions have
 * @tag: the stack's tag
 * @stack: the stack
 *
 * Return: ns per slow transaction, less those per transaction of all.
 */
double why_stack_difference(const struct shim_why_tag *tag, const struct shim_why_stack *stack)
{
	double slow = tag->slow.count ? (double)stack->slow_ns / tag->slow.count : 0;

	return tag->all.count ? slow - (double)stack->all_ns / tag->all.count : slow;
}

/* One line of frames, outermost first */
static void fold(const struct why_view *view, const struct shim_why_stack *stack)
{
	struct symbol symbol;

	for (unsigned int i = stack->nuser + stack->nkernel; i; i--) {
		why_frame(view, stack, i - 1, &symbol);
		printf(";%s", symbol.name);
	}
}

/**
 * why_print_folded() - print the slow transactions' stacks, a line each: tag;reason;frames ns
 * @view: what to print
 *
 * Return: 0, or an exit status after a message.
 */
int why_print_folded(const struct why_view *view)
{
	const struct shim_why_tag *tag = shim_why_tag_at(view->why, view->at);
	char reason[64];
	size_t n = 0;
	int err = shim_why_stacks_get(view->why, view->at, &n);

	if (err)
		return vcpc_fail(err, "cannot read the stacks");
	for (size_t i = 0; i < n; i++) {
		const struct shim_why_stack *stack = shim_why_stack_at(view->why, i);

		if (!stack->slow_ns)
			continue;
		shim_why_reason_name(stack->reason, reason, sizeof(reason));
		for (const char *c = tag->name; *c; c++)
			putchar(*c == ';' || (unsigned char)*c < ' ' ? '_' : *c);
		printf(";%s", reason);
		fold(view, stack);
		printf(" %llu\n", (unsigned long long)stack->slow_ns);
	}
	return 0;
}

struct ranked {
	const struct shim_why_stack *stack;
	double difference;
};

static int compare(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	return left->difference < right->difference ? 1 : left->difference > right->difference ? -1 : 0;
}

static void print_frames(const struct why_view *view, const struct shim_why_stack *stack)
{
	unsigned int shown = 0, all = stack->nkernel + stack->nuser;
	struct symbol symbol;

	for (; shown < all && shown < FRAMES; shown++) {
		why_frame(view, stack, shown, &symbol);
		printf("      %s", symbol.name);
		if (symbol.line)
			printf(" (%s:%u)", symbol.file, symbol.line);
		putchar('\n');
	}
	if (!all)
		puts("      (unknown)");
	else if (shown < all)
		printf("      (%u more; --folded prints all)\n", all - shown);
}

static void print_one(const struct why_view *view, const struct ranked *ranked)
{
	char reason[64], time[32];

	shim_why_reason_name(ranked->stack->reason, reason, sizeof(reason));
	printf("\n  %s more per slow transaction, %s, process %u:\n",
	       why_duration(ranked->difference, time, sizeof(time)), reason, ranked->stack->pid);
	print_frames(view, ranked->stack);
}

/**
 * why_print_stacks() - print the stacks that differ most
 * @view: what to print
 *
 * Return: 0, or an exit status after a message.
 */
int why_print_stacks(const struct why_view *view)
{
	const struct shim_why_tag *tag = shim_why_tag_at(view->why, view->at);
	struct ranked *ranked;
	size_t n = 0;
	int err = shim_why_stacks_get(view->why, view->at, &n);

	if (err)
		return vcpc_fail(err, "cannot read the stacks");
	ranked = calloc(n + 1, sizeof(*ranked));
	if (!ranked)
		return vcpc_fail(ENOMEM, "stacks");
	for (size_t i = 0; i < n; i++) {
		ranked[i].stack = shim_why_stack_at(view->why, i);
		ranked[i].difference = why_stack_difference(tag, ranked[i].stack);
	}
	qsort(ranked, n, sizeof(*ranked), compare);
	if (n && ranked[0].difference > 0)
		puts("\nStacks (innermost frame first):");
	for (size_t i = 0; i < n && i < SHOWN && ranked[i].difference > 0; i++)
		print_one(view, &ranked[i]);
	free(ranked);
	if (n && symbols_kernel_hidden(view->symbols))
		puts("\nKernel addresses are hidden (sysctl kernel.kptr_restrict=1 shows them to root).");
	if (n && symbols_dropped(view->symbols))
		printf("\n%lu files, processes or mappings had no room: their frames have no names.\n",
		       symbols_dropped(view->symbols));
	return 0;
}
