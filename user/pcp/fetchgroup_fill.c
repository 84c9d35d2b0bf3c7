// SPDX-License-Identifier: LGPL-2.1-or-later
/* Write a fetch group's values from a result to the program's variables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "fetchgroup.h"
#include "stamp.h"

static void clear_values(struct shim_wanted *w)
{
	for (unsigned int i = 0; i < w->max; i++) {
		if (w->values)
			shim_wanted__clear_value(&w->values[i], w->type);
		if (w->names)
			w->names[i] = NULL;
		if (w->times)
			w->times[i] = (struct timespec){ 0 };
		if (w->stss)
			w->stss[i] = PM_ERR_VALUE;
	}
	if (w->num)
		*w->num = 0;
	w->list = NULL;
}

void shim_wanted__clear(struct shim_wanted *w)
{
	clear_values(w);
	if (w->kind == SHIM_WANTED_ITEM && w->sts)
		*w->sts = PM_ERR_VALUE;
	if (w->timespec)
		*w->timespec = (struct timespec){ 0 };
	if (w->timeval)
		*w->timeval = (struct timeval){ 0 };
}

static void put_value(struct shim_wanted *w, unsigned int i, pmAtomValue value)
{
	if (w->values)
		w->values[i] = value;
	else if (w->type == PM_TYPE_STRING)
		free(value.cp);
}

/* Get the metric's set, at which the search for its values begins.  Return NULL if there is none. */
static const pmValueSet *set_of(struct shim_wanted *w, struct shim_fetched *sample)
{
	const pmID pmid = w->desc.pmid;

	if (w->at >= sample->n || sample->sets[w->at]->pmid != pmid)
		for (w->at = 0; w->at < sample->n && sample->sets[w->at]->pmid != pmid;)
			w->at++;
	sample->first = w->at;
	return w->at < sample->n ? sample->sets[w->at] : NULL;
}

/*
 * Return whether to keep the values of a discrete metric because the result has no new ones.  If it
 * has new values, clear the old ones.
 */
static bool stays(const struct __pmFetchGroup *fg, struct shim_wanted *w, const pmValueSet *set)
{
	if (fg->once || w->desc.sem != PM_SEM_DISCRETE || !set)
		return false;
	if (set->numval > 0)
		clear_values(w);
	return set->numval == 0;
}

static void fill_item(struct __pmFetchGroup *fg, struct shim_wanted *w,
		      struct shim_fetched *sample)
{
	pmAtomValue value = { 0 };
	int err;

	if (stays(fg, w, set_of(w, sample)))
		return;
	err = shim_fetchgroup__value(fg, &w->desc, w->inst, &w->conv, sample, &value, w->type);
	if (err >= 0)
		put_value(w, 0, value);
	if (w->sts)
		*w->sts = err;
}

static struct shim_known_indom *known_indom(const struct __pmFetchGroup *fg, pmInDom indom)
{
	for (int i = 0; i < fg->nindoms; i++)
		if (fg->indoms[i].indom == indom)
			return &fg->indoms[i];
	return NULL;
}

/* Get an instance's name, which is probably the one at index @guess, or NULL. */
static char *name_of(const struct shim_known_indom *known, int inst, int guess)
{
	if (guess < known->n && known->codes[guess] == inst)
		return known->names[guess];
	for (int i = 0; i < known->n; i++)
		if (known->codes[i] == inst)
			return known->names[i];
	return NULL;
}

static bool knows_all(const struct shim_known_indom *known, const pmValueSet *set)
{
	for (int i = 0; i < set->numval; i++)
		if (!name_of(known, set->vlist[i].inst, i))
			return false;
	return true;
}

/*
 * Keep the old names until the next fetch or clear, because the program may have pointers to them.
 */
static bool keep_old(struct shim_known_indom *known)
{
	struct shim_old_names *old;

	if (!known->names)
		return true;
	old = malloc(sizeof(*old));
	if (!old)
		return false;
	*old = (struct shim_old_names){ .next = known->old, .names = known->names };
	known->old = old;
	return true;
}

static bool are_same(const struct shim_known_indom *known, int n, const int *codes, char **names)
{
	if (known->n != n)
		return false;
	for (int i = 0; i < n; i++)
		if (known->codes[i] != codes[i] || strcmp(known->names[i], names[i]))
			return false;
	return true;
}

/*
 * Look up a domain's instances.  If pmcd reports an error, the list is empty, and the next fetch
 * tries again.  Return 0, -ENOMEM, or an error from the connection.
 */
static int learn(struct shim_known_indom *known)
{
	char **names = NULL;
	int *codes = NULL;
	int n = pmGetInDom(known->indom, &codes, &names);

	known->known = n >= 0;
	if (shim_pcp__is_failure(n))
		return n;
	if (n < 0)
		n = 0;
	/*
	 * Keep an unchanged list, because a domain is looked up at every fetch if a value has an
	 * instance that is not in the domain.
	 */
	if (are_same(known, n, codes, names)) {
		free(codes);
		free(names);
		return 0;
	}
	if (!keep_old(known)) {
		free(codes);
		free(names);
		known->known = false;
		return -ENOMEM;
	}
	free(known->codes);
	known->codes = codes;
	known->names = names;
	known->n = n;
	return 0;
}

static int name_instances(struct __pmFetchGroup *fg, struct shim_wanted *w, const pmValueSet *set)
{
	struct shim_known_indom *known = known_indom(fg, w->desc.indom);
	int err = 0;

	if (!known)
		return 0;
	if (!known->known || (w->names && !knows_all(known, set)))
		err = learn(known);
	if (err)
		return err;
	w->list = known->names;
	for (int i = 0; w->names && i < set->numval && (unsigned int)i < w->max; i++)
		w->names[i] = name_of(known, set->vlist[i].inst, i);
	return 0;
}

