// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The parser's stacks of open operators and of operands, which are reduced by precedence.  Also
 * determines the reason why a text is not an expression, which depends on the innermost open
 * operator.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "derived_parser.h"

#define ARITHMETIC "Arithmetic expression"
#define BOOLEAN "Boolean expression"

void shim_parser__next(struct shim_parser *p)
{
	p->token = shim_lexer__next(&p->lex);
}

/* An error of the lexer is the reason, because the parser's error is only its consequence. */
int shim_parser__fail_as(struct shim_parser *p, const char *phrase, const char *after)
{
	if (p->token == SHIM_TOKEN_BAD)
		snprintf(p->why, SHIM_EXPR_WHY, "%s", p->lex.why);
	else if (after)
		snprintf(p->why, SHIM_EXPR_WHY, "%s expected to follow %s", phrase, after);
	else
		snprintf(p->why, SHIM_EXPR_WHY, "%s", phrase);
	return -EINVAL;
}

int shim_parser__fail_about(struct shim_parser *p, const char *phrase, const char *what)
{
	snprintf(p->why, SHIM_EXPR_WHY, "%s '%s'", phrase, what);
	return -EINVAL;
}

/* Choose the reason by the innermost open operator; skip all parentheses except the initial one. */
int shim_parser__fail(struct shim_parser *p)
{
	for (int i = p->nopen - 1; i >= 0; i--) {
		const struct shim_open *o = &p->open[i];

		if (o->initial)
			return shim_parser__fail_as(p, "Unexpected initial '('", NULL);
		switch (o->kind) {
		case SHIM_NODE_KINDS:
			continue;
		case SHIM_NODE_RESCALE:
			return shim_parser__fail_as(p, SHIM_PARSER_OPERATOR, "rescale(");
		case SHIM_NODE_SCALAR:
			return shim_parser__fail_as(p, "<expr>", "scalar(");
		case SHIM_NODE_DELTA:
			return shim_parser__fail_as(p, "<expr>", "delta(");
		case SHIM_NODE_RATE:
			return shim_parser__fail_as(p, "<expr>", "rate(");
		case SHIM_NODE_INSTANT:
			return shim_parser__fail_as(p, "Metric name", "instant(");
		case SHIM_NODE_FILTER:
			return shim_parser__fail_as(p, "<expr>)", "matchinst(<filter>,");
		case SHIM_NODE_AND:
		case SHIM_NODE_OR:
		case SHIM_NODE_NOT:
			return shim_parser__fail_as(p, BOOLEAN, shim_node__form(o->kind)->name);
		default:
			return shim_parser__fail_as(p, ARITHMETIC, shim_node__form(o->kind)->name);
		}
	}
	return shim_parser__fail_as(p, "", NULL);
}

void shim_node__fini(struct shim_node *node)
{
	free(node->text);
	free(node->meta);
	if (node->pattern) {
		regfree(node->pattern);
		free(node->pattern);
	}
}

static const pmDesc plain = { .pmid = PM_ID_NULL, .indom = PM_INDOM_NULL, .sem = PM_SEM_DISCRETE };

/* The expression owns the node on success; otherwise it is freed. */
int shim_parser__emit(struct shim_parser *p, struct shim_node node)
{
	struct shim_expr *expr = p->expr;

	if (shim_vec__room(expr->nodes, &expr->room, expr->n) ||
	    shim_vec__room(p->operands, &p->operands_room, p->noperands)) {
		shim_node__fini(&node);
		return -ENOMEM;
	}
	p->operands[p->noperands++] = expr->n;
	expr->nodes[expr->n++] = node;
	return 0;
}

struct shim_node shim_node__of(enum shim_node_kind kind, int left, int right)
{
	return (struct shim_node){ .kind = kind, .left = left, .right = right };
}

static int pop(struct shim_parser *p)
{
	return p->operands[--p->noperands];
}

int shim_parser__emit_unary(struct shim_parser *p, struct shim_node node)
{
	node.left = pop(p);
	node.right = SHIM_NODE_NONE;
	return shim_parser__emit(p, node);
}

static int emit_binary(struct shim_parser *p, enum shim_node_kind kind)
{
	int right = pop(p), left = pop(p);

	return shim_parser__emit(p, shim_node__of(kind, left, right));
}

int shim_parser__emit_text(struct shim_parser *p, enum shim_node_kind kind, int type)
{
	struct shim_node node = shim_node__of(kind, SHIM_NODE_NONE, SHIM_NODE_NONE);

	node.text = shim_lexer__copy(&p->lex);
	if (!node.text)
		return -ENOMEM;
	node.desc = plain;
	node.desc.type = type;
	return shim_parser__emit(p, node);
}

int shim_parser__push(struct shim_parser *p, enum shim_node_kind kind, bool barrier,
		      struct shim_open **out)
{
	if (p->nopen == SHIM_EXPR_OPEN)
		return -E2BIG;
	if (shim_vec__room(p->open, &p->open_room, p->nopen))
		return -ENOMEM;
	*out = &p->open[p->nopen++];
	**out = (struct shim_open){ .kind = kind, .barrier = barrier };
	return 0;
}

/* Close the topmost operator, whose operands are complete. */
static int reduce(struct shim_parser *p)
{
	enum shim_node_kind kind = p->open[--p->nopen].kind;
	int err;

	switch (kind) {
	case SHIM_NODE_NEG:
	case SHIM_NODE_NOT:
		return shim_parser__emit_unary(p, shim_node__of(kind, 0, 0));
	case SHIM_NODE_COLON:
		err = emit_binary(p, SHIM_NODE_COLON);
		return err ? err : emit_binary(p, SHIM_NODE_QUEST);
	default:
		return emit_binary(p, kind);
	}
}

/*
 * Close operators of at least this precedence.  That includes equal precedence, because all are
 * left-associative.
 */
int shim_parser__reduce(struct shim_parser *p, int precedence)
{
	int err = 0;

	while (!err && p->nopen && !p->open[p->nopen - 1].barrier &&
	       shim_node__form(p->open[p->nopen - 1].kind)->precedence >= precedence)
		err = reduce(p);
	return err;
}

struct shim_open *shim_parser__innermost(struct shim_parser *p, enum shim_node_kind kind)
{
	struct shim_open *o = p->nopen ? &p->open[p->nopen - 1] : NULL;

	return o && o->kind == kind ? o : NULL;
}
