// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run random scripts of calls on a host's pmcd, and print all results.
 *
 * This program includes only <pcp/pmapi.h>.  live_scripts_vs_pcp.sh builds it with libshim and with
 * PCP's own library, and compares the output.  The calls of a script depend only on its seed.  Each
 * script runs in a separate process, but scripts share the state of PCP's sample agent.  Therefore
 * both libraries run the same scripts in the same order, each with a newly started agent.
 *
 * usage: live_scripts SPEC SEED FIRST LAST [FILE]
 *
 * FILE is the sample agent's file of dynamic instances.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer.h"

#define STEPS		24
#define CONTEXTS	5
#define GROUPS		2
#define ROOM		8
#define COUNT(list)	(sizeof(list) / sizeof((list)[0]))

/*
 * These metrics have values that do not depend on the clock, except the last three, which do not
 * exist.
 */
static const char *const names[] = {
	"sample.bin", "sample.long.ten", "sample.colour", "sample.bucket", "sample.part_bin",
	"sample.bogus_bin", "sample.lights", "sample.magnitude",
	"sample.write_me", "sample.long.bin", "sample.ulong.bin_ctr", "sample.ulong.count.kilo",
	"sample.float.one", "sample.float.bin", "sample.longlong.million", "sample.longlong.write_me",
	"sample.longlong.bin_ctr", "sample.double.ten", "sample.double.write_me",
	"sample.double.bin_ctr", "sample.string.hullo", "sample.string.null", "sample.string.write_me",
	"sample.aggregate.hullo", "sample.aggregate.null", "sample.hordes.one", "sample.bad.unknown",
	"sample.bad.nosupport", "sample.bad.novalues", "sample.needprofile", "sample.noinst",
	"sample.dodgey.control", "sample.dynamic.counter", "sample.dynamic.discrete",
	"sample.dynamic.instant", "sample.error_code", "sample.error_check", "sample.bigid",
	"sample.many.count", "sample.many.int", "sample.datasize", "sample.scramble.bin",
	"sample.scramble.version", "sample.negative.ctr.m_64", "sample.negative.instant.m_double",
	"sample.negative.discrete.m_float", "sample.controller.mirage", "sample.dupnames.two.bin",
	"sampledso.bin", "sampledso.long.ten", "sampledso.many.int", "sampledso.string.hullo",
	"sampledso.scramble.bin", "sampledso.event.type", "pmcd.version", "pmcd.numagents",
	"sample.nosuch", "sample", "nosuch.metric",
};

static const char *const expressions[] = {
	"sample.long.ten + sample.longlong.million", "sample.bin * 2", "sample.bin + sample.part_bin",
	"sample.bin[bin-300]", "sample.bin[nosuch]", "sum(sample.bin)", "count(sample.many.int)",
	"avg(sample.scramble.bin)", "sum(sample.double.bin_ctr)", "delta(sample.write_me)",
	"matchinst(/bin-[3-5]/, sample.bin)", "sample.bin > 400 ? sample.bin : sample.bin + 1",
	"defined(sample.nosuch) ? sample.nosuch : sample.long.ten", "sample.nosuch", "sample.nosuch + 1",
	"sample.string.hullo", "sample.string.hullo + 1", "sample.bad.unknown + 1", "sample.many.int + 1",
	"instant(sample.negative.ctr.m_64)", "rescale(sample.longlong.million, \"kbyte\")", "3 +",
	"novalue(type=u64)", "count(sample.dynamic.instant)", "mkconst(7, type=u32)", "own.m0 + 1",
	"sample.bin + sample.colour", "sampledso.bin - sample.bin", "count(sample.needprofile)",
};

struct script {
	uint64_t dice;
	int context[CONTEXTS];
	pmFG group[GROUPS];
	int items[GROUPS];
	int derived, own;
	time_t first;
};

struct item {
	pmAtomValue value[ROOM];
	int type, status, all, codes[ROOM], statuses[ROOM];
	char *names[ROOM];
	unsigned int n;
};

