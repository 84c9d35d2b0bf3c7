// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Ternaries whose guard is known when an expression is bound: defined(), integers, and boolean
 * operators on these.  The unused side may name metrics that do not exist; it is neither bound, nor
 * checked, nor evaluated.
 */
#include <errno.h>
#include <stdlib.h>

#include "derived.h"

#define UNKNOWN (-1)

/* Operands precede their operators, so a node and everything below it are a range of nodes. */
static int first_of(const struct shim_expr *expr, int i)
{
	while (expr->nodes[i].left >= 0)
		i = expr->nodes[i].left;
	return i;
}

static void rule_out(struct shim_bound *b, int root)
{
	for (int i = first_of(b->expr, root); i <= root; i++)
		b->cells[i].ruled_out = true;
}

static int known_value(const struct shim_bound *b, int i, const signed char *known)
{
	const struct shim_node *node = &b->expr->nodes[i];
	int left, right;

	switch (node->kind) {
	case SHIM_NODE_INTEGER:
		return strtoull(node->text, NULL, 10) != 0;
	case SHIM_NODE_DEFINED:
		return b->cells[node->left].pmid != PM_ID_NULL;
	case SHIM_NODE_NOT:
		return known[node->left] == UNKNOWN ? UNKNOWN : !known[node->left];
	case SHIM_NODE_AND:
	case SHIM_NODE_OR:
		left = known[node->left];
		right = known[node->right];
		if (left == UNKNOWN || right == UNKNOWN)
			return UNKNOWN;
		return node->kind == SHIM_NODE_AND ? left && right : left || right;
	default:
		return UNKNOWN;
	}
}

/* A QUEST whose guard is known is replaced by the side that it selects. */
static void decide(struct shim_bound *b, int i, int guard)
{
	const struct shim_node *node = &b->expr->nodes[i];
	const struct shim_node *colon = &b->expr->nodes[node->right];

	rule_out(b, node->left);
	rule_out(b, guard ? colon->right : colon->left);
	b->cells[node->right].ruled_out = true;
	b->cells[i].taken = guard ? colon->left : colon->right;
}

int shim_bound__decide(struct shim_bound *b)
{
	signed char *known = malloc((size_t)b->expr->n);

	if (!known)
		return -ENOMEM;
	for (int i = 0; i < b->expr->n; i++) {
		const struct shim_node *node = &b->expr->nodes[i];

		known[i] = (signed char)known_value(b, i, known);
		if (node->kind == SHIM_NODE_QUEST && known[node->left] != UNKNOWN)
			decide(b, i, known[node->left]);
	}
	free(known);
	return 0;
}

bool shim_bound__in_ternary(const struct shim_bound *b, int i)
{
	for (int at = i + 1; at < b->expr->n; at++)
		if (b->expr->nodes[at].kind == SHIM_NODE_COLON && first_of(b->expr, at) <= i)
			return true;
	return false;
}
