// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Use host contexts with PCP's pmcd and its sample agent while system calls fail.
 *
 * usage: live SPEC
 */
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "fail/shared/sweep.h"

static const char *const metrics[] = {
	"sample.long.one", "sample.bin", "sample.string.hullo", "sample.double.hundred",
	"sample.longlong.million", "derived.sum",
};

#define METRICS	6

static const char *spec;

/* Return an error after reconnecting, as most programs do. */
static long asked(long err)
{
	if (err < 0 && err != PM_ERR_EOL)
		pmReconnectContext(pmWhichContext());
	return err;
}

static long registered(void)
{
	char *message = NULL;
	int err = pmRegisterDerivedMetric("derived.sum", "sample.long.ten + sample.long.one", &message);

	free(message);
	return err;
}

static void settings(void)
{
	setenv("PMCD_REQUEST_TIMEOUT", "5", 1);
	setenv("PMCD_CONNECT_TIMEOUT", "5", 1);
	setenv("PMCD_RECONNECT_TIMEOUT", "0", 1);
	registered();
}

static int open_context(void)
{
	int context = (int)TRY(pmNewContext(PM_CONTEXT_HOST, spec));

	say("context %d\n", context >= 0);
	return context;
}

static void say_value(const pmValueSet *set, int i, const pmDesc *desc)
{
	pmAtomValue v = { 0 };

	say(" %d %ld", set->vlist[i].inst,
	    TRY(pmExtractValue(set->valfmt, &set->vlist[i], desc->type, &v, desc->type)));
	if (desc->type == PM_TYPE_STRING)
		say("=%s", v.cp ? v.cp : "?");
	else if (desc->type == PM_TYPE_DOUBLE)
		say("=%g", v.d);
	else if (desc->type == PM_TYPE_64 || desc->type == PM_TYPE_U64)
		say("=%lld", (long long)v.ll);
	else
		say("=%d", v.l);
	if (desc->type == PM_TYPE_STRING)
		free(v.cp);
}

static void say_values(const pmValueSet *const *sets, const pmDesc *descs)
{
	for (int m = 0; m < METRICS; m++) {
		say(" |%d", sets[m]->numval);
		for (int i = 0; i < sets[m]->numval; i++)
			say_value(sets[m], i, &descs[m]);
	}
	say("\n");
}

static void fetch(pmID *ids, const pmDesc *descs)
{
	pmHighResResult *precise = NULL;
	pmResult *r = NULL;

	say("fetch %d", TRY(asked(pmFetch(METRICS, ids, &r))) < 0);
	if (r) {
		say_values((const pmValueSet *const *)r->vset, descs);
		pmFreeResult(r);
	}
	say("fetch precisely %d", TRY(asked(pmFetchHighRes(METRICS, ids, &precise))) < 0);
	if (precise) {
		say_values((const pmValueSet *const *)precise->vset, descs);
		pmFreeHighResResult(precise);
	}
}

static void describe(pmID *ids, pmDesc *descs)
{
	say("names %ld\n", TRY(asked(pmLookupName(METRICS, (const char **)metrics, ids))));
	say("descs %ld", TRY(asked(pmLookupDescs(METRICS, ids, descs))));
	for (int i = 0; i < METRICS; i++)
		say(" %d %x", descs[i].type, descs[i].indom);
	memset(&descs[0], 0, sizeof(descs[0]));
	say("\ndesc %ld", TRY(asked(pmLookupDesc(ids[0], &descs[0]))));
	say(" %d\n", descs[0].type);
}

static void values(void)
{
	pmID ids[METRICS] = { 0 };
	pmDesc descs[METRICS] = { { 0 } };
	int context = open_context(), second, some[] = { 100, 300 };

	describe(ids, descs);
	fetch(ids, descs);
	say("profile %ld", TRY(pmDelProfile(descs[1].indom, 0, NULL)));
	say(" %ld\n", TRY(pmAddProfile(descs[1].indom, 2, some)));
	fetch(ids, descs);
	second = (int)TRY(asked(pmDupContext()));
	say("second %d\n", second >= 0);
	fetch(ids, descs);
	pmDestroyContext(second);
	say("use %ld\n", TRY(pmUseContext(context)));
	fetch(ids, descs);
	pmDestroyContext(context);
}

static void say_text(const char *what, long err, char *text)
{
	say("%s %ld %.60s\n", what, err, text ? text : "?");
	free(text);
}

static void say_labels(const char *what, long err, pmLabelSet *sets)
{
	say("%s %ld", what, err);
	for (long i = 0; i < err; i++)
		say(" %u %d", sets[i].inst, sets[i].nlabels);
	say("\n");
	if (sets)
		pmFreeLabelSets(sets, (int)err);
}

static void instances(pmInDom indom)
{
	char **names = NULL, *name = NULL;
	int *inst = NULL;
	long n = TRY(asked(pmGetInDom(indom, &inst, &names)));

	say("instances %ld", n);
	for (int i = 0; i < n; i++)
		say(" %d=%s", inst[i], names[i]);
	free(inst);
	free(names);
	say("\nnumber %ld\n", TRY(asked(pmLookupInDom(indom, "bin-300"))));
	n = TRY(asked(pmNameInDom(indom, 300, &name)));
	say_text("name", n, name);
}