static struct item items[GROUPS][ROOM];
static const char *host, *dynamic;

static unsigned int roll(struct script *s, unsigned int sides)
{
	return random_next(&s->dice) % sides;
}

static const char *some_name(struct script *s)
{
	static char own[16];

	if (roll(s, 4))
		return names[roll(s, COUNT(names))];
	snprintf(own, sizeof(own), "own.m%u", roll(s, s->derived + 1));
	return own;
}

static pmID some_pmid(struct script *s)
{
	const char *name = some_name(s);
	pmID pmid = PM_ID_NULL;

	if (!roll(s, 20))
		return pmID_build(29, 77, 77);
	pmLookupName(1, &name, &pmid);
	return pmid;
}

static pmInDom some_indom(struct script *s)
{
	pmDesc d;

	if (!roll(s, 12))
		return PM_INDOM_NULL;
	return pmLookupDesc(some_pmid(s), &d) < 0 ? pmInDom_build(29, 999) : d.indom;
}

static void play_context(struct script *s)
{
	int i = roll(s, CONTEXTS), *c = &s->context[i];

	switch (roll(s, 9)) {
	case 0:
	case 1:
		*c = pmNewContext(PM_CONTEXT_HOST, host);
		printf("new %d", *c);
		break;
	case 2:
	case 3:
		*c = pmDupContext();
		printf("copy %d", *c);
		break;
	case 4:
		printf("destroy %d: %d", *c, pmDestroyContext(*c));
		break;
	case 5:
		printf("reconnect %d: %d", *c, pmReconnectContext(*c));
		break;
	case 6:
		printf("new: %d", pmNewContext(PM_CONTEXT_HOST, "127.0.0.1:1"));
		break;
	default:
		printf("use %d: %d", *c, pmUseContext(*c));
	}
	printf(", now %d\n", pmWhichContext());
}

/*
 * Change the profile, but avoid differences: in the original, the first pmDelProfile() of some
 * instances of a domain also excludes all others, and a copied context loses a pmDelProfile() of
 * all domains.
 */
static void play_profile(struct script *s)
{
	static const int some[] = { 100, 200, 300, 400, 500, 600, 700, 800, 900, 0, 1, 2, 3, 12345, -1 };
	pmInDom indom = some_indom(s);
	int list[ROOM], n = roll(s, ROOM);

	for (int i = 0; i < n; i++)
		list[i] = some[roll(s, COUNT(some))];
	switch (roll(s, 5)) {
	case 0:
		printf("all %d\n", pmAddProfile(indom, 0, NULL));
		break;
	case 1:
		if (indom != PM_INDOM_NULL)
			printf("none %d\n", pmDelProfile(indom, 0, NULL));
		break;
	case 2:
		printf("all %d\n", pmAddProfile(indom, 0, NULL));
		if (n)
			printf("without %d: %d\n", n, pmDelProfile(indom, n, list));
		break;
	default:
		printf("with %d: %d\n", n, pmAddProfile(indom, n, list));
	}
}

static int by_instance(const void *a, const void *b)
{
	const pmValue *v = a, *w = b;

	return v->inst < w->inst ? -1 : v->inst > w->inst;
}

/*
 * Return PM_ID_NULL for a derived metric that is already in the fetch, because the original
 * computes it twice.
 */
static pmID once(const pmID *pmids, int n, pmID pmid)
{
	for (int i = 0; i < n; i++)
		if (pmid == pmids[i] && pmID_domain(pmid) == 511)
			return PM_ID_NULL;
	return pmid;
}

