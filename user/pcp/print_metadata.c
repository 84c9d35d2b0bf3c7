// SPDX-License-Identifier: LGPL-2.1-or-later
/* Print descriptors and labels as lines of text. */
#include <stdio.h>

#include <pcp/pmapi.h>

#include "base/api.h"

static const struct {
	int type;
	const char *text;
} types[] = {
	{ PM_TYPE_32, "32-bit int" },
	{ PM_TYPE_U32, "32-bit unsigned int" },
	{ PM_TYPE_64, "64-bit int" },
	{ PM_TYPE_U64, "64-bit unsigned int" },
	{ PM_TYPE_FLOAT, "float" },
	{ PM_TYPE_DOUBLE, "double" },
	{ PM_TYPE_STRING, "string" },
	{ PM_TYPE_AGGREGATE, "aggregate" },
	{ PM_TYPE_AGGREGATE_STATIC, "static aggregate" },
	{ PM_TYPE_EVENT, "event record array" },
	{ PM_TYPE_HIGHRES_EVENT, "highres event record array" },
};

static void print_type(FILE *f, int type)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].type == type) {
			fputs(types[i].text, f);
			return;
		}
	}
	fprintf(f, "??? (%d)", type);
}

static void print_semantics(FILE *f, int sem)
{
	if (sem == PM_SEM_COUNTER || sem == PM_SEM_INSTANT || sem == PM_SEM_DISCRETE) {
		char buf[20];

		fputs(pmSemStr_r(sem, buf, sizeof(buf)), f);
	} else {
		fprintf(f, "??? (%d)", sem);
	}
}

/**
 * pmPrintDesc() - print a descriptor as two lines
 * @f: the output stream
 * @desc: the descriptor
 */
SHIM_API void pmPrintDesc(FILE *f, const pmDesc *desc)
{
	char indom[20], units[80];

	fputs("    Data Type: ", f);
	if (desc->type == PM_TYPE_NOSUPPORT) {
		fputs("Not Supported\n", f);
		return;
	}
	print_type(f, desc->type);
	fprintf(f, "  InDom: %s 0x%x\n", pmInDomStr_r(desc->indom, indom, sizeof(indom)),
		desc->indom);
	fputs("    Semantics: ", f);
	print_semantics(f, desc->sem);
	pmUnitsStr_r(&desc->units, units, sizeof(units));
	fprintf(f, "  Units: %s\n", *units ? units : "none");
}

static const struct {
	int level;
	const char *name;
} levels[] = {
	{ PM_LABEL_CONTEXT, "context" },
	{ PM_LABEL_DOMAIN, "domain" },
	{ PM_LABEL_INDOM, "indom" },
	{ PM_LABEL_CLUSTER, "cluster" },
	{ PM_LABEL_ITEM, "pmid" },
	{ PM_LABEL_INSTANCES, "instances" },
};

static const char *level_name(int level)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (levels[i].level == level)
			return levels[i].name;
	return "?";
}

/* Print the object that the labels describe. */
static void print_owner(FILE *f, int ident, int type)
{
	char buf[20];

	switch (type) {
	case PM_LABEL_CONTEXT:
		fputs("Context", f);
		break;
	case PM_LABEL_DOMAIN:
		fprintf(f, "Domain %d", ident);
		break;
	case PM_LABEL_CLUSTER:
		fprintf(f, "Cluster %u.%u", pmID_domain(ident), pmID_cluster(ident));
		break;
	case PM_LABEL_ITEM:
		fprintf(f, "PMID %s", pmIDStr_r(ident, buf, sizeof(buf)));
		break;
	case PM_LABEL_INDOM:
	case PM_LABEL_INSTANCES:
		fprintf(f, "InDom %s", pmInDomStr_r(ident, buf, sizeof(buf)));
		break;
	}
}

static void print_label(FILE *f, int i, const pmLabel *label)
{
	fprintf(f, "        [%d] name(%d,%d) : value(%d,%d) [%s%s%s]\n", i, label->name,
		label->namelen, label->value, label->valuelen,
		level_name(label->flags & ~(PM_LABEL_COMPOUND | PM_LABEL_OPTIONAL)),
		label->flags & PM_LABEL_COMPOUND ? ",compound" : "",
		label->flags & PM_LABEL_OPTIONAL ? ",optional" : "");
}

/**
 * pmPrintLabelSets() - print sets of labels, one line for each set and each label
 * @f: the output stream
 * @ident: the object that they describe: a domain, pmID or pmInDom
 * @type: type of @ident: one of PM_LABEL_CONTEXT to PM_LABEL_INSTANCES
 * @sets: the sets
 * @nsets: number of sets
 */
SHIM_API void pmPrintLabelSets(FILE *f, int ident, int type, pmLabelSet *sets, int nsets)
{
	for (int i = 0; i < nsets; i++) {
		const pmLabelSet *set = &sets[i];

		fputs("    ", f);
		print_owner(f, ident, type);
		if (type & PM_LABEL_INSTANCES)
			fprintf(f, "[%u]", set->inst);
		fprintf(f, " labels (%u bytes): %.*s\n", set->jsonlen,
			set->json ? (int)set->jsonlen : 6, set->json ? set->json : "(null)");
		for (int j = 0; j < set->nlabels; j++)
			print_label(f, j, &set->labels[j]);
	}
}
