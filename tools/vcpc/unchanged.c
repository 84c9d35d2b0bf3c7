// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Complete the records of an archive without values that have not changed (vcpc record --changes).
 *
 * Interpolation at the time of a record returns the values that the record would contain without
 * that option.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "overview.h"
#include "unchanged.h"
#include "vcpc.h"

static bool omits(const pmLabelSet *sets, int n)
{
	for (int i = 0; i < n; i++)
		if (sets[i].json && strstr(sets[i].json, "\"unchanged\":\"omitted\""))
			return true;
	return false;
}

/*
 * Return whether the recorder omits values of this metric.  Its metrics that describe the last
 * interval have no value in a record if there was no event.
 */
static bool lasts(const char *name, const pmDesc *desc)
{
	static const char *const instant[] = {
		"trace.observe.value", "vcpc.transact.last_time", "vcpc.transact.max_time",
		"vcpc.transact.min_time",
	};

	if (!vcpc_begins(name, "trace.") && !vcpc_begins(name, "vcpc.transact."))
		return false;
	for (size_t i = 0; i < sizeof(instant) / sizeof(instant[0]); i++)
		if (!strcmp(name, instant[i]))
			return true;
	return desc->sem == PM_SEM_COUNTER;
}

static void add_metric(const char *name, void *closure)
{
	struct vcpc_unchanged *u = closure;
	pmID *pmids, pmid;
	pmDesc desc;

	if (pmLookupName(1, &name, &pmid) < 0 || pmLookupDesc(pmid, &desc) < 0 || !lasts(name, &desc))
		return;
	pmids = reallocarray(u->pmids, u->n + 1, sizeof(*pmids));
	if (!pmids)
		vcpc_no_memory();
	u->pmids = pmids;
	u->pmids[u->n++] = pmid;
}

int vcpc_unchanged_open(struct vcpc_unchanged *u)
{
	int present = pmWhichContext(), err;
	pmLabelSet *sets = NULL;
	int n = pmGetContextLabels(&sets);
	bool wanted = omits(sets, n);

	if (n == -ENOMEM)
		vcpc_no_memory();
	if (n > 0)
		pmFreeLabelSets(sets, n);
	if (!wanted)
		return 0;
	err = vcpc_traverse("", add_metric, u);
	if (err >= 0)
		err = u->context = pmDupContext();
	if (err >= 0)
		err = pmUseContext(present);
	if (err >= 0)
		return 0;
	u->n = 0;
	return vcpc_fail_pm(err, "metrics");
}

/* Fetch the values at the time of a record.  Return an error if that fails. */
static int fetch(struct vcpc_unchanged *u, const pmHighResResult *r, pmHighResResult **values)
{
	int present = pmWhichContext(), err = pmUseContext(u->context);
	const struct timespec none = { 0, 0 };

	if (!err)
		err = pmSetModeHighRes(PM_MODE_INTERP, &r->timestamp, &none);
	if (!err)
		err = pmFetchHighRes(u->n, u->pmids, values);
	/* Damage is returned once, and the next fetch continues; vcpc_damage() reports it. */
	if (err == PM_ERR_LOGREC)
		err = pmFetchHighRes(u->n, u->pmids, values);
	if (err == -ENOMEM)
		vcpc_no_memory();
	pmUseContext(present);
	return err;
}

static int by_inst(const void *a, const void *b)
{
	const pmValue *x = a, *y = b;

	return (x->inst > y->inst) - (x->inst < y->inst);
}

/* Return the set to pass on, with instances in the order in which the recorder writes them. */
static pmValueSet *set_of(const struct vcpc_unchanged *u, const pmHighResResult *values, pmValueSet *set)
{
	for (int i = 0; i < u->n; i++) {
		pmValueSet *found = values->vset[i];

		if (found->pmid != set->pmid)
			continue;
		if (found->numval > 1)
			qsort(found->vlist, found->numval, sizeof(found->vlist[0]), by_inst);
		return found;
	}
	return set;
}

int vcpc_unchanged_take(const pmHighResResult *r, void *arg)
{
	struct vcpc_unchanged *u = arg;
	pmHighResResult *values, *full;
	int status;

	if (!u->n || !r->numpmid)
		return u->take(r, u->arg);
	/* A second record of the same time has only values that the first one lacks. */
	if (vcpc_ns_of(r->timestamp) == vcpc_ns_of(u->last))
		return 0;
	u->last = r->timestamp;
	status = fetch(u, r, &values);
	if (status == PM_ERR_LOGREC)
		return u->take(r, u->arg);
	if (status < 0)
		return vcpc_fail_pm(status, "values");
	full = malloc(sizeof(*full) + r->numpmid * sizeof(full->vset[0]));
	if (!full)
		vcpc_no_memory();
	full->timestamp = r->timestamp;
	full->numpmid = r->numpmid;
	for (int i = 0; i < r->numpmid; i++)
		full->vset[i] = set_of(u, values, r->vset[i]);
	status = u->take(full, u->arg);
	free(full);
	pmFreeHighResResult(values);
	return status;
}

void vcpc_unchanged_close(struct vcpc_unchanged *u)
{
	if (u->n)
		pmDestroyContext(u->context);
	free(u->pmids);
}
