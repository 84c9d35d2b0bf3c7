// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From a derived metric's expression to its nodes: by precedence, with a stack of its own.
 *
 * What is on the stack of open operators also says why a text is no expression: the reason is the
 * innermost one's.
 */
#define _GNU_SOURCE	/* reallocarray */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "derived_expr.h"

#define ARITHMETIC "Arithmetic expression"
#define BOOLEAN "Boolean expression"
#define OPERATOR "Arithmetic or relational or boolean operator"

/* The types of constants, by their names in mkconst() and anon() */
static const struct {
	const char *name;
	int type;
} types[] = {
	{ "32", PM_TYPE_32 },
	{ "U32", PM_TYPE_U32 },
	{ "64", PM_TYPE_64 },
	{ "U64", PM_TYPE_U64 },
	{ "FLOAT", PM_TYPE_FLOAT },
	{ "DOUBLE", PM_TYPE_DOUBLE },
};

#define ANON_PREFIX "PM_TYPE_"

/*
 * struct open - an operator or a parenthesis whose last operand is not complete
 * @kind: of the node; of a parenthesis SHIM_NODE_KINDS
 * @barrier: what is inside does not combine with what is outside: a parenthesis, a function, and
 *	a QUEST that waits for its COLON
 * @initial: a parenthesis at the very beginning
 * @node: of a filter
 */
struct open {
	enum shim_node_kind kind;
	bool barrier;
	bool initial;
	struct shim_node node;
};

/*
 * struct parser - what has been read, and what is to come
 * @token: the next token
 * @open: what waits for an operand
 * @operands: positions of nodes that wait for an operator
 */
struct parser {
	struct shim_lexer lex;
	enum shim_token token;
	struct shim_expr *expr;
	struct open *open;
	int nopen, open_room;
	int *operands;
	int noperands, operands_room;
	char *why;
};

static void next(struct parser *p)
{
	p->token = shim_lexer__next(&p->lex);
}

/* What the lexer found goes before what follows from it */
static int fail_as(struct parser *p, const char *phrase, const char *after)
{
	if (p->token == SHIM_TOKEN_BAD)
		snprintf(p->why, SHIM_EXPR_WHY, "%s", p->lex.why);
	else if (after)
		snprintf(p->why, SHIM_EXPR_WHY, "%s expected to follow %s", phrase, after);
	else
		snprintf(p->why, SHIM_EXPR_WHY, "%s", phrase);
	return -EINVAL;
}

static int fail_about(struct parser *p, const char *phrase, const char *what)
{
	snprintf(p->why, SHIM_EXPR_WHY, "%s '%s'", phrase, what);
	return -EINVAL;
}

/* By what is open; a plain parenthesis but the first one says nothing */
static int fail(struct parser *p)
{
	for (int i = p->nopen - 1; i >= 0; i--) {
		const struct open *o = &p->open[i];

		if (o->initial)
			return fail_as(p, "Unexpected initial '('", NULL);
		switch (o->kind) {
		case SHIM_NODE_KINDS:
			continue;
		case SHIM_NODE_RESCALE:
			return fail_as(p, OPERATOR, "rescale(");
		case SHIM_NODE_SCALAR:
			return fail_as(p, "<expr>", "scalar(");
		case SHIM_NODE_FILTER:
			return fail_as(p, "<expr>)", "matchinst(<filter>,");
		case SHIM_NODE_AND:
		case SHIM_NODE_OR:
		case SHIM_NODE_NOT:
			return fail_as(p, BOOLEAN, shim_node__form(o->kind)->name);
		default:
			return fail_as(p, ARITHMETIC, shim_node__form(o->kind)->name);
		}
	}
	return fail_as(p, "", NULL);
}

static void node_fini(struct shim_node *node)
{
	free(node->text);
	if (node->pattern) {
		regfree(node->pattern);
		free(node->pattern);
	}
}

