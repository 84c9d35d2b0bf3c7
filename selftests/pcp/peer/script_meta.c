// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random scripts of calls: query names, descriptors, instances, labels, texts and the archive
 * itself
 */
#include "script.h"

static pmID some_pmid(struct script *s)
{
	switch (roll(s, 12)) {
	case 0:
		return PM_ID_NULL;
	case 1:
		return pmID_build(roll(s, 511), roll(s, 4096), roll(s, 1024));
	}
	return s->ar->pmids[roll(s, s->ar->n)];
}

static pmInDom some_indom(struct script *s, int *at)
{
	*at = roll(s, s->ar->nindoms);
	if (!s->ar->nindoms || !roll(s, 12))
		return roll(s, 2) ? PM_INDOM_NULL : pmInDom_build(roll(s, 511), roll(s, 1000));
	return s->ar->indoms[*at];
}

/* Choose a metric's name, a part of a name, or an invalid name. */
static void some_name(struct script *s, char *buf, size_t room)
{
	size_t len;

	snprintf(buf, room, "%s", s->ar->names[roll(s, s->ar->n)]);
	len = strlen(buf);
	switch (roll(s, 8)) {
	case 0:
		buf[roll(s, len + 1)] = '\0';
		break;
	case 1:
		snprintf(buf + len, room - len, ".more");
		break;
	case 2:
	case 3:
	case 4:
		for (char *dot = buf + roll(s, len); *dot; dot++)
			if (*dot == '.')
				*dot = '\0';
		break;
	}
}

static void print_list(const char *what, int n, char **list)
{
	printf("%s: %d", what, n);
	for (int i = 0; i < n; i++)
		printf(" %s", list[i]);
	putchar('\n');
	if (n > 0)
		free(list);
}

static void leaf(const char *name, void *closure)
{
	uint64_t *sum = closure;

	for (; *name; name++)
		*sum = *sum * 31 + (unsigned char)*name;
}

static void children(struct script *s)
{
	char name[256];
	uint64_t sum = 7;
	char **list;
	int *status;
	int n;

	some_name(s, name, sizeof(name));
	printf("%s ", name);
	n = pmGetChildren(name, &list);
	print_list("children", n, list);
	n = pmGetChildrenStatus(name, &list, &status);
	for (int i = 0; i < n; i++)
		printf("%d", status[i]);
	if (n > 0)
		free(status);
	print_list(" children", n, list);
	n = pmTraversePMNS_r(name, leaf, &sum);
	printf("%s: %d below, %" PRIx64 "\n", name, n, n < 0 ? 0 : sum);
}

static void look_up(struct script *s)
{
	char buf[5][256];
	const char *names[5];
	pmID pmids[5] = { 0 };
	int n = 1 + roll(s, 5);

	for (int i = 0; i < n; i++) {
		some_name(s, buf[i], sizeof(buf[i]));
		names[i] = buf[i];
	}
	printf("look up %d: %d", n, pmLookupName(n, names, pmids));
	for (int i = 0; i < n; i++)
		printf(" %s %x", names[i], pmids[i]);
	putchar('\n');
}

static void names_of(struct script *s)
{
	pmID pmid = some_pmid(s);
	char **all, *name;
	int err = pmNameID(pmid, &name);
	int n = pmNameAll(pmid, &all);

	printf("name of %x: %d %s\n", pmid, err, err < 0 ? "" : name);
	if (!err)
		free(name);
	print_list("names", n, all);
}

static void describe(struct script *s)
{
	pmID pmids[4];
	pmDesc descs[4];
	int n = 1 + roll(s, 4);

	for (int i = 0; i < n; i++)
		pmids[i] = some_pmid(s);
	printf("desc: %d\n", pmLookupDesc(pmids[0], &descs[0]));
	n = pmLookupDescs(n, pmids, descs);
	printf("descs: %d\n", n);
	for (int i = 0; i < n; i++)
		if (descs[i].pmid != PM_ID_NULL)
			printf("  %x %d %x %d %s\n", descs[i].pmid, descs[i].type, descs[i].indom,
			       descs[i].sem, pmUnitsStr(&descs[i].units));
}

void play_names(struct script *s)
{
	static void (*const ways[])(struct script *) = { children, look_up, names_of, describe };

	ways[roll(s, sizeof(ways) / sizeof(ways[0]))](s);
}

static void print_name(const char *what, int inst, int err, char *name)
{
	printf("%s %d: %d %s\n", what, inst, err, err < 0 ? "" : name);
	if (err >= 0)
		free(name);
}