static void play_fetch(struct script *s)
{
	pmID pmids[ROOM];
	int err, n = 1 + roll(s, ROOM - 1);
	pmHighResResult *h;
	pmResult *r;

	for (int i = 0; i < n; i++)
		pmids[i] = once(pmids, i, some_pmid(s));
	if (roll(s, 2)) {
		err = pmFetchHighRes(n, pmids, &h);
		printf("fetch of %d, high: %d\n", n, err);
		if (err < 0)
			return;
		dump_vsets(h->numpmid, h->vset, 1);
		pmFreeHighResResult(h);
	} else {
		err = pmFetch(n, pmids, &r);
		printf("fetch of %d: %d\n", n, err);
		if (err < 0)
			return;
		for (int i = 0; i < r->numpmid; i++)
			if (r->vset[i]->numval > 1 && roll(s, 2))
				qsort(r->vset[i]->vlist, r->vset[i]->numval, sizeof(pmValue), by_instance);
		dump_vsets(r->numpmid, r->vset, 1);
		pmFreeResult(r);
	}
}

static void play_derived(struct script *s)
{
	const char *text = expressions[roll(s, COUNT(expressions))];
	char name[16], *fault = NULL, *at;
	int err;

	snprintf(name, sizeof(name), "own.m%d", roll(s, 9) ? s->derived : (int)roll(s, s->derived + 1));
	/*
	 * Each process defines derived metrics either of one context or of all contexts, because
	 * the original confuses the two.
	 */
	switch (s->own ? 2 : roll(s, 2)) {
	case 0:
		err = pmRegisterDerivedMetric(name, text, &fault);
		printf("register %s = %s: %d <%s>\n", name, text, err, err < 0 && fault ? fault : "");
		free(err < 0 ? fault : NULL);
		break;
	case 1:
		at = pmRegisterDerived(name, text);
		printf("register %s = %s: %td <%s>\n", name, text, at ? at - text : -1,
		       at ? pmDerivedErrStr() : "");
		break;
	default:
		at = pmAddDerived(name, text);
		printf("add %s = %s: %td <%s>\n", name, text, at ? at - text : -1, at ? pmDerivedErrStr() : "");
	}
	s->derived++;
}

static void play_names(struct script *s)
{
	const char *name[3] = { some_name(s), names[roll(s, COUNT(names))], names[roll(s, COUNT(names))] };
	pmID pmids[3];
	char **list;
	int *status;
	int n = pmLookupName(1, name, pmids);

	printf("name %s: %d %s\n", name[0], n, n == 1 ? pmIDStr(pmids[0]) : "");
	n = pmLookupName(2, name + 1, pmids + 1);
	printf("names %s %s: %d %s", name[1], name[2], n, pmIDStr(pmids[1]));
	printf(" %s\n", pmIDStr(pmids[2]));
	n = pmNameAll(pmids[1], &list);
	printf("all names: %d", n);
	for (int i = 0; i < n; i++)
		printf(" %s", list[i]);
	if (n > 0)
		free(list);
	n = pmGetChildrenStatus(roll(s, 2) ? "own" : "sample.dupnames", &list, &status);
	printf("\nchildren: %d", n);
	/* Print the names sorted, because their order is undefined. */
	for (int i = 0, least; n > 0 && i < n; i++) {
		least = 0;
		for (int j = 1; j < n; j++)
			if (!list[least] || (list[j] && strcmp(list[j], list[least]) < 0))
				least = j;
		printf(" %s %d", list[least], status[least]);
		list[least] = NULL;
	}
	putchar('\n');
	if (n > 0) {
		free(list);
		free(status);
	}
}

static void play_meta(struct script *s)
{
	pmID pmid = some_pmid(s);
	pmDesc d = { 0 };
	pmLabelSet *sets = NULL;
	char *text = NULL;
	int err = pmLookupDesc(pmid, &d), n;

	printf("desc %s: %d %d %s %d %s\n", pmIDStr(pmid), err, d.type, pmInDomStr(d.indom), d.sem,
	       pmUnitsStr(&d.units));
	if (pmID_domain(pmid) == 511)
		return;		/* the original crashes on derived metrics */
	err = pmLookupText(pmid, PM_TEXT_ONELINE, &text);
	printf("text: %d <%s>\n", err, err < 0 ? "" : text);
	free(text);
	n = pmLookupLabels(pmid, &sets);
	printf("labels: %d\n", n);
	for (int i = 0; i < n; i++)
		dump_set(&sets[i]);
	if (n > 0)
		pmFreeLabelSets(sets, n);
}