/* The node is the expression's, or gone */
static int emit(struct parser *p, struct shim_node node)
{
	struct shim_expr *expr = p->expr;

	if (expr->n == expr->room) {
		int room = expr->room ? expr->room * 2 : 8;
		struct shim_node *nodes = reallocarray(expr->nodes, room, sizeof(*nodes));

		if (!nodes) {
			node_fini(&node);
			return -ENOMEM;
		}
		expr->nodes = nodes;
		expr->room = room;
	}
	if (p->noperands == p->operands_room) {
		int room = p->operands_room ? p->operands_room * 2 : 8;
		int *operands = reallocarray(p->operands, room, sizeof(*operands));

		if (!operands) {
			node_fini(&node);
			return -ENOMEM;
		}
		p->operands = operands;
		p->operands_room = room;
	}
	p->operands[p->noperands++] = expr->n;
	expr->nodes[expr->n++] = node;
	return 0;
}

static struct shim_node node_of(enum shim_node_kind kind, int left, int right)
{
	return (struct shim_node){ .kind = kind, .left = left, .right = right };
}

static int pop(struct parser *p)
{
	return p->operands[--p->noperands];
}

static int emit_unary(struct parser *p, struct shim_node node)
{
	node.left = pop(p);
	node.right = SHIM_NODE_NONE;
	return emit(p, node);
}

static int emit_binary(struct parser *p, enum shim_node_kind kind)
{
	int right = pop(p), left = pop(p);

	return emit(p, node_of(kind, left, right));
}

static int push(struct parser *p, enum shim_node_kind kind, bool barrier, struct open **out)
{
	if (p->nopen == SHIM_EXPR_OPEN)
		return -E2BIG;
	if (p->nopen == p->open_room) {
		int room = p->open_room ? p->open_room * 2 : 8;
		struct open *open = reallocarray(p->open, room, sizeof(*open));

		if (!open)
			return -ENOMEM;
		p->open = open;
		p->open_room = room;
	}
	*out = &p->open[p->nopen++];
	**out = (struct open){ .kind = kind, .barrier = barrier };
	return 0;
}

/* The topmost operator has its operands. */
static int reduce(struct parser *p)
{
	enum shim_node_kind kind = p->open[--p->nopen].kind;
	int err;

	switch (kind) {
	case SHIM_NODE_NEG:
	case SHIM_NODE_NOT:
		return emit_unary(p, node_of(kind, 0, 0));
	case SHIM_NODE_COLON:
		err = emit_binary(p, SHIM_NODE_COLON);
		return err ? err : emit_binary(p, SHIM_NODE_QUEST);
	default:
		return emit_binary(p, kind);
	}
}

/* All that bind no less than an operator of that precedence: each is left-associative */
static int reduce_all(struct parser *p, int precedence)
{
	int err = 0;

	while (!err && p->nopen && !p->open[p->nopen - 1].barrier &&
	       shim_node__form(p->open[p->nopen - 1].kind)->precedence >= precedence)
		err = reduce(p);
	return err;
}

static const pmDesc plain = { .pmid = PM_ID_NULL, .indom = PM_INDOM_NULL, .sem = PM_SEM_DISCRETE };

static int emit_text(struct parser *p, enum shim_node_kind kind, int type)
{
	struct shim_node node = node_of(kind, SHIM_NODE_NONE, SHIM_NODE_NONE);

	node.text = shim_lexer__copy(&p->lex);
	if (!node.text)
		return -ENOMEM;
	node.desc = plain;
	node.desc.type = type;
	return emit(p, node);
}

static int emit_exact(struct parser *p)
{
	struct shim_node node = node_of(SHIM_NODE_FILTER, 0, 0);
	int err;

	node.text = shim_lexer__unescaped(&p->lex);
	if (!node.text)
		return -ENOMEM;
	err = emit_unary(p, node);
	next(p);
	return err;
}

/* A constant of any type, semantics and units: mkconst(number, tag=value, ...) */
static int set_type(struct parser *p, struct shim_node *node, const char *value)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!strcasecmp(value, types[i].name)) {
			node->desc.type = types[i].type;
			return 0;
		}
	}
	return fail_about(p, "Unrecognized value for type", value);
}

static int set_semantics(struct parser *p, struct shim_node *node, const char *value)
{
	static const struct {
		const char *name;
		int sem;
	} semantics[] = {
		{ "counter", PM_SEM_COUNTER },
		{ "instant", PM_SEM_INSTANT },
		{ "discrete", PM_SEM_DISCRETE },
	};

	for (size_t i = 0; i < sizeof(semantics) / sizeof(semantics[0]); i++) {
		if (!strcasecmp(value, semantics[i].name)) {
			node->desc.sem = semantics[i].sem;
			return 0;
		}
	}
	return fail_about(p, "Unrecognized value for semantics", value);
}

