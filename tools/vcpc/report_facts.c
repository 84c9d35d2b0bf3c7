// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The report's heading: which command ran, on which machine, when and for how long.
 *
 * 'vcpc record' writes command, CPU and kernel as labels of the archive.  For archives from other
 * writers, metrics of the machine are read.  Unknown facts are omitted.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "html_text.h"
#include "report.h"
#include "table.h"
#include "value.h"
#include "vcpc.h"
#include "window.h"

#define FACT		400	/* maximum number of bytes to show */

/*
 * @label: a label of the archive; @metric: the metric whose text is read if the label does not
 * exist, or NULL
 */
static const struct {
	const char *title, *label, *metric;
} facts[] = {
	{ "Command", "command", NULL },
	{ "CPU", "cpu", "hinv.cpu.model_name" },
	{ "Kernel", "kernel", "kernel.uname.release" },
};

/* Replace the one-letter escapes of a JSON string; leave others unchanged. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		if (*p == '\\' && p[1] && strchr("\"\\/", p[1]))
			p++;
		*to++ = *p;
	}
	*to = '\0';
}

/* Return the value of a label of @set, to be freed by the caller, or NULL. */
static char *in_set(const pmLabelSet *set, const char *name)
{
	for (int i = 0; i < set->nlabels; i++) {
		const pmLabel *l = &set->labels[i];
		char *value;

		if (l->namelen != strlen(name) || memcmp(set->json + l->name, name, l->namelen))
			continue;
		if (l->valuelen >= 2 && set->json[l->value] == '"')
			value = strndup(set->json + l->value + 1, l->valuelen - 2);
		else
			value = strndup(set->json + l->value, l->valuelen);
		if (!value)
			vcpc_no_memory();
		else
			unescape(value);
		return value;
	}
	return NULL;
}

/*
 * Read a label into *@out, which the caller frees; it is NULL if there is none.  Return 0 or an
 * error.
 */
static int label_of(const char *name, char **out)
{
	pmLabelSet *sets = NULL;
	int n = pmGetContextLabels(&sets);

	*out = NULL;
	for (int i = 0; i < n && !*out; i++)
		*out = in_set(&sets[i], name);
	if (n > 0)
		pmFreeLabelSets(sets, n);
	return n < 0 ? n : 0;
}

/* Read the text that a metric's first instance has at @when, like label_of(). */
static int text_of(const char *metric, struct timespec when, char **out)
{
	struct timespec delta = { 1, 0 };
	pmHighResResult *r;
	pmAtomValue v = { .cp = NULL };
	pmDesc desc;
	pmID pmid;
	int err = pmLookupName(1, &metric, &pmid);

	if (err >= 0)
		err = pmLookupDesc(pmid, &desc);
	if (err == PM_ERR_NAME || err == PM_ERR_PMID || (err >= 0 && desc.type != PM_TYPE_STRING))
		return 0;
	if (err >= 0)
		err = pmSetModeHighRes(PM_MODE_INTERP, &when, &delta);
	if (err >= 0)
		err = pmFetchHighRes(1, &pmid, &r);
	/* Damage is reported when the values are read. */
	if (err == PM_ERR_EOL || err == PM_ERR_LOGREC)
		return 0;
	if (err < 0)
		return err;
	if (r->vset[0]->numval > 0)
		err = pmExtractValue(r->vset[0]->valfmt, &r->vset[0]->vlist[0], desc.type, &v, PM_TYPE_STRING);
	pmFreeHighResResult(r);
	*out = v.cp;
	return err < 0 ? err : 0;
}

static void fact_put(FILE *out, const char *title, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(out, "<div><dt>%s</dt><dd>", title);
	vcpc_html_text(out, text, FACT);
	fputs("</dd></div>\n", out);
}

static void put_time(FILE *out, const struct vcpc_drawing *d)
{
	const struct vcpc_window *w = &d->tally.window;
	const struct timespec second = { 0, 1000000 };
	const char *zone = *w->label.zoneinfo ? w->label.zoneinfo : w->label.timezone;
	char from[64], to[64], all[160], duration[32];

	fact_put(out, "Time zone", zone + (*zone == ':'));
	vcpc_table_time(from, sizeof(from), w->from, second, true);
	vcpc_table_time(to, sizeof(to), w->to, second, true);
	snprintf(all, sizeof(all), "%s to %s", from, to);
	fact_put(out, "Time", all);
	vcpc_value_text(duration, sizeof(duration), (vcpc_ns_of(w->to) - vcpc_ns_of(w->from)) / 1e9, true, 4);
	snprintf(all, sizeof(all), "%s, %lu record%s", duration, d->tally.records, d->tally.records == 1 ? "" : "s");
	fact_put(out, "Duration", all);
	if (d->steps.records > 1) {
		snprintf(all, sizeof(all), "each covers %lu records", d->steps.records);
		fact_put(out, "Points", all);
	}
}

int report_facts(FILE *out, const struct report_side *side, const char *name)
{
	const struct vcpc_window *w = &side->drawing.tally.window;
	int err = 0;

	fputs("<dl class=\"facts\">\n", out);
	if (name) {
		fact_put(out, "Run", name);
		fact_put(out, "Archive", side->archive);
	}
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]) && !err; i++) {
		char *text;

		err = label_of(facts[i].label, &text);
		if (!err && !text && facts[i].metric)
			err = text_of(facts[i].metric, w->to, &text);
		fact_put(out, facts[i].title, text);
		free(text);
		if (!i)
			fact_put(out, "Host", w->label.hostname);
	}
	put_time(out, &side->drawing);
	fputs("</dl>\n", out);
	return err ? vcpc_fail_pm(err, side->archive) : 0;
}