static void play_instances(struct script *s)
{
	static const char *const some[] = { "bin-300", "red", "none", "b", "i-3", "0" };
	pmInDom indom = some_indom(s);
	const char *wanted = some[roll(s, COUNT(some))];
	char *name = NULL;
	int err, inst = roll(s, 10) * (roll(s, 2) ? 100 : 1);

	dump_instances(indom, pmGetInDom);
	err = pmNameInDom(indom, inst, &name);
	printf("  %d is %d <%s>, %s is %d\n", inst, err, err < 0 ? "" : name, wanted,
	       pmLookupInDom(indom, wanted));
	if (err >= 0)
		free(name);
}

static void play_store(struct script *s)
{
	static const char *const where[] = {
		"sample.many.count", "sample.write_me", "sample.long.write_me", "sample.scramble.version",
		"sample.error_code", "sample.dodgey.control", "sample.bin", "sample.nosuch",
		"sampledso.many.count", "sample.string.write_me",
	};
	static const int what[] = { 0, 1, 3, 9, 40, -3, 2, -12350 };
	const char *name = where[roll(s, COUNT(where))];
	pmValueSet set = { .numval = 1, .valfmt = PM_VAL_INSITU };
	pmResult r = { .numpmid = 1, .vset = { &set } };
	int value = what[roll(s, COUNT(what))];

	if (strstr(name, "dodgey") || strstr(name, "error"))
		value = value < 0 || value > 5 ? 0 : value % 4;
	if (strstr(name, "many") && value < 0)
		value = 5;	/* without instances, the agent runs out of memory */
	pmLookupName(1, &name, &set.pmid);
	set.vlist[0].inst = PM_IN_NULL;
	set.vlist[0].value.lval = value;
	printf("store %s %d: %d\n", name, value, pmStore(&r));
}

/* Change and query the domain of sample.dynamic.*. */
static void play_domain(struct script *s)
{
	static unsigned int changes;
	static const char *const all[] = { "1 a\n", "2 b\n", "3 c c\n", "40 d\n", "5 a\n" };
	unsigned int set = roll(s, 32);
	FILE *f = dynamic ? fopen(dynamic, "w") : NULL;
	struct timespec times[2];

	printf("domain %u\n", set);
	if (!f)
		return;
	for (unsigned int i = 0; i < COUNT(all); i++)
		if (set & 1u << i && (i < 4 || !(set & 1)))
			fputs(all[i], f);
	fclose(f);
	/* The agent reads the file again only if the time of its last change differs in seconds. */
	times[0] = times[1] = (struct timespec){ s->first + changes++, 0 };
	utimensat(AT_FDCWD, dynamic, times, 0);
}

static void extend(struct script *s, int g)
{
	static const char *const instances[] = { NULL, "bin-300", "red", "none", "i-1", "a" };
	static const char *const scales[] = { NULL, "instant", "rate", "kbyte", "sec" };
	struct item *w = &items[g][s->items[g]];
	const char *name = some_name(s), *scale = scales[roll(s, 3 + 2 * !roll(s, 4))];
	const char *instance = instances[roll(s, COUNT(instances))];
	int err, *all = roll(s, 3) ? &w->status : NULL;

	/* Rates of metrics that change with each fetch would depend on the clock. */
	if (strstr(name, "own.") || strstr(name, "negative"))
		scale = NULL;
	memset(w, 0, sizeof(*w));
	/*
	 * Request texts as strings: if a number in a text is out of range, the original remembers
	 * this.
	 */
	w->type = strstr(name, "string") ? PM_TYPE_STRING : (int)roll(s, PM_TYPE_STRING + 1);
	w->status = 99;
	w->all = roll(s, 2);
	if (w->all)
		err = pmExtendFetchGroup_indom(s->group[g], name, scale, w->codes, w->names, w->value, w->type,
					       w->statuses, ROOM, &w->n, all);
	else
		err = pmExtendFetchGroup_item(s->group[g], name, instance, scale, w->value, w->type, all);
	printf("extend %d by %s %s %s, %d: %d\n", g, name, instance ? instance : "-", scale ? scale : "-",
	       w->type, err);
	s->items[g] += !err;
}

