// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse a derived metric's expression into nodes, by operator precedence, with explicit stacks of
 * open operators and of operands.  This file also determines which token may follow which, and the
 * reason why a text is not an expression, which depends on the innermost open operator.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "derived_expr.h"

#define ARITHMETIC "Arithmetic expression"
#define BOOLEAN "Boolean expression"

void shim_parser__next(struct shim_parser *p)
{
	p->token = shim_lexer__next(&p->lex);
}

/* An error found by the lexer takes precedence, because it causes the parser's error. */
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

/*
 * Choose the reason by the innermost open operator.  Skip all parentheses except the initial one.
 */
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

static void node_fini(struct shim_node *node)
{
	free(node->text);
	free(node->meta);
	if (node->pattern) {
		regfree(node->pattern);
		free(node->pattern);
	}
}

static const pmDesc plain = { .pmid = PM_ID_NULL, .indom = PM_INDOM_NULL, .sem = PM_SEM_DISCRETE };

/* Append a node.  On success the expression owns the node; otherwise the node is freed. */
static int parser_emit(struct shim_parser *p, struct shim_node node)
{
	struct shim_expr *expr = p->expr;

	if (shim_vec__room(expr->nodes, &expr->room, expr->n) ||
	    shim_vec__room(p->operands, &p->operands_room, p->noperands)) {
		node_fini(&node);
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
	return parser_emit(p, node);
}

static int emit_binary(struct shim_parser *p, enum shim_node_kind kind)
{
	int right = pop(p), left = pop(p);

	return parser_emit(p, shim_node__of(kind, left, right));
}

int shim_parser__emit_text(struct shim_parser *p, enum shim_node_kind kind, int type)
{
	struct shim_node node = shim_node__of(kind, SHIM_NODE_NONE, SHIM_NODE_NONE);

	node.text = shim_lexer__copy(&p->lex);
	if (!node.text)
		return -ENOMEM;
	node.desc = plain;
	node.desc.type = type;
	return parser_emit(p, node);
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
 * Close operators with this or a higher precedence.  Equal precedence is included because all
 * operators are left-associative.
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

static int emit_exact(struct shim_parser *p)
{
	struct shim_node node = shim_node__of(SHIM_NODE_FILTER, 0, 0);
	int err;

	node.text = shim_lexer__unescaped(&p->lex);
	if (!node.text)
		return -ENOMEM;
	err = shim_parser__emit_unary(p, node);
	shim_parser__next(p);
	return err;
}

/* Fail at a token that cannot begin an expression or follow a complete one. */
static int unexpected(struct shim_parser *p, const char *phrase)
{
	char what[4];

	snprintf(what, sizeof(what), "%.*s", (int)(p->lex.at - p->lex.start), p->lex.start);
	shim_parser__next(p);
	return p->token == SHIM_TOKEN_BAD ? shim_parser__fail(p)
					  : shim_parser__fail_about(p, phrase, what);
}

static int no_operand(struct shim_parser *p)
{
	if (p->nopen || p->noperands)
		return shim_parser__fail(p);
	switch (p->token) {
	case SHIM_TOKEN_OPERATOR:
	case SHIM_TOKEN_CLOSE:
	case SHIM_TOKEN_QUEST:
	case SHIM_TOKEN_COLON:
		return unexpected(p, "Unexpected initial");
	default:
		return shim_parser__fail(p);
	}
}

static int prefix(struct shim_parser *p, enum shim_node_kind kind)
{
	bool first = !p->nopen && !p->noperands;
	struct shim_open *o;
	int err = shim_parser__push(p, kind, kind == SHIM_NODE_KINDS, &o);

	if (err)
		return err;
	o->initial = first && kind == SHIM_NODE_KINDS;
	shim_parser__next(p);
	return 1;
}

static bool may_follow_name(enum shim_token token)
{
	switch (token) {
	case SHIM_TOKEN_END:
	case SHIM_TOKEN_OPERATOR:
	case SHIM_TOKEN_QUEST:
	case SHIM_TOKEN_COLON:
	case SHIM_TOKEN_OPEN:
	case SHIM_TOKEN_CLOSE:
	case SHIM_TOKEN_COMMA:
		return true;
	default:
		return false;
	}
}

static int metric_name(struct shim_parser *p)
{
	int err = shim_parser__emit_text(p, SHIM_NODE_NAME, 0);

	if (err)
		return err;
	shim_parser__next(p);
	if (p->token == SHIM_TOKEN_INSTANCE)
		return emit_exact(p);
	return may_follow_name(p->token) ? 0
					 : shim_parser__fail_as(p, SHIM_PARSER_OPERATOR, "NAME");
}

static int parse_number(struct shim_parser *p, enum shim_node_kind kind, int type)
{
	int err = shim_parser__emit_text(p, kind, type);

	if (!err)
		shim_parser__next(p);
	return err;
}

/*
 * novalue() must be one complete side of a ternary: the first side, which must be followed by the
 * colon, or the second side, which ends the ternary.
 */
static int no_value(struct shim_parser *p)
{
	bool first = shim_parser__innermost(p, SHIM_NODE_QUEST) != NULL;
	int err;

	if (!first && !shim_parser__innermost(p, SHIM_NODE_COLON))
		return no_operand(p);
	err = shim_parser__no_value(p);
	if (err || !first)
		return err ? err : shim_parser__reduce(p, shim_node__form(SHIM_NODE_COLON)->precedence);
	return p->token == SHIM_TOKEN_COLON ? 0 : shim_parser__fail(p);
}

/* Parse an operand.  Return 0 if it is complete, 1 if an operand must still follow, or an error. */
static int operand(struct shim_parser *p)
{
	switch (p->token) {
	case SHIM_TOKEN_INTEGER:
		return parse_number(p, SHIM_NODE_INTEGER, PM_TYPE_U32);
	case SHIM_TOKEN_DOUBLE:
		return parse_number(p, SHIM_NODE_DOUBLE, PM_TYPE_DOUBLE);
	case SHIM_TOKEN_NAME:
		return metric_name(p);
	case SHIM_TOKEN_MKCONST:
		return shim_parser__constant(p);
	case SHIM_TOKEN_NOVALUE:
		return no_value(p);
	case SHIM_TOKEN_FUNCTION:
		return shim_parser__function(p);
	case SHIM_TOKEN_OPEN:
		return prefix(p, SHIM_NODE_KINDS);
	case SHIM_TOKEN_NOT:
		return prefix(p, SHIM_NODE_NOT);
	case SHIM_TOKEN_OPERATOR:
		if (p->lex.kind == SHIM_NODE_MINUS)
			return prefix(p, SHIM_NODE_NEG);
		break;
	default:
		break;
	}
	return no_operand(p);
}

static int infix(struct shim_parser *p)
{
	enum shim_node_kind kind = p->lex.kind;
	struct shim_open *o;
	int err = shim_parser__reduce(p, shim_node__form(kind)->precedence);

	if (!err)
		err = shim_parser__push(p, kind, kind == SHIM_NODE_QUEST, &o);
	if (!err)
		shim_parser__next(p);
	return err;
}

static int colon(struct shim_parser *p)
{
	struct shim_open *o;
	int err = shim_parser__reduce(p, 0);

	if (err)
		return err;
	o = shim_parser__innermost(p, SHIM_NODE_QUEST);
	if (!o)
		return shim_parser__fail(p);
	o->kind = SHIM_NODE_COLON;
	o->barrier = false;
	shim_parser__next(p);
	return 0;
}

static int close_one(struct shim_parser *p)
{
	int err = shim_parser__reduce(p, 0);
	struct shim_open *o;

	if (err)
		return err;
	if (!p->nopen)
		return unexpected(p, "Unexpected");
	o = &p->open[p->nopen - 1];
	switch (o->kind) {
	case SHIM_NODE_KINDS:
		p->nopen--;
		shim_parser__next(p);
		if (p->token == SHIM_TOKEN_INSTANCE)
			err = emit_exact(p);
		break;
	case SHIM_NODE_SCALAR:
	case SHIM_NODE_FILTER:
	case SHIM_NODE_DELTA:
	case SHIM_NODE_RATE:
	case SHIM_NODE_INSTANT:
		err = shim_parser__close_function(p, o);
		break;
	default:
		err = shim_parser__fail(p);
	}
	return err ? err : 1;
}

/*
 * Read the token after a complete operand.  Return 0 for an operator, which requires another
 * operand; 1 for a closing parenthesis, which completes an operand; 2 for the end; or an error.
 */
static int after_operand(struct shim_parser *p)
{
	int err;

	switch (p->token) {
	case SHIM_TOKEN_OPERATOR:
	case SHIM_TOKEN_QUEST:
		return infix(p);
	case SHIM_TOKEN_COLON:
		return colon(p);
	case SHIM_TOKEN_COMMA:
		return shim_parser__rescale_to(p);
	case SHIM_TOKEN_CLOSE:
		return close_one(p);
	default:
		break;
	}
	err = shim_parser__reduce(p, 0);
	if (err)
		return err;
	if (!p->nopen && p->token == SHIM_TOKEN_END)
		return 2;
	if (!p->nopen && p->token == SHIM_TOKEN_OPEN)
		return unexpected(p, "Unexpected");
	return shim_parser__fail(p);
}

static int whole(struct shim_parser *p)
{
	int state;

	shim_parser__next(p);
	do {
		do
			state = operand(p);
		while (state == 1);
		if (state < 0)
			return state;
		do
			state = after_operand(p);
		while (state == 1);
	} while (!state);
	return state < 0 ? state : 0;
}

int shim_expr__parse(struct shim_expr *expr, const char *text, const char **at,
		     char why[static SHIM_EXPR_WHY])
{
	struct shim_parser p = { .expr = expr, .why = why };
	int err;

	*expr = (struct shim_expr){ 0 };
	*why = '\0';
	shim_lexer__init(&p.lex, text);
	err = whole(&p);
	*at = p.lex.start;
	for (int i = 0; i < p.nopen; i++)
		node_fini(&p.open[i].node);
	free(p.open);
	free(p.operands);
	if (err)
		shim_expr__fini(expr);
	return err;
}

void shim_expr__fini(struct shim_expr *expr)
{
	for (int i = 0; i < expr->n; i++)
		node_fini(&expr->nodes[i]);
	free(expr->nodes);
	*expr = (struct shim_expr){ 0 };
}
