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
 * why_frame_text() - the text of a frame
 * @stack: the stack
 * @i: which frame, less than nkernel or nuser
 * @kernel: of the kernel's part
 * @text: written
 * @size: its size
 *
 * An address in the kernel, in the process, or, with a build id, in the file.
 */
void why_frame_text(const struct shim_why_stack *stack, unsigned int i, bool kernel,
		    char *text, size_t size)
{
	const struct shim_why_frame *frame = kernel ? NULL : &stack->user[i];
	char id[2 * SHIM_WHY_BUILD_ID + 1] = "";

	if (kernel) {
		snprintf(text, size, "[kernel]+0x%llx", (unsigned long long)stack->kernel[i]);
		return;
	}
	for (size_t byte = 0; frame->has_build_id && byte < SHIM_WHY_BUILD_ID; byte++)
		snprintf(id + 2 * byte, 3, "%02x", frame->build_id[byte]);
	if (frame->has_build_id)
		snprintf(text, size, "%.12s+0x%llx", id, (unsigned long long)frame->at);
	else
		snprintf(text, size, "[%u]+0x%llx", stack->pid, (unsigned long long)frame->at);
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
static void fold(const struct shim_why_stack *stack)
{
	char text[WHY_FRAME_TEXT];

	for (unsigned int i = stack->nuser; i; i--) {
		why_frame_text(stack, i - 1, false, text, sizeof(text));
		printf(";%s", text);
	}
	for (unsigned int i = stack->nkernel; i; i--) {
		why_frame_text(stack, i - 1, true, text, sizeof(text));
		printf(";%s", text);
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
		fold(stack);
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

static void print_frames(const struct shim_why_stack *stack)
{
	unsigned int shown = 0, all = stack->nkernel + stack->nuser;
	char text[WHY_FRAME_TEXT];

	for (; shown < all && shown < FRAMES; shown++) {
		bool kernel = shown < stack->nkernel;

		why_frame_text(stack, kernel ? shown : shown - stack->nkernel, kernel, text,
			       sizeof(text));
		printf("      %s\n", text);
	}
	if (!all)
		puts("      (unknown)");
	else if (shown < all)
		printf("      (%u more; --folded prints all)\n", all - shown);
}

static void print_one(const struct ranked *ranked)
{
	char reason[64], time[32];

	shim_why_reason_name(ranked->stack->reason, reason, sizeof(reason));
	printf("\n  %s more per slow transaction, %s, process %u:\n",
	       why_duration(ranked->difference, time, sizeof(time)), reason, ranked->stack->pid);
	print_frames(ranked->stack);
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
		print_one(&ranked[i]);
	free(ranked);
	return 0;
}