void play_instances(struct script *s)
{
	int at, n, inst = (int)roll(s, 50);
	pmInDom indom = some_indom(s, &at);
	char text[300] = "nobody";
	char *name;

	if (is_odd_second(s))
		return;
	if (s->ar->nindoms && roll(s, 8)) {
		n = s->ar->first[at + 1] - s->ar->first[at];
		if (n) {
			n = s->ar->first[at] + roll(s, n);
			inst = s->ar->ids[n];
			snprintf(text, sizeof(text), "%s", s->ar->instances[n]);
		}
		if (!roll(s, 4) && strchr(text, ' '))
			*strchr(text, ' ') = '\0';
	}
	dump_instances(indom, roll(s, 3) ? pmGetInDom : pmGetInDomArchive);
	n = pmNameInDom(indom, inst, &name);
	print_name("instance", inst, n, name);
	n = pmNameInDomArchive(indom, inst, &name);
	print_name("instance, ever", inst, n, name);
	printf("instance %s: %d, ever %d\n", text, pmLookupInDom(indom, text),
	       pmLookupInDomArchive(indom, text));
}

static void print_sets(const char *what, int n, pmLabelSet *sets)
{
	printf("labels of %s: %d\n", what, n);
	for (int i = 0; i < n; i++)
		dump_set(&sets[i]);
	if (n > 0)
		pmFreeLabelSets(sets, n);
}

void play_labels(struct script *s)
{
	pmLabelSet *sets = NULL;
	pmID pmid = some_pmid(s);
	int at, n;
	pmInDom indom = some_indom(s, &at);
	const char *what;

	if (is_odd_second(s))
		return;
	switch (roll(s, 7)) {
	case 0:
		what = "context";
		n = pmGetContextLabels(&sets);
		break;
	case 1:
		what = "domain";
		n = pmGetDomainLabels(pmID_domain(pmid), &sets);
		break;
	case 2:	/* the original has labels only for item 0 */
		what = "cluster";
		pmid = pmID_build(pmID_domain(pmid), pmID_cluster(pmid), 0);
		n = pmGetClusterLabels(pmid, &sets);
		break;
	case 3:
		what = "item";
		n = pmGetItemLabels(pmid, &sets);
		break;
	case 4:
		what = "indom";
		n = pmGetInDomLabels(indom, &sets);
		break;
	case 5:
		what = "instances";
		n = pmGetInstancesLabels(indom, &sets);
		break;
	default:
		what = "all";
		n = pmLookupLabels(pmid, &sets);
	}
	print_sets(what, n, sets);
}

void play_texts(struct script *s)
{
	static const int levels[] = {
		PM_TEXT_ONELINE, PM_TEXT_HELP, PM_TEXT_ONELINE | PM_TEXT_DIRECT,
		PM_TEXT_HELP | PM_TEXT_DIRECT,
	};
	int at, err, level = levels[roll(s, 4)];
	pmID pmid = some_pmid(s);
	pmInDom indom = some_indom(s, &at);
	char *text = NULL;
	bool metric = roll(s, 2);

	err = metric ? pmLookupText(pmid, level, &text) : pmLookupInDomText(indom, level, &text);
	printf("text of %x, %d: %d <%s>\n", metric ? pmid : indom, level, err, err < 0 ? "" : text);
	if (err >= 0)
		free(text);
}

static void show_archive(void)
{
	pmHighResLogLabel fine;
	pmLogLabel label;
	struct timeval tv = { 0 };
	struct timespec ts = { 0 };
	int err = pmGetArchiveLabel(&label);

	printf("label: %d\n", err);
	if (!err)
		printf("  %x %d %" PRId64 ".%06ld %s %s\n", label.ll_magic, (int)label.ll_pid,
		       (int64_t)label.ll_start.tv_sec, (long)label.ll_start.tv_usec,
		       label.ll_hostname, label.ll_tz);
	err = pmGetHighResArchiveLabel(&fine);
	printf("label: %d\n", err);
	if (!err)
		printf("  %x %d %" PRId64 ".%09ld %s %s %s\n", fine.magic, (int)fine.pid,
		       (int64_t)fine.start.tv_sec, fine.start.tv_nsec, fine.hostname,
		       fine.timezone, fine.zoneinfo);
	err = pmGetArchiveEnd(&tv);
	printf("end: %d ", err);
	if (!err)
		dump_stamp(tv.tv_sec, (long)tv.tv_usec * 1000);
	err = pmGetHighResArchiveEnd(&ts);
	printf("end: %d ", err);
	if (!err)
		dump_stamp(ts.tv_sec, ts.tv_nsec);
	printf(" which: %d\n", pmWhichContext());
}

/*
 * Query the label and the end of the archive.  With several archives use a temporary context,
 * because a query of the first one's label or of the last one's end changes the original's
 * position.
 */
void play_archive(struct script *s)
{
	int other = s->ar->several ? pmNewContext(PM_CONTEXT_ARCHIVE, s->ar->name) : -1;

	show_archive();
	if (!s->ar->several)
		return;
	printf("destroy %d: %d\n", other, pmDestroyContext(other));
	if (s->at >= 0)
		pmUseContext(s->actors[s->at].handle);
}