static int parse_units(struct parser *p, const char *value, pmUnits *units)
{
	char *message = NULL;
	double multiplier;
	int err = 0;

	if (pmParseUnitsStr(value, units, &multiplier, &message) < 0) {
		err = fail_about(p, "Illegal units:", message ? message : "");
		free(message);
	}
	return err;
}

static int set_units(struct parser *p, struct shim_node *node, const char *value)
{
	return parse_units(p, value, &node->desc.units);
}

static const struct {
	enum shim_token token;
	int (*set)(struct parser *p, struct shim_node *node, const char *value);
} tags[] = {
	{ SHIM_TOKEN_TYPE, set_type },
	{ SHIM_TOKEN_SEMANTICS, set_semantics },
	{ SHIM_TOKEN_UNITS, set_units },
};

static int tagged(struct parser *p, struct shim_node *node)
{
	size_t i = 0;
	char *value;
	int err;

	while (i < sizeof(tags) / sizeof(tags[0]) && tags[i].token != p->token)
		i++;
	if (i == sizeof(tags) / sizeof(tags[0]))
		return fail(p);
	next(p);
	if (p->token != SHIM_TOKEN_ASSIGN)
		return fail(p);
	next(p);
	if (p->token != SHIM_TOKEN_STRING && p->token != SHIM_TOKEN_NAME &&
	    p->token != SHIM_TOKEN_INTEGER)
		return fail(p);
	value = shim_lexer__copy(&p->lex);
	if (!value)
		return -ENOMEM;
	err = tags[i].set(p, node, value);
	free(value);
	if (!err)
		next(p);
	return err;
}

/* After the number, up to the last parenthesis */
static int tag_list(struct parser *p, struct shim_node *node)
{
	char type[20];
	int err;

	do {
		if (p->token != SHIM_TOKEN_COMMA)
			return fail(p);
		next(p);
		err = tagged(p, node);
	} while (!err && p->token != SHIM_TOKEN_CLOSE);
	if (!err && node->kind == SHIM_NODE_DOUBLE && node->desc.type != PM_TYPE_DOUBLE &&
	    node->desc.type != PM_TYPE_FLOAT)
		err = fail_about(p, "Incompatible floating point constant and type",
				 pmTypeStr_r(node->desc.type, type, sizeof(type)));
	return err;
}

static int constant(struct parser *p)
{
	int err;

	next(p);	/* the parenthesis */
	next(p);
	if (p->token == SHIM_TOKEN_INTEGER)
		err = emit_text(p, SHIM_NODE_INTEGER, PM_TYPE_U32);
	else if (p->token == SHIM_TOKEN_DOUBLE)
		err = emit_text(p, SHIM_NODE_DOUBLE, PM_TYPE_DOUBLE);
	else
		err = fail(p);
	if (err)
		return err;
	next(p);
	err = tag_list(p, &p->expr->nodes[p->expr->n - 1]);
	if (!err)
		next(p);
	return err;
}

static int anonymous(struct parser *p, struct shim_node *node)
{
	const char *type = node->text + strlen(ANON_PREFIX);

	if (!strncmp(node->text, ANON_PREFIX, strlen(ANON_PREFIX))) {
		for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
			if (!strcmp(type, types[i].name)) {
				node->kind = SHIM_NODE_INTEGER;
				node->desc.type = types[i].type;
				return 0;
			}
		}
	}
	return fail_about(p, "Not a type for anon():", node->text);
}

static int fail_in_function(struct parser *p, enum shim_node_kind kind)
{
	char call[16];

	if (kind == SHIM_NODE_DEFINED)
		return fail(p);
	snprintf(call, sizeof(call), "%s(", shim_node__form(kind)->symbol);
	return fail_as(p, "Metric name", call);
}

