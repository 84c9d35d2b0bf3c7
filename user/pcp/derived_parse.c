// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse a derived metric's expression into nodes, by operator precedence and with explicit stacks
 * (derived_stack.c).  This file determines which token may follow which.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "derived_parser.h"

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
 * colon, or the second one, which ends the ternary.
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

/* Returns 0 if an operand is complete, 1 if an operand must still follow, or an error. */
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
 * Read the part after a complete operand.  Returns 0 after an operator, which must be followed by
 * another operand; 1 after a closing parenthesis, after which the operand is complete again; 2 at
 * the end; or an error.
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
		shim_node__fini(&p.open[i].node);
	free(p.open);
	free(p.operands);
	if (err)
		shim_expr__fini(expr);
	return err;
}

void shim_expr__fini(struct shim_expr *expr)
{
	for (int i = 0; i < expr->n; i++)
		shim_node__fini(&expr->nodes[i]);
	free(expr->nodes);
	*expr = (struct shim_expr){ 0 };
}
