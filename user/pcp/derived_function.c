// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parse function calls in expressions: functions of a metric's name and of an expression. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "derived_parser.h"

static int fail_in_function(struct shim_parser *p, enum shim_node_kind kind)
{
	char call[16];

	if (kind == SHIM_NODE_DEFINED)
		return shim_parser__fail(p);
	snprintf(call, sizeof(call), "%s(", shim_node__form(kind)->symbol);
	return shim_parser__fail_as(p, "Metric name", call);
}

/* Parse a function of one metric. */
static int metric_function(struct shim_parser *p)
{
	enum shim_node_kind kind = p->lex.kind;
	struct shim_node *operand;
	int err;

	shim_parser__next(p);	/* the parenthesis */
	shim_parser__next(p);
	if (p->token != SHIM_TOKEN_NAME)
		return fail_in_function(p, kind);
	err = shim_parser__emit_text(p, SHIM_NODE_NAME, 0);
	if (err)
		return err;
	operand = &p->expr->nodes[p->expr->n - 1];
	shim_parser__next(p);
	if (p->token != SHIM_TOKEN_CLOSE)
		return fail_in_function(p, kind);
	if (kind == SHIM_NODE_ANON)
		err = shim_parser__anonymous(p, operand);
	if (!err)
		err = shim_parser__emit_unary(p, shim_node__of(kind, 0, 0));
	if (!err)
		shim_parser__next(p);
	return err;
}

static int compile(struct shim_parser *p, struct shim_node *node)
{
	char message[128];
	int err;

	node->text = shim_lexer__unescaped(&p->lex);
	if (!node->text)
		return -ENOMEM;
	if (!shim_pattern__is_small(node->text))
		return shim_parser__fail_about(p, "bad regular expression:", "too large");
	node->pattern = malloc(sizeof(*node->pattern));
	if (!node->pattern)
		return -ENOMEM;
	err = regcomp(node->pattern, node->text, REG_EXTENDED | REG_NOSUB);
	if (!err)
		return 0;
	regerror(err, node->pattern, message, sizeof(message));
	free(node->pattern);
	node->pattern = NULL;
	if (err == REG_ESPACE)
		return -ENOMEM;
	return shim_parser__fail_about(p, "bad regular expression:", message);
}

/* Parse matchinst's first argument and the comma into @node, the node of an open operator. */
static int pattern(struct shim_parser *p, struct shim_node *node)
{
	int err;

	node->kind = SHIM_NODE_FILTER;
	node->by_pattern = true;
	p->lex.patterns = true;
	shim_parser__next(p);
	if (p->token == SHIM_TOKEN_NOT) {
		node->inverted = true;
		shim_parser__next(p);
	}
	p->lex.patterns = false;
	if (p->token != SHIM_TOKEN_PATTERN)
		return shim_parser__fail_as(p, "<filter>, <expr>)", "matchinst(");
	err = compile(p, node);
	if (err)
		return err;
	shim_parser__next(p);
	if (p->token != SHIM_TOKEN_COMMA)
		return shim_parser__fail_as(p, ", <expr>)", "matchinst(<filter>");
	return 0;
}

/* Parse a function of an expression up to the start of the expression.  Returns 1 or an error. */
static int expr_function(struct shim_parser *p)
{
	struct shim_open *o;
	int err = shim_parser__push(p, p->lex.kind, true, &o);

	if (err)
		return err;
	shim_parser__next(p);	/* the parenthesis */
	if (o->kind == SHIM_NODE_FILTER)
		err = pattern(p, &o->node);
	if (!err)
		shim_parser__next(p);
	return err ? err : 1;
}

/* Parse rescale's second argument. */
int shim_parser__rescale_to(struct shim_parser *p)
{
	struct shim_node node = shim_node__of(SHIM_NODE_RESCALE, 0, 0);
	char *text;
	int err = shim_parser__reduce(p, 0);

	if (err)
		return err;
	if (!shim_parser__innermost(p, SHIM_NODE_RESCALE))
		return shim_parser__fail(p);
	shim_parser__next(p);
	if (p->token != SHIM_TOKEN_STRING)
		return shim_parser__fail_as(p, "Units string", "rescale(<expr>,");
	text = shim_lexer__copy(&p->lex);
	if (!text)
		return -ENOMEM;
	shim_parser__next(p);
	err = p->token == SHIM_TOKEN_CLOSE
		      ? shim_parser__units(p, text, &node.desc.units)
		      : shim_parser__fail_as(p, "Units string", "rescale(<expr>,");
	free(text);
	if (err)
		return err;
	p->nopen--;
	shim_parser__next(p);
	err = shim_parser__emit_unary(p, node);
	return err ? err : 1;
}

/* Close a function.  Its node, which may contain a filter's pattern, is moved to the expression. */
int shim_parser__close_function(struct shim_parser *p, struct shim_open *o)
{
	struct shim_node node = o->node;

	node.kind = o->kind;
	p->nopen--;
	shim_parser__next(p);
	return shim_parser__emit_unary(p, node);
}

int shim_parser__function(struct shim_parser *p)
{
	bool of_metric = shim_node__form(p->lex.kind)->class == SHIM_CLASS_METRIC;

	return of_metric ? metric_function(p) : expr_function(p);
}