/* A function of one metric */
static int metric_function(struct parser *p)
{
	enum shim_node_kind kind = p->lex.kind;
	struct shim_node *operand;
	int err;

	next(p);	/* the parenthesis */
	next(p);
	if (p->token != SHIM_TOKEN_NAME)
		return fail_in_function(p, kind);
	err = emit_text(p, SHIM_NODE_NAME, 0);
	if (err)
		return err;
	operand = &p->expr->nodes[p->expr->n - 1];
	operand->keeps_last = kind == SHIM_NODE_DELTA || kind == SHIM_NODE_RATE;
	next(p);
	if (p->token != SHIM_TOKEN_CLOSE)
		return fail_in_function(p, kind);
	if (kind == SHIM_NODE_ANON)
		err = anonymous(p, operand);
	if (!err)
		err = emit_unary(p, node_of(kind, 0, 0));
	if (!err)
		next(p);
	return err;
}

static int compile(struct parser *p, struct shim_node *node)
{
	char message[128];
	int err;

	node->text = shim_lexer__unescaped(&p->lex);
	node->pattern = malloc(sizeof(*node->pattern));
	if (!node->text || !node->pattern) {
		free(node->pattern);
		node->pattern = NULL;
		return -ENOMEM;
	}
	err = regcomp(node->pattern, node->text, REG_EXTENDED | REG_NOSUB);
	if (!err)
		return 0;
	regerror(err, node->pattern, message, sizeof(message));
	free(node->pattern);
	node->pattern = NULL;
	return fail_about(p, "bad regular expression:", message);
}

/* matchinst's first argument, and the comma; the node is in an operator that is open */
static int pattern(struct parser *p, struct shim_node *node)
{
	int err;

	node->kind = SHIM_NODE_FILTER;
	node->by_pattern = true;
	p->lex.patterns = true;
	next(p);
	if (p->token == SHIM_TOKEN_NOT) {
		node->inverted = true;
		next(p);
	}
	p->lex.patterns = false;
	if (p->token != SHIM_TOKEN_PATTERN)
		return fail_as(p, "<filter>, <expr>)", "matchinst(");
	err = compile(p, node);
	if (err)
		return err;
	next(p);
	if (p->token != SHIM_TOKEN_COMMA)
		return fail_as(p, ", <expr>)", "matchinst(<filter>");
	return 0;
}

/* A function of an expression, as far as that begins */
static int expr_function(struct parser *p)
{
	struct open *o;
	int err = push(p, p->lex.kind, true, &o);

	if (err)
		return err;
	next(p);	/* the parenthesis */
	if (o->kind == SHIM_NODE_FILTER)
		err = pattern(p, &o->node);
	if (!err)
		next(p);
	return err ? err : 1;
}

/* Nothing has been read yet but this token, or one that cannot follow a whole expression */
static int unexpected(struct parser *p, const char *phrase)
{
	char what[4];

	snprintf(what, sizeof(what), "%.*s", (int)(p->lex.at - p->lex.start), p->lex.start);
	next(p);
	return p->token == SHIM_TOKEN_BAD ? fail(p) : fail_about(p, phrase, what);
}

static int no_operand(struct parser *p)
{
	if (p->nopen || p->noperands)
		return fail(p);
	switch (p->token) {
	case SHIM_TOKEN_OPERATOR:
	case SHIM_TOKEN_CLOSE:
	case SHIM_TOKEN_QUEST:
	case SHIM_TOKEN_COLON:
		return unexpected(p, "Unexpected initial");
	default:
		return fail(p);
	}
}