static int fill_instances(struct __pmFetchGroup *fg, struct shim_wanted *w, const pmValueSet *set,
			  struct shim_fetched *sample)
{
	for (int i = 0; i < set->numval; i++) {
		int inst = set->vlist[i].inst, err;
		pmAtomValue value = { 0 };

		if ((unsigned int)i >= w->max)
			return PM_ERR_TOOBIG;
		if (w->codes)
			w->codes[i] = inst;
		sample->guess = i;
		err = shim_fetchgroup__value(fg, &w->desc, inst, &w->conv, sample, &value, w->type);
		if (err >= 0)
			put_value(w, (unsigned int)i, value);
		if (w->stss)
			w->stss[i] = err;
	}
	if (w->num)
		*w->num = (unsigned int)set->numval;
	return 0;
}

static void fill_indom(struct __pmFetchGroup *fg, struct shim_wanted *w,
		       struct shim_fetched *sample)
{
	const pmValueSet *set = set_of(w, sample);
	int err = set ? set->numval : PM_ERR_VALUE;

	if (err >= 0) {
		if (stays(fg, w, set))
			return;
		err = name_instances(fg, w, set);
		if (!err)
			err = fill_instances(fg, w, set, sample);
	}
	if (w->sts)
		*w->sts = err;
}

/* Write the field's values in one record.  A record may have several. */
static int fill_record(struct __pmFetchGroup *fg, struct shim_wanted *w,
		       struct shim_fetched *record, unsigned int *n)
{
	for (int i = 0; i < record->n; i++) {
		pmAtomValue value = { 0 };
		int err;

		if (record->sets[i]->pmid != w->field.pmid || record->sets[i]->numval != 1)
			continue;
		if (*n >= w->max)
			return PM_ERR_TOOBIG;
		record->first = i;
		err = shim_fetchgroup__value(fg, &w->field, -1, &w->conv, record, &value, w->type);
		if (err >= 0) {
			put_value(w, *n, value);
			if (w->times)
				w->times[*n] = record->stamp;
		}
		if (w->stss)
			w->stss[*n] = err;
		++*n;
	}
	return 0;
}

static int fill_highres_records(struct __pmFetchGroup *fg, struct shim_wanted *w, pmValueSet *set,
				int at, unsigned int *n)
{
	pmHighResResult **records = NULL;
	int err = pmUnpackHighResEventRecords(set, at, &records);

	if (err < 0 || !records)
		return err;
	err = 0;
	for (int i = 0; records[i] && !err; i++) {
		struct shim_fetched record = {
			.sets = records[i]->vset, .n = records[i]->numpmid,
			.stamp = records[i]->timestamp,
		};

		err = fill_record(fg, w, &record, n);
	}
	pmFreeHighResEventResult(records);
	return err;
}

static int fill_records(struct __pmFetchGroup *fg, struct shim_wanted *w, pmValueSet *set, int at,
			unsigned int *n)
{
	pmResult **records = NULL;
	int err = pmUnpackEventRecords(set, at, &records);

	if (err < 0 || !records)
		return err;
	err = 0;
	for (int i = 0; records[i] && !err; i++) {
		struct shim_fetched record = {
			.sets = records[i]->vset, .n = records[i]->numpmid,
			.stamp = shim_stamp__to_timespec(shim_stamp__from_timeval(&records[i]->timestamp)),
		};

		err = fill_record(fg, w, &record, n);
	}
	pmFreeEventResult(records);
	return err;
}

static int position_of(const struct shim_wanted *w, const pmValueSet *set)
{
	for (int i = 0; i < set->numval; i++)
		if (w->desc.indom == PM_INDOM_NULL || set->vlist[i].inst == w->inst)
			return i;
	return -1;
}

static void fill_event(struct __pmFetchGroup *fg, struct shim_wanted *w,
		       struct shim_fetched *sample)
{
	const pmValueSet *set = set_of(w, sample);
	unsigned int n = 0;
	int err = set ? set->numval < 0 ? set->numval : 0 : PM_ERR_VALUE;
	int at = err ? -1 : position_of(w, set);

	if (at >= 0 && w->desc.type == PM_TYPE_HIGHRES_EVENT)
		err = fill_highres_records(fg, w, (pmValueSet *)set, at, &n);
	else if (at >= 0)
		err = fill_records(fg, w, (pmValueSet *)set, at, &n);
	if (w->num)
		*w->num = n;
	if (w->sts)
		*w->sts = err;
}

void shim_wanted__fill(struct __pmFetchGroup *fg, struct shim_wanted *w,
		       const struct shim_fetched *result)
{
	struct shim_fetched here = *result, *sample = &here;

	switch (w->kind) {
	case SHIM_WANTED_ITEM:
		fill_item(fg, w, sample);
		break;
	case SHIM_WANTED_INDOM:
		fill_indom(fg, w, sample);
		break;
	case SHIM_WANTED_EVENT:
		fill_event(fg, w, sample);
		break;
	case SHIM_WANTED_TIMESPEC:
		if (w->timespec)
			*w->timespec = sample->stamp;
		break;
	case SHIM_WANTED_TIMEVAL:
		if (w->timeval)
			*w->timeval = (struct timeval){ sample->stamp.tv_sec,
							sample->stamp.tv_nsec / 1000 };
		break;
	}
}