static int nnames;

static void see(const char *name, void *arg)
{
	(void)name;
	(*(int *)arg)++;
}

static long count_names(const char *below)
{
	nnames = 0;
	return asked(pmTraversePMNS_r(below, see, &nnames));
}

static void names_of(pmID id)
{
	char **names = NULL, *name = NULL;
	int *status = NULL;
	long n = TRY(asked(pmNameID(id, &name)));

	say_text("id", n, name);
	say("all %ld", TRY(asked(pmNameAll(id, &names))));
	say(" %s\n", names ? names[0] : "?");
	free(names);
	names = NULL;
	say("below %ld", TRY(asked(pmGetChildrenStatus("sample.long", &names, &status))));
	say(" %s %d\n", names ? names[0] : "?", status ? status[0] : -1);
	free(names);
	free(status);
	say("traverse %ld", TRY(count_names("sample")));
	say(" %d\n", nnames);
}

static void metadata(void)
{
	pmID ids[METRICS] = { 0 };
	pmDesc descs[METRICS] = { { 0 } };
	int context = open_context();
	pmLabelSet *sets = NULL;
	char *text = NULL, name[256] = "";
	long n;

	describe(ids, descs);
	instances(descs[1].indom);
	names_of(ids[1]);
	n = TRY(asked(pmLookupText(ids[0], PM_TEXT_ONELINE, &text)));
	say_text("text", n, text);
	text = NULL;
	n = TRY(asked(pmLookupInDomText(descs[1].indom, PM_TEXT_HELP, &text)));
	say_text("domain", n, text);
	n = TRY(asked(pmLookupLabels(ids[1], &sets)));
	say_labels("labels", n, sets);
	sets = NULL;
	n = TRY(asked(pmGetInstancesLabels(descs[1].indom, &sets)));
	say_labels("of instances", n, sets);
	/* Without a connection, the name is the one in the specification, or this machine's. */
	say("host %ld\n", TRY(*pmGetContextHostName_r(context, name, sizeof(name)) ? 0 : -1));
	pmDestroyContext(context);
}

static void store(void)
{
	const char *name = "sample.write_me";
	int context = open_context();
	pmResult *r = NULL;
	pmID id = 0;

	say("name %ld\n", TRY(asked(pmLookupName(1, &name, &id))));
	for (int i = 0; i < 2; i++) {
		say("fetch %d", TRY(asked(pmFetch(1, &id, &r))) < 0);
		if (!r)
			break;
		say(" %d", r->vset[0]->vlist[0].value.lval);
		r->vset[0]->vlist[0].value.lval = 7 - i * 5;
		say(" store %ld\n", TRY(asked(pmStore(r))));
		pmFreeResult(r);
		r = NULL;
	}
	pmDestroyContext(context);
}

/* A failure can be in an item's own status. */
static long fetch_group(pmFG fg, const int *sts)
{
	int err = pmFetchGroup(fg);

	for (int i = 0; i < 3 && err >= 0; i++)
		if (sts[i] < 0)
			err = sts[i];
	if (err < 0) {
		pmUseContext(pmGetFetchGroupContext(fg));
		asked(err);
	}
	return err;
}

static void group(void)
{
	pmAtomValue one = { 0 }, text = { 0 }, bins[20] = { { 0 } };
	int sts[3] = { 0 }, stss[20], codes[20];
	char *names[20] = { NULL };
	unsigned int n = 0;
	pmFG fg = NULL;

	say("group %ld\n", TRY(pmCreateFetchGroup(&fg, PM_CONTEXT_HOST, spec)));
	say("one %ld\n", TRY(asked(pmExtendFetchGroup_item(fg, "sample.long.one", NULL, NULL, &one,
							   PM_TYPE_32, &sts[0]))));
	say("text %ld\n", TRY(asked(pmExtendFetchGroup_item(fg, "sample.string.hullo", NULL, NULL,
							    &text, PM_TYPE_STRING, &sts[1]))));
	say("bins %ld\n", TRY(asked(pmExtendFetchGroup_indom(fg, "sample.bin", NULL, codes, names,
							     bins, PM_TYPE_32, stss, 20, &n,
							     &sts[2]))));
	for (int i = 0; i < 3; i++) {
		say("fetch %ld", TRY(fetch_group(fg, sts)));
		say(" %d %s", one.l, text.cp ? text.cp : "?");
		for (unsigned int k = 0; k < n; k++)
			say(" %d %s %d %d", codes[k], names[k], bins[k].l, stss[k]);
		say("\n");
	}
	say("end %ld\n", TRY(pmDestroyFetchGroup(fg)));
}

/* The error message of a derived metric allocates the thread's buffer, which is kept. */
static const struct sweep_case cases[] = {
	{ .name = "live values", .before = settings, .run = values },
	{ .name = "live metadata", .before = settings, .run = metadata },
	{ .name = "live store", .before = settings, .run = store },
	{ .name = "live group", .before = settings, .run = group },
};

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	spec = argv[1];
	return sweep(cases, sizeof(cases) / sizeof(cases[0]));
}
