// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse function calls in expressions (functions of a metric's name and of an expression) and
 * constants with a type: mkconst(number, tag=value, ...), novalue(tag=value, ...), anon(), units.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "derived_expr.h"

#define ANON_PREFIX "PM_TYPE_"
#define DOMAIN_MAX 510
#define SERIAL_MAX 4194303
#define INDOM_LEN 11	/* length of the longest "domain.serial" */

/* The types of constants, and their names in mkconst() and anon() */
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

static int set_type(struct shim_parser *p, struct shim_node *node, const char *value)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!strcasecmp(value, types[i].name)) {
			node->desc.type = types[i].type;
			node->tags |= SHIM_TAG_TYPE;
			return 0;
		}
	}
	return shim_parser__fail_about(p, "Unrecognized value for type", value);
}

static int set_semantics(struct shim_parser *p, struct shim_node *node, const char *value)
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
			node->tags |= SHIM_TAG_SEMANTICS;
			return 0;
		}
	}
	return shim_parser__fail_about(p, "Unrecognized value for semantics", value);
}

static int parser_units(struct shim_parser *p, const char *value, pmUnits *units)
{
	char *message = NULL;
	double multiplier;
	int err = 0;

	if (pmParseUnitsStr(value, units, &multiplier, &message) < 0) {
		err = shim_parser__fail_about(p, "Illegal units:", message ? message : "");
		free(message);
	}
	return err;
}

static int set_units(struct shim_parser *p, struct shim_node *node, const char *value)
{
	node->tags |= SHIM_TAG_UNITS;
	return parser_units(p, value, &node->desc.units);
}

/* Parse "domain.serial", or null. */
static int set_indom(struct shim_parser *p, struct shim_node *node, const char *value)
{
	unsigned int domain, serial;
	char end;

	node->tags |= SHIM_TAG_INDOM;
	node->desc.indom = PM_INDOM_NULL;
	if (!strcasecmp(value, "null"))
		return 0;
	if (strlen(value) > INDOM_LEN || sscanf(value, "%u.%u%c", &domain, &serial, &end) != 2 ||
	    domain > DOMAIN_MAX || serial > SERIAL_MAX)
		return shim_parser__fail_about(p, "Illegal indom:", value);
	node->desc.indom = pmInDom_build(domain, serial);
	return 0;
}

/* Store the metric's name; the metric is looked up when the expression is bound. */
static int set_meta(struct shim_parser *p, struct shim_node *node, const char *value)
{
	(void)p;
	free(node->meta);
	node->meta = strdup(value);
	return node->meta ? 0 : -ENOMEM;
}

static const struct {
	enum shim_token token;
	int (*set)(struct shim_parser *p, struct shim_node *node, const char *value);
} tags[] = {
	{ SHIM_TOKEN_TYPE, set_type },
	{ SHIM_TOKEN_SEMANTICS, set_semantics },
	{ SHIM_TOKEN_UNITS, set_units },
	{ SHIM_TOKEN_META, set_meta },
	{ SHIM_TOKEN_INDOM, set_indom },
};

static int no_tag(struct shim_parser *p, const struct shim_node *node)
{
	return shim_parser__fail_as(p, "metadata keyword",
				    node->kind == SHIM_NODE_NOVALUE ? "novalue(" : "mkconst(type");
}

static bool may_be_value(enum shim_token tag, enum shim_token value)
{
	switch (value) {
	case SHIM_TOKEN_NAME:
		return true;
	case SHIM_TOKEN_STRING:
	case SHIM_TOKEN_INTEGER:
		return tag != SHIM_TOKEN_META;
	default:
		return value == SHIM_TOKEN_DOUBLE && tag == SHIM_TOKEN_INDOM;
	}
}

static int tagged(struct shim_parser *p, struct shim_node *node)
{
	size_t i = 0;
	char *value;
	int err;

	while (i < sizeof(tags) / sizeof(tags[0]) && tags[i].token != p->token)
		i++;
	if (i == sizeof(tags) / sizeof(tags[0]))
		return no_tag(p, node);
	shim_parser__next(p);
	if (p->token != SHIM_TOKEN_ASSIGN)
		return no_tag(p, node);
	shim_parser__next(p);
	if (!may_be_value(tags[i].token, p->token))
		return no_tag(p, node);
	value = shim_lexer__copy(&p->lex);
	if (!value)
		return -ENOMEM;
	err = tags[i].set(p, node, value);
	free(value);
	if (!err)
		shim_parser__next(p);
	return err;
}

/* Parse the tags after the number, up to the closing parenthesis. */
static int tag_list(struct shim_parser *p, struct shim_node *node)
{
	char type[20];
	int err;

	do {
		if (p->token != SHIM_TOKEN_COMMA)
			return no_tag(p, node);
		shim_parser__next(p);
		err = tagged(p, node);
	} while (!err && p->token != SHIM_TOKEN_CLOSE);
	if (!err && node->kind == SHIM_NODE_DOUBLE && node->desc.type != PM_TYPE_DOUBLE &&
	    node->desc.type != PM_TYPE_FLOAT)
		err = shim_parser__fail_about(p, "Incompatible floating point constant and type",
					      pmTypeStr_r(node->desc.type, type, sizeof(type)));
	return err;
}

int shim_parser__constant(struct shim_parser *p)
{
	int err;

	shim_parser__next(p); /* skip the parenthesis */
	shim_parser__next(p);
	if (p->token == SHIM_TOKEN_INTEGER)
		err = shim_parser__emit_text(p, SHIM_NODE_INTEGER, PM_TYPE_U32);
	else if (p->token == SHIM_TOKEN_DOUBLE)
		err = shim_parser__emit_text(p, SHIM_NODE_DOUBLE, PM_TYPE_DOUBLE);
	else
		err = shim_parser__fail(p);
	if (err)
		return err;
	shim_parser__next(p);
	err = tag_list(p, &p->expr->nodes[p->expr->n - 1]);
	if (!err)
		shim_parser__next(p);
	return err;
}

int shim_parser__no_value(struct shim_parser *p)
{
	struct shim_node *node;
	int err = shim_parser__emit_text(p, SHIM_NODE_NOVALUE, PM_TYPE_32);

	if (err)
		return err;
	node = &p->expr->nodes[p->expr->n - 1];
	shim_parser__next(p); /* skip the parenthesis */
	shim_parser__next(p);
	if (p->token != SHIM_TOKEN_CLOSE) {
		err = tagged(p, node);
		if (!err && p->token != SHIM_TOKEN_CLOSE)
			err = tag_list(p, node);
	}
	if (!err)
		shim_parser__next(p);
	return err;
}

/* Parse the name of a type as the operand of anon(). */
static int parser_anonymous(struct shim_parser *p, struct shim_node *node)
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
	return shim_parser__fail_about(p, "Not a type for anon():", node->text);
}

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

	shim_parser__next(p);	/* skip the parenthesis */
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
		err = parser_anonymous(p, operand);
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

/* Parse a function of an expression up to the start of the expression.  Return 1 or an error. */
static int expr_function(struct shim_parser *p)
{
	struct shim_open *o;
	int err = shim_parser__push(p, p->lex.kind, true, &o);

	if (err)
		return err;
	shim_parser__next(p);	/* skip the parenthesis */
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
		      ? parser_units(p, text, &node.desc.units)
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