static int prefix(struct parser *p, enum shim_node_kind kind)
{
	bool first = !p->nopen && !p->noperands;
	struct open *o;
	int err = push(p, kind, kind == SHIM_NODE_KINDS, &o);

	if (err)
		return err;
	o->initial = first && kind == SHIM_NODE_KINDS;
	next(p);
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

static int metric_name(struct parser *p)
{
	int err = emit_text(p, SHIM_NODE_NAME, 0);

	if (err)
		return err;
	next(p);
	if (p->token == SHIM_TOKEN_INSTANCE)
		return emit_exact(p);
	return may_follow_name(p->token) ? 0 : fail_as(p, OPERATOR, "NAME");
}

static int number(struct parser *p, enum shim_node_kind kind, int type)
{
	int err = emit_text(p, kind, type);

	if (!err)
		next(p);
	return err;
}

/* 0: there is one; 1: something that has yet to get it */
static int operand(struct parser *p)
{
	switch (p->token) {
	case SHIM_TOKEN_INTEGER:
		return number(p, SHIM_NODE_INTEGER, PM_TYPE_U32);
	case SHIM_TOKEN_DOUBLE:
		return number(p, SHIM_NODE_DOUBLE, PM_TYPE_DOUBLE);
	case SHIM_TOKEN_NAME:
		return metric_name(p);
	case SHIM_TOKEN_MKCONST:
		return constant(p);
	case SHIM_TOKEN_FUNCTION:
		return shim_node__form(p->lex.kind)->class == SHIM_CLASS_METRIC ? metric_function(p) :
								       expr_function(p);
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

static int infix(struct parser *p)
{
	enum shim_node_kind kind = p->lex.kind;
	struct open *o;
	int err = reduce_all(p, shim_node__form(kind)->precedence);

	if (!err)
		err = push(p, kind, kind == SHIM_NODE_QUEST, &o);
	if (!err)
		next(p);
	return err;
}

static struct open *innermost(struct parser *p, enum shim_node_kind kind)
{
	struct open *o = p->nopen ? &p->open[p->nopen - 1] : NULL;

	return o && o->kind == kind ? o : NULL;
}

static int colon(struct parser *p)
{
	struct open *o;
	int err = reduce_all(p, 0);

	if (err)
		return err;
	o = innermost(p, SHIM_NODE_QUEST);
	if (!o)
		return fail(p);
	o->kind = SHIM_NODE_COLON;
	o->barrier = false;
	next(p);
	return 0;
}

/* rescale's second argument */
static int comma(struct parser *p)
{
	struct shim_node node = node_of(SHIM_NODE_RESCALE, 0, 0);
	char *text;
	int err = reduce_all(p, 0);

	if (err)
		return err;
	if (!innermost(p, SHIM_NODE_RESCALE))
		return fail(p);
	next(p);
	if (p->token != SHIM_TOKEN_STRING)
		return fail_as(p, "Units string", "rescale(<expr>,");
	text = shim_lexer__copy(&p->lex);
	if (!text)
		return -ENOMEM;
	next(p);
	err = p->token == SHIM_TOKEN_CLOSE ? parse_units(p, text, &node.desc.units) :
					     fail_as(p, "Units string", "rescale(<expr>,");
	free(text);
	if (err)
		return err;
	p->nopen--;
	next(p);
	err = emit_unary(p, node);
	return err ? err : 1;
}

/* Moves the filter's node out of what was open */
static int close_function(struct parser *p, struct open *o)
{
	struct shim_node node = o->node;

	node.kind = o->kind;
	p->nopen--;
	next(p);
	return emit_unary(p, node);
}

static int close_one(struct parser *p)
{
	int err = reduce_all(p, 0);
	struct open *o;

	if (err)
		return err;
	if (!p->nopen)
		return unexpected(p, "Unexpected");
	o = &p->open[p->nopen - 1];
	switch (o->kind) {
	case SHIM_NODE_KINDS:
		p->nopen--;
		next(p);
		if (p->token == SHIM_TOKEN_INSTANCE)
			err = emit_exact(p);
		break;
	case SHIM_NODE_SCALAR:
	case SHIM_NODE_FILTER:
		err = close_function(p, o);
		break;
	default:
		err = fail(p);
	}
	return err ? err : 1;
}

/* After a whole operand: 0: another one is wanted; 1: not yet; 2: that was all */
static int after_operand(struct parser *p)
{
	int err;

	switch (p->token) {
	case SHIM_TOKEN_OPERATOR:
	case SHIM_TOKEN_QUEST:
		return infix(p);
	case SHIM_TOKEN_COLON:
		return colon(p);
	case SHIM_TOKEN_COMMA:
		return comma(p);
	case SHIM_TOKEN_CLOSE:
		return close_one(p);
	default:
		break;
	}
	err = reduce_all(p, 0);
	if (err)
		return err;
	if (!p->nopen && p->token == SHIM_TOKEN_END)
		return 2;
	if (!p->nopen && p->token == SHIM_TOKEN_OPEN)
		return unexpected(p, "Unexpected");
	return fail(p);
}

static int whole(struct parser *p)
{
	int state;

	next(p);
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
	struct parser p = { .expr = expr, .why = why };
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
