// SPDX-License-Identifier: GPL-2.0-or-later
/* Assign numbers to pairs of names, using a balanced tree for fast look-ups. */
#define _GNU_SOURCE	/* for tdestroy() */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

/* @scope and @what are in the same block of memory as the pair */
struct pair {
	const char *scope, *what;
	long number;
};

static int names_compare(const void *a, const void *b)
{
	const struct pair *one = a, *other = b;
	int order = strcmp(one->scope, other->scope);

	return order ? order : strcmp(one->what, other->what);
}

static struct pair *pair_new(const char *scope, const char *what, long number)
{
	size_t first = strlen(scope) + 1, second = strlen(what) + 1;
	struct pair *pair = malloc(sizeof(*pair) + first + second);
	char *text = (char *)(pair + 1);

	if (!pair)
		return NULL;
	*pair = (struct pair){ memcpy(text, scope, first), memcpy(text + first, what, second), number };
	return pair;
}

long vcpc_names_find(const struct vcpc_names *names, const char *scope, const char *what)
{
	const struct pair wanted = { scope, what, 0 };
	struct pair **at = tfind(&wanted, &names->tree, names_compare);

	return at ? (*at)->number : -1;
}

long vcpc_names_number(struct vcpc_names *names, const char *scope, const char *what)
{
	long number = vcpc_names_find(names, scope, what);
	struct pair *pair;

	if (number >= 0)
		return number;
	pair = pair_new(scope, what, names->n);
	if (!pair || !tsearch(pair, &names->tree, names_compare)) {
		free(pair);
		return -ENOMEM;
	}
	return names->n++;
}

void vcpc_names_free(struct vcpc_names *names)
{
	tdestroy(names->tree, free);
	*names = (struct vcpc_names){ NULL };
}
