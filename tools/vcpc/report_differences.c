// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write the report's comparison of two runs, or sets of runs, with the statistics of 'vcpc
 * compare'.
 */
#include <string.h>

#include "html_text.h"
#include "report.h"

#define PAIRS		500	/* maximum number of rows in the tables */

static bool is_change(const struct vcpc_pair *p)
{
	const char *verdict = vcpc_verdict(p);

	return !strcmp(verdict, "higher") || !strcmp(verdict, "lower");
}

static void put_name(FILE *out, const struct vcpc_pair *p)
{
	if (*p->scope) {
		vcpc_html_text(out, p->scope, REPORT_NAME);
		fputs(" ", out);
	}
	vcpc_html_text(out, p->what, REPORT_NAME);
}

/* Write the answer: the significant differences, or a note that there are none. */
static void put_sentence(FILE *out, const struct vcpc_comparison *c)
{
	size_t changes = 0;
	bool several = c->nruns[0] > 1 && c->nruns[1] > 1;

	fputs("<p class=\"answer\">", out);
	for (size_t i = 0; i < c->npairs && several; i++) {
		struct vcpc_pair_text text;

		if (!is_change(&c->pairs[i]) || ++changes > 5)
			continue;
		vcpc_pair_text(&c->pairs[i], &text);
		fputs(changes > 1 ? "; <b>" : "B against A: <b>", out);
		put_name(out, &c->pairs[i]);
		fprintf(out, "</b> %s", text.change);
	}
	if (!several)
		fputs("With only one run on a side, changes cannot be distinguished from noise", out);
	else if (!changes)
		fputs("No quantity differs significantly", out);
	else if (changes > 5)
		fprintf(out, "; and %zu more", changes - 5);
	fputs(".</p>\n<p class=\"note\">", out);
	vcpc_comparison_sides(out, c);
	fputs("</p>\n", out);
}

static void put_pair(FILE *out, const struct vcpc_pair *p)
{
	struct vcpc_pair_text text;

	vcpc_pair_text(p, &text);
	fprintf(out, "<tr%s><th scope=\"row\">", is_change(p) ? " class=\"change\"" : "");
	vcpc_html_text(out, p->what, REPORT_NAME);
	fprintf(out, "</th><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
		text.a, text.b, text.change, text.interval, vcpc_verdict(p));
}

static void put_head(FILE *out, const char *scope)
{
	fputs("<tbody><tr><th scope=\"colgroup\">", out);
	vcpc_html_text(out, *scope ? scope : "the run", REPORT_NAME);
	fputs("</th><th scope=\"col\">A</th><th scope=\"col\">B</th><th scope=\"col\">Change</th>"
	      "<th scope=\"col\">95 % interval</th><th scope=\"col\">Verdict</th></tr>\n", out);
}

void report_differences(FILE *out, const struct vcpc_comparison *c)
{
	size_t next = 0, shown = 0, left = 0;

	put_sentence(out, c);
	fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Comparison\"><table id=\"differences\">\n", out);
	for (size_t i = 0; i < c->npairs; i = next) {
		if (!vcpc_comparison_used(c, &next))
			continue;
		if (shown >= PAIRS) {
			left += next - i;
			continue;
		}
		put_head(out, c->pairs[i].scope);
		for (; i < next; i++, shown++)
			put_pair(out, &c->pairs[i]);
		fputs("</tbody>\n", out);
	}
	fputs("</table></div>\n", out);
	if (left)
		fprintf(out, "<p class=\"note\">%zu more quantities: run <code>vcpc compare</code>.</p>\n", left);
}
