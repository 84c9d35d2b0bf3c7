// SPDX-License-Identifier: GPL-2.0-or-later
/* Look up an archive's metrics by number, and read its records in order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "series.h"
#include "text.h"
#include "vcpc.h"

static void catalog_add(const char *name, void *closure)
{
	struct vcpc_catalog *c = closure;
	size_t room = c->room ? 2 * c->room : 64;
	struct vcpc_entry e = { 0 };

	/*
	 * Skip event.*: every archive's name space contains these metrics, but no archive has
	 * values for them.
	 */
	if (c->err || !strncmp(name, "event.", 6))
		return;
	if (pmLookupName(1, &name, &e.desc.pmid) < 0 || pmLookupDesc(e.desc.pmid, &e.desc) < 0)
		return;
	if (c->n == c->room) {
		struct vcpc_entry *more = realloc(c->entries, room * sizeof(*more));

		if (!more) {
			c->err = -ENOMEM;
			return;
		}
		c->entries = more;
		c->room = room;
	}
	e.name = strdup(name);
	if (e.name)
		vcpc_printable(e.name, "");
	if (!e.name)
		c->err = -ENOMEM;
	else
		c->entries[c->n++] = e;
}

static int by_pmid(const void *a, const void *b)
{
	const struct vcpc_entry *x = a, *y = b;

	return (x->desc.pmid > y->desc.pmid) - (x->desc.pmid < y->desc.pmid);
}

/* Sort by PMID, and keep one entry for a metric that has several names or was requested twice. */
static void catalog_unite(struct vcpc_catalog *c)
{
	size_t n = 0;

	qsort(c->entries, c->n, sizeof(*c->entries), by_pmid);
	for (size_t i = 0; i < c->n; i++) {
		if (n && c->entries[n - 1].desc.pmid == c->entries[i].desc.pmid)
			free(c->entries[i].name);
		else
			c->entries[n++] = c->entries[i];
	}
	c->n = n;
}

int vcpc_catalog_read(struct vcpc_catalog *c, char **names)
{
	int err = *names ? 0 : vcpc_traverse("", catalog_add, c);

	if (err < 0)
		return vcpc_fail_pm(err, "metrics");
	for (; *names; names++) {
		err = pmTraversePMNS_r(*names, catalog_add, c);
		if (err < 0)
			return vcpc_fail_metric(err, *names);
	}
	if (c->err)
		return vcpc_fail(c->err, "metrics");
	if (c->n)
		catalog_unite(c);
	return 0;
}

void vcpc_catalog_free(struct vcpc_catalog *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->entries[i].name);
	free(c->entries);
}

struct vcpc_entry *vcpc_catalog_find(const struct vcpc_catalog *c, pmID pmid, size_t *next)
{
	const struct vcpc_entry key = { .desc.pmid = pmid };
	struct vcpc_entry *e;

	if (*next < c->n && c->entries[*next].desc.pmid == pmid)
		return &c->entries[(*next)++];
	e = c->n ? bsearch(&key, c->entries, c->n, sizeof(key), by_pmid) : NULL;
	if (e)
		*next = e - c->entries + 1;
	return e;
}

int vcpc_records(const struct vcpc_window *w, const char *archive,
		 int (*take)(const pmHighResResult *r, void *arg), void *arg)
{
	struct timespec delta = { 0, 0 };
	struct vcpc_progress progress;
	pmHighResResult *r;
	int err = pmSetModeHighRes(PM_MODE_FORW, &w->origin, &delta);
	int status = 0;

	vcpc_progress_start(&progress, vcpc_seconds(w->origin),
			    vcpc_seconds(w->to) - vcpc_seconds(w->origin));
	while (!err && !status) {
		err = pmFetchHighResArchive(&r);
		if (err < 0)
			break;
		err = 0;
		if (vcpc_ns_of(r->timestamp) > vcpc_ns_of(w->to))
			err = PM_ERR_EOL;
		else
			status = take(r, arg);
		vcpc_progress_at(&progress, vcpc_seconds(r->timestamp));
		pmFreeHighResResult(r);
	}
	vcpc_progress_end(&progress);
	if (status)
		return status;
	return err == PM_ERR_EOL ? 0 : vcpc_fail_pm(err, archive);
}

const char *vcpc_instance(pmInDom indom, int inst, char *buf, size_t size)
{
	char *name;
	int err = pmNameInDom(indom, inst, &name);

	if (err == -ENOMEM)
		vcpc_no_memory();
	if (err < 0) {
		snprintf(buf, size, "%d, without a name", inst);
	} else {
		snprintf(buf, size, "%s", name);
		free(name);
	}
	return vcpc_printable(buf, "");
}
