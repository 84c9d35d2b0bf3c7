// SPDX-License-Identifier: LGPL-2.1-or-later
/* Constants with a type: mkconst(number, tag=value, ...), the types of anon(), and units. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "derived_parser.h"

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

static int set_type(struct shim_parser *p, struct shim_node *node, const char *value)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!strcasecmp(value, types[i].name)) {
			node->desc.type = types[i].type;
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
			return 0;
		}
	}
	return shim_parser__fail_about(p, "Unrecognized value for semantics", value);
}

int shim_parser__units(struct shim_parser *p, const char *value, pmUnits *units)
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
	return shim_parser__units(p, value, &node->desc.units);
}

static const struct {
	enum shim_token token;
	int (*set)(struct shim_parser *p, struct shim_node *node, const char *value);
} tags[] = {
	{ SHIM_TOKEN_TYPE, set_type },
	{ SHIM_TOKEN_SEMANTICS, set_semantics },
	{ SHIM_TOKEN_UNITS, set_units },
};

static int tagged(struct shim_parser *p, struct shim_node *node)
{
	size_t i = 0;
	char *value;
	int err;

	while (i < sizeof(tags) / sizeof(tags[0]) && tags[i].token != p->token)
		i++;
	if (i == sizeof(tags) / sizeof(tags[0]))
		return shim_parser__fail(p);
	shim_parser__next(p);
	if (p->token != SHIM_TOKEN_ASSIGN)
		return shim_parser__fail(p);
	shim_parser__next(p);
	if (p->token != SHIM_TOKEN_STRING && p->token != SHIM_TOKEN_NAME &&
	    p->token != SHIM_TOKEN_INTEGER)
		return shim_parser__fail(p);
	value = shim_lexer__copy(&p->lex);
	if (!value)
		return -ENOMEM;
	err = tags[i].set(p, node, value);
	free(value);
	if (!err)
		shim_parser__next(p);
	return err;
}

/* The tags that follow the number, up to the closing parenthesis */
static int tag_list(struct shim_parser *p, struct shim_node *node)
{
	char type[20];
	int err;

	do {
		if (p->token != SHIM_TOKEN_COMMA)
			return shim_parser__fail(p);
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

	shim_parser__next(p); /* the parenthesis */
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

int shim_parser__anonymous(struct shim_parser *p, struct shim_node *node)
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
