// SPDX-License-Identifier: GPL-2.0-or-later
/* Print a comparison as a table for people or as JSON. */
#include <math.h>
#include <string.h>

#include "comparison.h"
#include "json_text.h"
#include "text.h"
#include "value.h"

#define NAME_MIN	16
#define WIDEST	36

/* Format a change in percent of @a with the significant digits only, or as "from 0" if @a is 0. */
static void put_percent(char *buf, size_t size, double change, double a)
{
	double percent = change == 0 ? 0 : change / fabs(a) * 100;

	if (!isfinite(percent))
		snprintf(buf, size, "from 0");
	else if (percent == 0)
		snprintf(buf, size, "0 %%");
	else
		snprintf(buf, size, fabs(percent) < 0.01 ? "%+.1g %%" : fabs(percent) < 100 ? "%+.2f %%" : "%+.0f %%",
			 percent);
}

/* Return whether all of a side's values were counted.  If so, an interval of width 0 is exact. */
static bool is_counted(const struct vcpc_pair *p)
{
	for (int side = 0; side < VCPC_SIDES; side++)
		for (size_t i = 0; i < p->n[side]; i++)
			if (p->values[side][i] != round(p->values[side][i]))
				return false;
	return !p->seconds;
}

static void put_interval(char *buf, size_t size, const struct vcpc_pair *p)
{
	const struct vcpc_difference *d = &p->difference;
	char least[24], most[24];

	if (!d->known || (d->a == 0 && d->b != 0)) {
		snprintf(buf, size, "-");
		return;
	}
	put_percent(least, sizeof(least), d->least, d->a);
	put_percent(most, sizeof(most), d->most, d->a);
	if (strcmp(least, most))
		snprintf(buf, size, "%.*s to %s", (int)(strlen(least) - 2), least, most);
	else
		snprintf(buf, size, "%s", is_counted(p) ? "exact" : least);
}

void vcpc_pair_text(const struct vcpc_pair *p, struct vcpc_pair_text *text)
{
	char *sides[] = { text->a, text->b };
	double mean;

	*text = (struct vcpc_pair_text){ "-", "-", "-", "-" };
	for (int side = 0; side < VCPC_SIDES; side++) {
		if (!p->n[side])
			continue;
		vcpc_spread(p->values[side], p->n[side], &mean);
		vcpc_value_text(sides[side], sizeof(text->a), mean, p->seconds, 4);
	}
	if (!p->n[0] || !p->n[1])
		return;
	put_percent(text->change, sizeof(text->change), p->difference.b - p->difference.a, p->difference.a);
	put_interval(text->interval, sizeof(text->interval), p);
}

static void put_pair(FILE *out, const struct vcpc_pair *p, int width)
{
	struct vcpc_pair_text text;

	vcpc_pair_text(p, &text);
	fputs("  ", out);
	vcpc_put_printable(out, p->what, "");
	fprintf(out, "%*s %9s %9s %9s %19s  %s\n",
		width > (int)strlen(p->what) ? width - (int)strlen(p->what) : 0, "", text.a, text.b, text.change,
		text.interval, vcpc_verdict(p));
}

static int width_of(const struct vcpc_comparison *c)
{
	int width = NAME_MIN;

	for (size_t i = 0; i < c->npairs; i++) {
		int len = strlen(c->pairs[i].what);

		if (len > width)
			width = len < WIDEST ? len : WIDEST;
	}
	return width;
}

void vcpc_comparison_sides(FILE *out, const struct vcpc_comparison *c)
{
	fprintf(out, "A: %zu %s, B: %zu %s; means", c->nruns[0], c->nruns[0] == 1 ? "run" : "runs",
		c->nruns[1], c->nruns[1] == 1 ? "run" : "runs");
	if (c->nruns[0] > 1 && c->nruns[1] > 1)
		fputs(", and 95 % confidence intervals of their difference (Welch's t)\n", out);
	else
		fputs(" only (confidence intervals require two or more runs per side)\n", out);
}

bool vcpc_comparison_used(const struct vcpc_comparison *c, size_t *i)
{
	const char *scope = c->pairs[*i].scope;
	bool used = false;

	for (; *i < c->npairs && !strcmp(c->pairs[*i].scope, scope); ++*i)
		for (int side = 0; side < VCPC_SIDES; side++)
			for (size_t j = 0; j < c->pairs[*i].n[side]; j++)
				used |= c->pairs[*i].values[side][j] != 0;
	return used;
}

static void put_heading(FILE *out, const char *scope, int width)
{
	const char *name = *scope ? scope : "the run";
	int len = strlen(name);

	fputc('\n', out);
	vcpc_put_printable(out, name, "");
	fprintf(out, "%*s %9s %9s %9s %19s  %s\n", width + 2 > len ? width + 2 - len : 0, "",
		"A", "B", "change", "95 % interval", "verdict");
}

void vcpc_comparison_table(FILE *out, const struct vcpc_comparison *c)
{
	int width = width_of(c);
	size_t next = 0;

	vcpc_comparison_sides(out, c);
	for (size_t i = 0; i < c->npairs; i = next) {
		if (!vcpc_comparison_used(c, &next))
			continue;
		put_heading(out, c->pairs[i].scope, width);
		for (; i < next; i++)
			put_pair(out, &c->pairs[i], width);
	}
}

static void json_number(FILE *out, const char *name, double v)
{
	fprintf(out, ",\"%s\":", name);
	if (isfinite(v))
		fprintf(out, "%.17g", v);
	else
		fputs("null", out);
}

static void json_values(FILE *out, const char *name, const double *values, size_t n)
{
	fprintf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%.17g", i ? "," : "", values[i]);
	fputc(']', out);
}

void vcpc_comparison_json(FILE *out, const struct vcpc_comparison *c)
{
	fprintf(out, "{\"interval\":\"Welch's t, 95 %%, of b - a\",\"runs\":{\"a\":%zu,\"b\":%zu},\"quantities\":[",
		c->nruns[0], c->nruns[1]);
	for (size_t i = 0; i < c->npairs; i++) {
		const struct vcpc_pair *p = &c->pairs[i];
		const struct vcpc_difference *d = &p->difference;
		bool both = p->n[0] && p->n[1];

		fprintf(out, "%s\n{\"scope\":", i ? "," : "");
		vcpc_json_text(out, p->scope);
		fputs(",\"what\":", out);
		vcpc_json_text(out, p->what);
		fprintf(out, ",\"unit\":\"%s\"", p->seconds ? "s" : "");
		json_values(out, "a", p->values[0], p->n[0]);
		json_values(out, "b", p->values[1], p->n[1]);
		json_number(out, "change", both ? d->b - d->a : NAN);
		json_number(out, "least", both && d->known ? d->least : NAN);
		json_number(out, "most", both && d->known ? d->most : NAN);
		fprintf(out, ",\"verdict\":\"%s\"}", vcpc_verdict(p));
	}
	fputs("]}\n", out);
}
