// SPDX-License-Identifier: GPL-2.0-or-later
/* Pair each quantity of side A's runs with the same quantity of side B's runs. */
#define _GNU_SOURCE	/* for reallocarray() */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "names.h"

/*
 * struct builder - the pairs during construction
 * @scopes: numbers of scopes, in the order of the runs
 * @pairs: index of each pair in @c->pairs
 */
struct builder {
	struct vcpc_comparison *c;
	struct vcpc_names scopes, pairs;
	size_t room;
};

/* Return the quantity's pair, which is added if it is new, or NULL if there is no memory for it. */
static struct vcpc_pair *pair_of(struct builder *b, const struct vcpc_quantity *q)
{
	struct vcpc_comparison *c = b->c;
	long order = vcpc_names_number(&b->scopes, q->scope, "");
	long at = order < 0 ? order : vcpc_names_number(&b->pairs, q->scope, q->what);

	if (at < 0)
		return NULL;
	if ((size_t)at < c->npairs)
		return &c->pairs[at];
	if (c->npairs == b->room) {
		size_t room = b->room ? 2 * b->room : 32;
		struct vcpc_pair *pairs = reallocarray(c->pairs, room, sizeof(*pairs));

		if (!pairs)
			return NULL;
		c->pairs = pairs;
		b->room = room;
	}
	c->pairs[at] = (struct vcpc_pair){ .scope = q->scope, .what = q->what, .seconds = q->seconds,
					   .order = order, .came = c->npairs++ };
	return &c->pairs[at];
}

static int quantity_take(struct builder *b, int side, const struct vcpc_quantity *q)
{
	struct vcpc_pair *pair;

	if (isnan(q->value))
		return 0;
	pair = pair_of(b, q);
	if (!pair)
		return -ENOMEM;
	if (!pair->values[side])
		pair->values[side] = calloc(b->c->nruns[side], sizeof(double));
	if (!pair->values[side])
		return -ENOMEM;
	pair->values[side][pair->n[side]++] = q->value;
	pair->resolution[side] += q->resolution;
	return 0;
}

/* Sort by scope, then by the order in which pairs were added. */
static int compare_order(const void *a, const void *b)
{
	const struct vcpc_pair *one = a, *other = b;

	if (one->order != other->order)
		return one->order < other->order ? -1 : 1;
	return one->came < other->came ? -1 : one->came > other->came;
}

int vcpc_comparison_make(struct vcpc_comparison *c)
{
	struct builder b = { .c = c };
	int err = 0;

	for (int side = 0; side < VCPC_SIDES; side++)
		for (size_t i = 0; i < c->nruns[side]; i++)
			for (size_t j = 0; j < c->runs[side][i].n && !err; j++)
				err = quantity_take(&b, side, &c->runs[side][i].list[j]);
	vcpc_names_free(&b.scopes);
	vcpc_names_free(&b.pairs);
	if (c->npairs)
		qsort(c->pairs, c->npairs, sizeof(*c->pairs), compare_order);
	for (size_t i = 0; i < c->npairs && !err; i++) {
		struct vcpc_pair *p = &c->pairs[i];

		if (!p->n[0] || !p->n[1])
			continue;
		vcpc_welch(p->values[0], p->n[0], p->values[1], p->n[1], &p->difference);
		vcpc_widen(&p->difference, p->resolution[0] / p->n[0] + p->resolution[1] / p->n[1]);
	}
	return err;
}

const char *vcpc_verdict(const struct vcpc_pair *pair)
{
	const struct vcpc_difference *d = &pair->difference;

	if (!pair->n[0] || !pair->n[1])
		return pair->n[0] ? "only in A" : "only in B";
	if (d->least == 0 && d->most == 0)
		return "same";
	if (!d->known)
		return "one run";
	return d->least > 0 ? "higher" : d->most < 0 ? "lower" : "unclear";
}

void vcpc_comparison_free(struct vcpc_comparison *c)
{
	for (size_t i = 0; i < c->npairs; i++)
		for (int side = 0; side < VCPC_SIDES; side++)
			free(c->pairs[i].values[side]);
	free(c->pairs);
	for (int side = 0; side < VCPC_SIDES; side++) {
		for (size_t i = 0; c->runs[side] && i < c->nruns[side]; i++)
			vcpc_run_free(&c->runs[side][i]);
		free(c->runs[side]);
	}
}