static void print_value(const pmAtomValue *v, int type)
{
	if (type == PM_TYPE_STRING)
		printf(" <%s>", v->cp ? v->cp : "");
	else if (type == PM_TYPE_FLOAT)
		printf(" %.9g", v->f != v->f ? 12345.0 : v->f);
	else if (type == PM_TYPE_DOUBLE)
		printf(" %.17g", v->d != v->d ? 12345.0 : v->d);
	else if (type == PM_TYPE_32 || type == PM_TYPE_U32)
		printf(" %08x", v->ul);
	else
		printf(" %016" PRIx64, v->ull);
}

static void print_group(const struct item *w, int n)
{
	for (; n--; w++) {
		printf(" %d:", w->status);
		if (!w->all)
			print_value(w->value, w->type);
		for (unsigned int i = 0; w->all && i < w->n; i++) {
			printf(" %d %s %d", w->codes[i], w->names[i] ? w->names[i] : "-", w->statuses[i]);
			print_value(&w->value[i], w->type);
		}
		putchar('\n');
	}
}

static void play_group(struct script *s)
{
	int err, g = roll(s, GROUPS), act = roll(s, 8);

	if (!s->group[g]) {
		err = pmCreateFetchGroup(&s->group[g], PM_CONTEXT_HOST, host);
		printf("group %d: %d\n", g, err);
		s->items[g] = 0;
	} else if (act == 0) {
		printf("destroy group %d: %d\n", g, pmDestroyFetchGroup(s->group[g]));
		s->group[g] = NULL;
	} else if (act < 4 && s->items[g] < ROOM) {
		extend(s, g);
	} else {
		err = pmFetchGroup(s->group[g]);
		printf("fetch group %d: %d\n", g, err);
		if (err >= 0)
			print_group(items[g], s->items[g]);
	}
	printf("now %d\n", pmWhichContext());
}

static void play(uint64_t seed)
{
	static void (*const ways[])(struct script *) = {
		play_fetch, play_fetch, play_fetch, play_fetch, play_context, play_context, play_profile,
		play_profile, play_derived, play_names, play_meta, play_instances, play_store, play_domain,
		play_group, play_group, play_group,
	};
	struct script s = { .own = seed % 2, .first = (time_t)(seed % 1000000 * 100) };

	for (int i = 0; i < CONTEXTS; i++)
		s.context[i] = -1;
	for (int step = 0; step < STEPS; step++) {
		s.dice = seed * 1000003 + step;
		for (int i = 0; i < 4; i++)
			random_next(&s.dice);
		printf("%d. ", step);
		if (!step) {
			s.context[0] = pmNewContext(PM_CONTEXT_HOST, host);
			printf("new %d\n", s.context[0]);
		} else {
			ways[roll(&s, COUNT(ways))](&s);
		}
	}
	putchar('\n');
}

static void play_apart(uint64_t seed)
{
	struct rlimit cpu = { 20, 20 };
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		setrlimit(RLIMIT_CPU, &cpu);
		alarm(60);
		play(seed);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status)
		printf("\nended by signal %d\n", WTERMSIG(status));
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	host = argv[1];
	dynamic = argv[5];
	for (long i = atol(argv[3]); i <= atol(argv[4]); i++) {
		printf("== %ld\n", i);
		play_apart(strtoull(argv[2], NULL, 10) * 1000000007 + (uint64_t)i);
	}
	return 0;
}
