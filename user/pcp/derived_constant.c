// SPDX-License-Identifier: LGPL-2.1-or-later
/* Constants with a type: mkconst(number, tag=value, ...), novalue(tag=value, ...), anon(), units. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "derived_parser.h"

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

#define ANON_PREFIX "PM_TYPE_"

#define DOMAIN_MAX 510
#define SERIAL_MAX 4194303
#define INDOM_LEN 11	/* length of the longest "domain.serial" */

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
	node->tags |= SHIM_TAG_UNITS;
	return shim_parser__units(p, value, &node->desc.units);
}

/* "domain.serial", or null */
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

/* The metric is looked up when the expression is bound. */
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

int shim_parser__no_value(struct shim_parser *p)
{
	struct shim_node *node;
	int err = shim_parser__emit_text(p, SHIM_NODE_NOVALUE, PM_TYPE_32);

	if (err)
		return err;
	node = &p->expr->nodes[p->expr->n - 1];
	shim_parser__next(p); /* the parenthesis */
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
