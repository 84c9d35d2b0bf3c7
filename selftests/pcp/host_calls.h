/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of wrong replies: functions that query a host, read the whole result, and free it */
#ifndef HOST_CALLS_H
#define HOST_CALLS_H

#include "host_fixture.h"

static const char *const names[] = { "a.word", "a.text", "a.wide", "a.event" };
static pmID all[] = { FAKE_WORD, FAKE_TEXT, FAKE_WIDE, FAKE_EVENT };

/* Changed by each byte of a result, so that the compiler does not omit the read */
static unsigned int touched;

static void touch(const void *bytes, size_t len)
{
	const volatile unsigned char *p = bytes;

	while (len--)
		touched += *p++;
}

static void touch_set(pmValueSet *set)
{
	pmResult **records;

	for (int i = 0; i < set->numval; i++) {
		const pmValueBlock *b = set->vlist[i].value.pval;

		touched += set->vlist[i].inst;
		if (set->valfmt == PM_VAL_INSITU)
			continue;
		touch(b->vbuf, b->vlen - PM_VAL_HDR_SIZE);
		if (b->vtype == PM_TYPE_STRING)
			touch(b->vbuf, strlen(b->vbuf));
		if (b->vtype == PM_TYPE_EVENT && pmUnpackEventRecords(set, i, &records) >= 0)
			pmFreeEventResult(records);
	}
}

static int do_fetch(void)
{
	pmResult *r;
	int err = pmFetch(4, all, &r);

	if (err < 0)
		return err;
	for (int i = 0; i < r->numpmid; i++)
		touch_set(r->vset[i]);
	pmFreeResult(r);
	return err;
}

static int do_names(void)
{
	pmID pmids[4];

	return pmLookupName(4, (const char **)names, pmids);
}

static int take_strings(int n, char **strings)
{
	for (int i = 0; i < n; i++)
		touch(strings[i], strlen(strings[i]));
	if (n > 0)
		free(strings);
	return n;
}

static int do_name_of(void)
{
	char **strings = NULL;
	int n = pmNameAll(FAKE_WORD, &strings);

	return take_strings(n, strings);
}

static int do_children(void)
{
	char **strings = NULL;
	int *status = NULL;
	int n = pmGetChildrenStatus("x", &strings, &status);

	if (n > 0) {
		touch(status, n * sizeof(*status));
		free(status);
	}
	return take_strings(n, strings);
}

static void take_name(const char *name)
{
	touch(name, strlen(name));
}

static int do_traverse(void)
{
	return pmTraversePMNS("", take_name);
}

static int do_desc(void)
{
	pmDesc d;

	return pmLookupDesc(FAKE_WORD, &d);
}

static int do_descs(void)
{
	pmDesc d[4];

	return pmLookupDescs(4, all, d);
}

static int do_indom(void)
{
	char **strings = NULL;
	int *ids = NULL;
	int n = pmGetInDom(FAKE_INDOM, &ids, &strings);

	if (n > 0) {
		touch(ids, n * sizeof(*ids));
		free(ids);
	}
	return take_strings(n, strings);
}

static int do_instance(void)
{
	return pmLookupInDom(FAKE_INDOM, "two");
}

static int do_instance_name(void)
{
	char *name;
	int err = pmNameInDom(FAKE_INDOM, 3, &name);

	if (!err) {
		touch(name, strlen(name));
		free(name);
	}
	return err;
}

static int do_text(void)
{
	char *text;
	int err = pmLookupText(FAKE_WORD, PM_TEXT_ONELINE, &text);

	if (!err) {
		touch(text, strlen(text));
		free(text);
	}
	return err;
}

static int do_labels(void)
{
	pmLabelSet *sets = NULL;
	int n = pmLookupLabels(FAKE_WORD, &sets);

	for (int i = 0; i < n; i++) {
		touch(sets[i].json, sets[i].jsonlen);
		for (int j = 0; j < sets[i].nlabels; j++) {
			const pmLabel *l = &sets[i].labels[j];

			touch(sets[i].json + l->name, l->namelen);
			touch(sets[i].json + l->value, l->valuelen);
		}
	}
	pmFreeLabelSets(sets, n);
	return n;
}

static int do_store(void)
{
	pmValueSet set = { .pmid = FAKE_WORD, .numval = 1 };
	pmResult r = { .numpmid = 1, .vset = { &set } };

	return pmStore(&r);
}

static const struct call {
	const char *name;
	int (*make)(void);
	int honest;		/* the call's result if the reply is correct */
} calls[] = {
	{ "fetch", do_fetch, 0 },
	{ "names", do_names, 4 },
	{ "name_of", do_name_of, 2 },
	{ "children", do_children, 3 },
	{ "traverse", do_traverse, 6 },	/* including three of event.* */
	{ "desc", do_desc, 0 },
	{ "descs", do_descs, 4 },
	{ "indom", do_indom, 3 },
	{ "instance", do_instance, 2 },
	{ "instance_name", do_instance_name, 0 },
	{ "text", do_text, 0 },
	{ "labels", do_labels, 5 },
	{ "store", do_store, 0 },
};

#define NCALLS	(sizeof(calls) / sizeof(calls[0]))

static const struct call *call_of(const char *name)
{
	for (size_t i = 0; i < NCALLS; i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}

#endif /* HOST_CALLS_H */
