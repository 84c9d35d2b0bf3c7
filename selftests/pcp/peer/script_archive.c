// SPDX-License-Identifier: GPL-2.0-or-later
/* Random scripts of calls: collect possible arguments from the archive */
#include <sys/stat.h>

#include "script.h"

static void add_metric(const char *name, void *closure)
{
	struct archive *ar = closure;
	pmID pmid;
	int n = ar->n;

	/* Synthetic metrics are not part of the archive. */
	if (!strncmp(name, "event.", 6) || pmLookupName(1, &name, &pmid) < 0)
		return;
	for (int i = 0; i < n; i++)
		if (ar->pmids[i] == pmid)
			return;
	ar->names = realloc(ar->names, (n + 1) * sizeof(*ar->names));
	ar->pmids = realloc(ar->pmids, (n + 1) * sizeof(*ar->pmids));
	ar->descs = realloc(ar->descs, (n + 1) * sizeof(*ar->descs));
	ar->names[n] = strdup(name);
	ar->pmids[n] = pmid;
	if (pmLookupDesc(pmid, &ar->descs[n]) < 0)
		ar->descs[n] = (pmDesc){ .pmid = pmid, .indom = PM_INDOM_NULL };
	ar->n++;
}

static void add_indom(struct archive *ar, pmInDom indom)
{
	int n = ar->nindoms, have = n ? ar->first[n] : 0;
	int *ids;
	char **names;
	int found;

	for (int i = 0; i < n; i++)
		if (ar->indoms[i] == indom)
			return;
	found = pmGetInDomArchive(indom, &ids, &names);
	found = found < 0 ? 0 : found;
	ar->indoms = realloc(ar->indoms, (n + 1) * sizeof(*ar->indoms));
	ar->first = realloc(ar->first, (n + 2) * sizeof(*ar->first));
	ar->ids = realloc(ar->ids, (have + found + 1) * sizeof(*ar->ids));
	ar->instances = realloc(ar->instances, (have + found + 1) * sizeof(*ar->instances));
	ar->indoms[n] = indom;
	ar->first[n] = have;
	ar->first[n + 1] = have + found;
	for (int i = 0; i < found; i++) {
		ar->ids[have + i] = ids[i];
		ar->instances[have + i] = strdup(names[i]);
	}
	if (found) {
		free(ids);
		free(names);
	}
	ar->nindoms++;
}

static void note_record(struct archive *ar, const pmHighResResult *r)
{
	const struct timespec *last = ar->nstamps ? &ar->stamps[ar->nstamps - 1] : NULL;

	if (!r->numpmid)
		ar->marks = true;
	if (last && last->tv_sec == r->timestamp.tv_sec && last->tv_nsec == r->timestamp.tv_nsec)
		ar->twins = true;
	if (ar->nstamps < MAX_STAMPS)
		ar->stamps[ar->nstamps++] = r->timestamp;
}

static void look_at_records(struct archive *ar)
{
	pmHighResResult *r;
	int err;

	while (!(err = pmFetchHighResArchive(&r))) {
		note_record(ar, r);
		pmFreeHighResResult(r);
	}
	printf("records: %d, then %d; marks %d, twins %d\n", ar->nstamps, err, ar->marks, ar->twins);
}

static bool is_several(const char *name)
{
	struct stat st;

	return strchr(name, ',') || (!stat(name, &st) && S_ISDIR(st.st_mode));
}

/*
 * Collect possible arguments of calls.  Return 0, or the error for which the archive cannot be
 * used.
 */
int archive_learn(struct archive *ar, const char *name)
{
	pmHighResLogLabel label;
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE, name);
	int err = handle < 0 ? handle : pmGetHighResArchiveLabel(&label);

	*ar = (struct archive){ .name = name, .several = is_several(name) };
	if (err < 0)
		return err;
	ar->start = label.start;
	err = pmGetHighResArchiveEnd(&ar->end);
	if (err < 0)
		return err;
	ar->n = 0;
	err = pmTraversePMNS_r("", add_metric, ar);
	for (int i = 0; i < ar->n; i++)
		if (ar->descs[i].indom != PM_INDOM_NULL)
			add_indom(ar, ar->descs[i].indom);
	printf("metrics: %d (%d), indoms: %d\n", ar->n, err, ar->nindoms);
	look_at_records(ar);
	pmDestroyContext(handle);
	return ar->n ? 0 : PM_ERR_NODATA;
}
