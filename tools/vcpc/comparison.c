// SPDX-License-Identifier: GPL-2.0-or-later
/* Pairing the quantities of two sides of runs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"

static struct vcpc_pair *find(struct vcpc_comparison *c, const struct vcpc_quantity *q)
{
	for (size_t i = 0; i < c->npairs; i++)
		if (!strcmp(c->pairs[i].scope, q->scope) && !strcmp(c->pairs[i].what, q->what))
			return &c->pairs[i];
	return NULL;
}

/* Behind the last one of its scope; scopes in the order of the first run that has them */
static struct vcpc_pair *insert(struct vcpc_comparison *c, const struct vcpc_quantity *q)
{
	struct vcpc_pair *pairs = reallocarray(c->pairs, c->npairs + 1, sizeof(*pairs));
	size_t at = c->npairs;

	if (!pairs)
		return NULL;
	c->pairs = pairs;
	for (size_t i = 0; i < c->npairs; i++)
		if (!strcmp(pairs[i].scope, q->scope))
			at = i + 1;
	memmove(&pairs[at + 1], &pairs[at], (c->npairs - at) * sizeof(*pairs));
	c->npairs++;
	pairs[at] = (struct vcpc_pair){ .scope = q->scope, .what = q->what, .seconds = q->seconds };
	return &pairs[at];
}

static int take(struct vcpc_comparison *c, int side, const struct vcpc_quantity *q)
{
	struct vcpc_pair *pair = find(c, q);

	if (isnan(q->value))
		return 0;
	if (!pair)
		pair = insert(c, q);
	if (!pair)
		return -ENOMEM;
	if (!pair->values[side])
		pair->values[side] = calloc(c->nruns[side], sizeof(double));
	if (!pair->values[side])
		return -ENOMEM;
	pair->values[side][pair->n[side]++] = q->value;
	return 0;
}

int vcpc_comparison_make(struct vcpc_comparison *c)
{
	int err = 0;

	for (int side = 0; side < VCPC_SIDES; side++)
		for (size_t i = 0; i < c->nruns[side]; i++)
			for (size_t j = 0; j < c->runs[side][i].n && !err; j++)
				err = take(c, side, &c->runs[side][i].list[j]);
	for (size_t i = 0; i < c->npairs && !err; i++) {
		struct vcpc_pair *p = &c->pairs[i];

		if (p->n[0] && p->n[1])
			vcpc_welch(p->values[0], p->n[0], p->values[1], p->n[1], &p->difference);
	}
	return err;
}

const char *vcpc_verdict(const struct vcpc_pair *pair)
{
	const struct vcpc_difference *d = &pair->difference;

	if (!pair->n[0] || !pair->n[1])
		return pair->n[0] ? "only in A" : "only in B";
	if (!d->known)
		return d->a == d->b ? "same" : "one run";
	if (d->least == 0 && d->most == 0)
		return "same";
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
