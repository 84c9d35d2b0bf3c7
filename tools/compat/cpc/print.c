// SPDX-License-Identifier: GPL-2.0-or-later
/* Output shared by cputrack and cpustat: columns, values, and the list of available events */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "spec.h"

/* Print the rest of the header line, after the columns that are specific to each command. */
void cpcspec_columns(FILE *out, const struct cpcspec *spec, int tick)
{
	if (tick)
		fprintf(out, "%9s ", "tick");
	for (int pic = 0; pic < spec->npic; pic++)
		if (spec->event[pic])
			fprintf(out, "%8s%-2d", "pic", pic);
	fputc('\n', out);
}

/* Print the rest of a line: the values and, if there are several event sets, the set's text. */
void cpcspec_values(FILE *out, cpc_t *cpc, const struct cpcspec *spec, cpc_buf_t *buf,
			   int tick, int several)
{
	uint64_t value;

	if (tick)
		fprintf(out, "%9lld ", (long long)cpc_buf_tick(cpc, buf));
	for (int i = 0; i < spec->nreqs; i++) {
		value = 0;
		cpc_buf_get(cpc, buf, i, &value);
		fprintf(out, "%9lld ", (long long)value);
	}
	if (several)
		fprintf(out, " # %s", spec->text);
	fputc('\n', out);
}

/* A list of words, wrapped at 76 characters; lines after the first are indented by @margin */
struct list {
	FILE *out;
	int margin;
	int column;
	const char *separator;
};

static void put_word(struct list *list, const char *word)
{
	int len = (int)strlen(word) + 1;

	if (list->column > list->margin && list->column + len > 76) {
		fprintf(list->out, "\n%*s", list->margin, "");
		list->column = list->margin;
	}
	list->column += fprintf(list->out, "%s%s", word, list->separator);
}

static void list_event(void *arg, const char *event)
{
	put_word(arg, event);
}

static void list_attr(void *arg, const char *attr)
{
	if (strcmp(attr, "picnum"))
		put_word(arg, attr);
}

static void put_label(struct list *list, const char *label)
{
	list->column = fprintf(list->out, "\t%s ", label) + 7;
	if (list->column < list->margin)
		list->column += fprintf(list->out, "%*s", list->margin - list->column, "");
}

/*
 * For -h, print the available events.  One list suffices because all counters count the same
 * events.
 */
void cpcspec_capabilities(FILE *out, cpc_t *cpc)
{
	struct list list = { out, 17, 0, " " };
	char label[32], *reference = strdup(cpc_cpuref(cpc)), *rest = reference, *word;

	snprintf(label, sizeof(label), "event[0-%u]:", cpc_npic(cpc) - 1);
	fprintf(out, "\n\tCPU performance counter interface: %s\n\n", cpc_cciname(cpc));
	fputs("\tevent specification syntax:\n"
	      "\t[picn=]<eventn>[,attr[n][=<val>]][,[picn=]<eventn>[,attr[n][=<val>]],...]\n\n"
	      "\tGeneric Events:\n\n", out);
	put_label(&list, label);
	cpc_walk_generic_events_all(cpc, &list, list_event);
	fputs("\n\n\tPlatform Specific Events:\n\n", out);
	put_label(&list, label);
	cpc_walk_events_all(cpc, &list, list_event);
	list.margin = 20;
	fputs("\n\n", out);
	put_label(&list, "attributes:");
	cpc_walk_attrs(cpc, &list, list_attr);
	put_word(&list, "nouser");
	put_word(&list, "sys");
	list.margin = 8;
	fputs("\n\n\t", out);
	list.column = 8;
	while (reference && (word = strsep(&rest, " ")) != NULL)
		put_word(&list, word);
	fputs("\n", out);
	free(reference);
}
