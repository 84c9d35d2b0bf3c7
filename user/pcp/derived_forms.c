// SPDX-License-Identifier: LGPL-2.1-or-later
/* The kinds of nodes in a derived metric's expression: words, symbols and precedence. */
#include "derived_expr.h"

#define PRECEDENCE_TERNARY 1

static const struct shim_node_form forms[SHIM_NODE_KINDS] = {
	[SHIM_NODE_INTEGER] = { SHIM_CLASS_LEAF, "INTEGER", NULL, 0 },
	[SHIM_NODE_DOUBLE] = { SHIM_CLASS_LEAF, "DOUBLE", NULL, 0 },
	[SHIM_NODE_NAME] = { SHIM_CLASS_LEAF, "NAME", NULL, 0 },
	[SHIM_NODE_NOVALUE] = { SHIM_CLASS_LEAF, "NOVALUE", NULL, 0 },
	[SHIM_NODE_QUEST] = { SHIM_CLASS_OTHER, "QUEST", "?", PRECEDENCE_TERNARY },
	[SHIM_NODE_COLON] = { SHIM_CLASS_OTHER, "COLON", ":", PRECEDENCE_TERNARY },
	[SHIM_NODE_AND] = { SHIM_CLASS_BOOLEAN, "AND", "&&", 2 },
	[SHIM_NODE_OR] = { SHIM_CLASS_BOOLEAN, "OR", "||", 2 },
	[SHIM_NODE_NOT] = { SHIM_CLASS_OTHER, "NOT", "!", 3 },
	[SHIM_NODE_LT] = { SHIM_CLASS_RELATIONAL, "LT", "<", 4 },
	[SHIM_NODE_LEQ] = { SHIM_CLASS_RELATIONAL, "LEQ", "<=", 4 },
	[SHIM_NODE_EQ] = { SHIM_CLASS_RELATIONAL, "EQ", "==", 4 },
	[SHIM_NODE_GEQ] = { SHIM_CLASS_RELATIONAL, "GEQ", ">=", 4 },
	[SHIM_NODE_GT] = { SHIM_CLASS_RELATIONAL, "GT", ">", 4 },
	[SHIM_NODE_NEQ] = { SHIM_CLASS_RELATIONAL, "NEQ", "!=", 4 },
	[SHIM_NODE_PLUS] = { SHIM_CLASS_ARITHMETIC, "PLUS", "+", 5 },
	[SHIM_NODE_MINUS] = { SHIM_CLASS_ARITHMETIC, "MINUS", "-", 5 },
	[SHIM_NODE_NEG] = { SHIM_CLASS_OTHER, "NEG", "-", 5 },
	[SHIM_NODE_STAR] = { SHIM_CLASS_ARITHMETIC, "STAR", "*", 6 },
	[SHIM_NODE_SLASH] = { SHIM_CLASS_ARITHMETIC, "SLASH", "/", 6 },
	[SHIM_NODE_AVG] = { SHIM_CLASS_METRIC, "AVG", "avg", 0 },
	[SHIM_NODE_COUNT] = { SHIM_CLASS_METRIC, "COUNT", "count", 0 },
	[SHIM_NODE_DELTA] = { SHIM_CLASS_EXPR, "DELTA", "delta", 0 },
	[SHIM_NODE_MAX] = { SHIM_CLASS_METRIC, "MAX", "max", 0 },
	[SHIM_NODE_MIN] = { SHIM_CLASS_METRIC, "MIN", "min", 0 },
	[SHIM_NODE_SUM] = { SHIM_CLASS_METRIC, "SUM", "sum", 0 },
	[SHIM_NODE_ANON] = { SHIM_CLASS_METRIC, "ANON", "anon", 0 },
	[SHIM_NODE_RATE] = { SHIM_CLASS_EXPR, "RATE", "rate", 0 },
	[SHIM_NODE_INSTANT] = { SHIM_CLASS_EXPR, "INSTANT", "instant", 0 },
	[SHIM_NODE_DEFINED] = { SHIM_CLASS_METRIC, "DEFINED", "defined", 0 },
	[SHIM_NODE_RESCALE] = { SHIM_CLASS_EXPR, "RESCALE", "rescale", 0 },
	[SHIM_NODE_FILTER] = { SHIM_CLASS_EXPR, "FILTERINST", "matchinst", 0 },
	[SHIM_NODE_SCALAR] = { SHIM_CLASS_EXPR, "SCALAR", "scalar", 0 },
};

const struct shim_node_form *shim_node__form(enum shim_node_kind kind)
{
	return &forms[kind];
}
