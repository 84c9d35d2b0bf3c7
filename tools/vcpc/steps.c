// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sum values over time in a limited number of steps for drawing.
 *
 * The number of records is not known in advance.  Initially, a step contains one record.  When all
 * VCPC_STEPS steps are used, pairs of adjacent steps are merged.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "steps.h"

size_t vcpc_steps_add(struct vcpc_steps *s, bool counter)
{
	struct vcpc_curve *curve;

	if (s->ncurves == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		struct vcpc_curve **curves = reallocarray(s->curves, room, sizeof(*curves));

		if (!curves)
			return SIZE_MAX;
		s->curves = curves;
		s->room = room;
	}
	curve = calloc(1, sizeof(*curve));
	if (!curve)
		return SIZE_MAX;
	curve->counter = counter;
	s->curves[s->ncurves] = curve;
	return s->ncurves++;
}

static void unite_curve(struct vcpc_curve *c)
{
	for (size_t i = 0; i < VCPC_STEPS / 2; i++) {
		c->sum[i] = c->sum[2 * i] + c->sum[2 * i + 1];
		c->weight[i] = c->weight[2 * i] + c->weight[2 * i + 1];
	}
	for (size_t i = VCPC_STEPS / 2; i < VCPC_STEPS; i++)
		c->sum[i] = c->weight[i] = 0;
}

/* Merge pairs of adjacent steps. */
static void steps_unite(struct vcpc_steps *s)
{
	for (size_t i = 0; i < VCPC_STEPS / 2; i++) {
		s->times[i] = s->times[2 * i + 1];
		s->gap[i] = s->gap[2 * i] || s->gap[2 * i + 1];
	}
	for (size_t i = 0; i < s->ncurves; i++)
		unite_curve(s->curves[i]);
	s->n /= 2;
	s->records *= 2;
}

void vcpc_steps_record(struct vcpc_steps *s, double at, bool mark)
{
	if (mark) {
		s->broken = s->n > 0;
		return;
	}
	if (!s->records)
		s->records = 1;
	if (!s->n || s->filled >= s->records) {
		if (s->n == VCPC_STEPS)
			steps_unite(s);
		s->filled = 0;
		s->gap[s->n++] = false;
	}
	s->gap[s->n - 1] |= s->broken;
	s->broken = false;
	s->times[s->n - 1] = at;
	s->filled++;
}

void vcpc_steps_value(struct vcpc_steps *s, size_t curve, double sum, double weight)
{
	struct vcpc_curve *c = s->curves[curve];

	c->sum[s->n - 1] += sum;
	c->weight[s->n - 1] += weight;
}

void vcpc_steps_finish(struct vcpc_steps *s)
{
	size_t last = s->n - 1;

	if (s->n < 3 || s->gap[last] || s->gap[last - 1] ||
	    s->times[last] - s->times[last - 1] >= (s->times[last - 1] - s->times[last - 2]) / 2)
		return;
	for (size_t i = 0; i < s->ncurves; i++) {
		struct vcpc_curve *c = s->curves[i];

		c->sum[last - 1] += c->sum[last];
		c->weight[last - 1] += c->weight[last];
		c->sum[last] = c->weight[last] = 0;
	}
	s->times[last - 1] = s->times[last];
	s->n--;
}

double vcpc_steps_get(const struct vcpc_steps *s, size_t curve, size_t step)
{
	const struct vcpc_curve *c = s->curves[curve];

	return c->weight[step] > 0 ? c->sum[step] / c->weight[step] : NAN;
}

void vcpc_steps_free(struct vcpc_steps *s)
{
	for (size_t i = 0; i < s->ncurves; i++)
		free(s->curves[i]);
	free(s->curves);
}
