// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The calls of fetch groups.
 *
 * Threads: groups have no lock.  Because a fetch writes to variables of the program, the program
 * must ensure that only one thread at a time uses a group.  Each call makes the group's context the
 * thread's current one, as in the original.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/process.h"
#include "base/vec.h"
#include "fetchgroup.h"

/**
 * pmCreateFetchGroup() - create a group of metrics that are fetched together, with its own context
 * @fg: set to the group, or to NULL on error
 * @type: type of the context, as for pmNewContext()
 * @name: name of the context's source, as for pmNewContext()
 *
 * Return: 0, an error from pmNewContext(), -ENOMEM.
 */
SHIM_API int pmCreateFetchGroup(pmFG *fg, int type, const char *name)
{
	pmFG group;
	int handle;

	if (!fg)
		return -EINVAL;
	*fg = NULL;
	group = calloc(1, sizeof(*group));
	if (!group)
		return -ENOMEM;
	handle = pmNewContext(type, name);
	if (handle < 0) {
		free(group);
		return handle;
	}
	group->context = handle;
	group->wraps = shim_environ__get("PCP_COUNTER_WRAP");
	group->once = shim_environ__get("PCP_DISCRETE_ONCE");
	*fg = group;
	return 0;
}

/**
 * pmGetFetchGroupContext() - get a group's context, to set its mode or for lookups
 * @fg: the group
 *
 * Return: the context's handle, -EINVAL.
 */
SHIM_API int pmGetFetchGroupContext(pmFG fg)
{
	return fg ? fg->context : -EINVAL;
}

/* Add a metric to the fetched metrics, unless it is already one of them, and set its index. */
static int add_pmid(pmFG fg, struct shim_wanted *w)
{
	for (w->at = 0; w->at < fg->npmids; w->at++)
		if (fg->pmids[w->at] == w->desc.pmid)
			return 0;
	if (shim_vec__room(fg->pmids, &fg->pmids_room, fg->npmids))
		return -ENOMEM;
	fg->pmids[fg->npmids++] = w->desc.pmid;
	return 0;
}

static void link_in(pmFG fg, struct shim_wanted *w)
{
	/*
	 * Zero the values first, so that clear() does not free pointers that the program left
	 * there.
	 */
	if (w->values)
		memset(w->values, 0, w->max * sizeof(*w->values));
	shim_wanted__clear(w);
	w->next = fg->wanted;
	fg->wanted = w;
}

/* Add a copy of @what to the group.  If @err is an error, only return it. */
static int group_extend(pmFG fg, const struct shim_wanted *what, int err)
{
	struct shim_wanted *w;

	if (err < 0)
		return err;
	w = malloc(sizeof(*w));
	if (!w)
		return -ENOMEM;
	*w = *what;
	if (w->kind == SHIM_WANTED_ITEM || w->kind == SHIM_WANTED_INDOM ||
	    w->kind == SHIM_WANTED_EVENT) {
		err = add_pmid(fg, w);
		if (err) {
			free(w);
			return err;
		}
	}
	link_in(fg, w);
	return 0;
}

static int metric_describe(const char *metric, pmDesc *desc)
{
	pmID pmid;
	int err;

	if (!metric)
		return -EINVAL;
	err = pmLookupName(1, &metric, &pmid);
	if (err < 0)
		return err;
	return pmLookupDesc(pmid, desc);
}

/*
 * Find an instance and add it to the profile.  In an archive, search at the current time first,
 * then at any time.
 */
static int find_instance(pmInDom indom, const char *name, int *inst)
{
	int found = pmLookupInDom(indom, name);

	if (found < 0) {
		int any = pmLookupInDomArchive(indom, name);

		if (any >= 0 || any != PM_ERR_NOTARCHIVE)
			found = any;
	}
	if (found < 0)
		return found;
	*inst = found;
	return pmAddProfile(indom, 1, inst);
}

/* Look up a metric and, if it has an instance domain, the instance. */
static int look_up(const char *metric, const char *instance, struct shim_wanted *w)
{
	int err = metric_describe(metric, &w->desc);

	if (err < 0)
		return err;
	if ((w->desc.indom == PM_INDOM_NULL) != !instance)
		return PM_ERR_INDOM;
	return instance ? find_instance(w->desc.indom, instance, &w->inst) : 0;
}

static int item_begin(pmFG fg, const char *metric)
{
	return fg && metric ? pmUseContext(fg->context) : -EINVAL;
}

/**
 * pmExtendFetchGroup_item() - add one value to a group
 * @fg: the group
 * @metric: the metric's name
 * @instance: name of the instance, or NULL for a metric without instances
 * @scale: NULL (counters as a rate, other values unchanged), "rate", "instant", or units as for
 *	pmParseUnitsStr().  Units imply a rate if their time dimension is one less than the metric's
 * @out_value: variable for the value, or NULL
 * @out_type: the variable's type: a number, or a string, which the group owns
 * @out_sts: variable for a fetch's status, or NULL
 *
 * Fetches write to these variables, so they must exist until the group is cleared.
 *
 * Return: 0; PM_ERR_NAME and similar codes, PM_ERR_INDOM if @instance is set for a metric without
 * instances, or NULL for a metric with instances, PM_ERR_INST or PM_ERR_INST_LOG, PM_ERR_TYPE,
 * PM_ERR_CONV for units of other dimensions, -EINVAL, -ENOMEM.
 */
SHIM_API int pmExtendFetchGroup_item(pmFG fg, const char *metric, const char *instance,
				     const char *scale, pmAtomValue *out_value, int out_type,
				     int *out_sts)
{
	struct shim_wanted w = { .kind = SHIM_WANTED_ITEM, .values = out_value, .type = out_type,
				 .sts = out_sts, .max = 1 };
	int err = item_begin(fg, metric);

	if (!err)
		err = look_up(metric, instance, &w);
	if (err >= 0)
		err = shim_conversion__parse(&w.conv, &w.desc, scale, out_type);
	return err < 0 ? err : group_extend(fg, &w, 0);
}

/* Add an instance domain to the group, and all its instances to the context's profile. */
static int add_indom(pmFG fg, pmInDom indom)
{
	if (indom == PM_INDOM_NULL)
		return 0;
	for (int i = 0; i < fg->nindoms; i++)
		if (fg->indoms[i].indom == indom)
			return 0;
	if (shim_vec__room(fg->indoms, &fg->indoms_room, fg->nindoms))
		return -ENOMEM;
	fg->indoms[fg->nindoms++] = (struct shim_known_indom){ .indom = indom };
	return pmAddProfile(indom, 0, NULL);
}

/**
 * pmExtendFetchGroup_indom() - add a metric's values for all instances to a group
 * @fg: the group
 * @metric: the metric's name; a metric without instances has a single value
 * @scale: as for pmExtendFetchGroup_item()
 * @out_inst_codes: the instances, ascending, or NULL
 * @out_inst_names: their names, which the group owns, or NULL
 * @out_values: the values, or NULL
 * @out_type: the values' type
 * @out_stss: a status for each value, or NULL
 * @out_maxnum: size of each of these arrays
 * @out_num: variable for the number of values, or NULL; set to 0 if they do not fit
 * @out_sts: variable for a fetch's status, or NULL; PM_ERR_TOOBIG if the values do not fit
 *
 * Return: as for pmExtendFetchGroup_item().
 */
SHIM_API int pmExtendFetchGroup_indom(pmFG fg, const char *metric, const char *scale,
				      int out_inst_codes[], char *out_inst_names[],
				      pmAtomValue out_values[], int out_type, int out_stss[],
				      unsigned int out_maxnum, unsigned int *out_num, int *out_sts)
{
	struct shim_wanted w = { .kind = SHIM_WANTED_INDOM, .codes = out_inst_codes,
				 .names = out_inst_names, .values = out_values, .type = out_type,
				 .stss = out_stss, .max = out_maxnum, .num = out_num,
				 .sts = out_sts };
	int err = item_begin(fg, metric);

	if (!err)
		err = metric_describe(metric, &w.desc);
	if (err >= 0)
		err = add_indom(fg, w.desc.indom);
	if (err >= 0)
		err = shim_conversion__parse(&w.conv, &w.desc, scale, out_type);
	return err < 0 ? err : group_extend(fg, &w, 0);
}

/*
 * Look up a field of an event and its conversion.  Return PM_ERR_CONV for a rate between records.
 */
static int parse_field(struct shim_wanted *w, const char *field, const char *scale)
{
	int err = metric_describe(field, &w->field);

	if (err < 0)
		return err;
	if (w->field.indom != PM_INDOM_NULL)
		return PM_ERR_INDOM;
	if (w->desc.type != PM_TYPE_EVENT && w->desc.type != PM_TYPE_HIGHRES_EVENT)
		return PM_ERR_TYPE;
	err = shim_conversion__parse(&w->conv, &w->field, scale, w->type);
	return !err && w->conv.rate ? PM_ERR_CONV : err;
}

/**
 * pmExtendFetchGroup_event() - add a field of a metric's event records to a group
 * @fg: the group
 * @metric: the metric's name
 * @instance: name of the instance, or NULL
 * @field: the parameter's name
 * @scale: as for pmExtendFetchGroup_item(), except rates
 * @out_times: the records' times, or NULL
 * @out_values: the parameters' values in the records' order, or NULL
 * @out_type: the values' type
 * @out_stss: a status for each value, or NULL
 * @out_maxnum: size of each of these arrays
 * @out_num: variable for the number of values, or NULL
 * @out_sts: variable for a fetch's status, or NULL; PM_ERR_TOOBIG if there were more values
 *
 * Return: as for pmExtendFetchGroup_item().
 */
SHIM_API int pmExtendFetchGroup_event(pmFG fg, const char *metric, const char *instance,
				      const char *field, const char *scale,
				      struct timespec out_times[], pmAtomValue out_values[],
				      int out_type, int out_stss[], unsigned int out_maxnum,
				      unsigned int *out_num, int *out_sts)
{
	struct shim_wanted w = { .kind = SHIM_WANTED_EVENT, .times = out_times,
				 .values = out_values, .type = out_type, .stss = out_stss,
				 .max = out_maxnum, .num = out_num, .sts = out_sts };
	int err = item_begin(fg, metric);

	if (!err)
		err = look_up(metric, instance, &w);
	if (err >= 0)
		err = parse_field(&w, field, scale);
	return err < 0 ? err : group_extend(fg, &w, 0);
}

/**
 * pmExtendFetchGroup_timespec() - add the time of each fetch's values to a group
 * @fg: the group
 * @out_value: variable for the time; 0 before the first fetch
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
SHIM_API int pmExtendFetchGroup_timespec(pmFG fg, struct timespec *out_value)
{
	struct shim_wanted w = { .kind = SHIM_WANTED_TIMESPEC, .timespec = out_value };

	return group_extend(fg, &w, fg ? 0 : -EINVAL);
}

/** pmExtendFetchGroup_timeval() - like pmExtendFetchGroup_timespec(), in microseconds */
SHIM_API int pmExtendFetchGroup_timeval(pmFG fg, struct timeval *out_value)
{
	struct shim_wanted w = { .kind = SHIM_WANTED_TIMEVAL, .timeval = out_value };

	return group_extend(fg, &w, fg ? 0 : -EINVAL);
}

/** pmExtendFetchGroup_timestamp() - older name of pmExtendFetchGroup_timeval() */
SHIM_API int pmExtendFetchGroup_timestamp(pmFG fg, struct timeval *out_value)
{
	return pmExtendFetchGroup_timeval(fg, out_value);
}

/*
 * Return whether the program has names from this list, for values that were kept when others were
 * cleared.
 */
static bool is_in_use(pmFG fg, char **names)
{
	for (const struct shim_wanted *w = fg->wanted; w; w = w->next)
		if (w->names && w->list == names)
			return true;
	return false;
}

static void forget_old_names(pmFG fg)
{
	for (int i = 0; i < fg->nindoms; i++) {
		struct shim_old_names **at = &fg->indoms[i].old, *old;

		while ((old = *at)) {
			if (is_in_use(fg, old->names)) {
				at = &old->next;
				continue;
			}
			*at = old->next;
			free(old->names);
			free(old);
		}
	}
}

/*
 * Clear all values, except discrete ones unless PCP_DISCRETE_ONCE is set.  Discrete values keep
 * their names until shim_wanted__fill() replaces them.
 */
static void clear_all(pmFG fg)
{
	for (struct shim_wanted *w = fg->wanted; w; w = w->next)
		if (fg->once || w->kind == SHIM_WANTED_EVENT || w->desc.sem != PM_SEM_DISCRETE)
			shim_wanted__clear(w);
	forget_old_names(fg);
}

static void fill_all(pmFG fg, const struct shim_fetched *sample)
{
	for (struct shim_wanted *w = fg->wanted; w; w = w->next)
		shim_wanted__fill(fg, w, sample);
}

/**
 * pmFetchGroup() - fetch a group's metrics, and write the values to the program's variables
 * @fg: the group
 *
 * A value that is not available is -1, NaN or NULL, and its status is the reason: PM_ERR_VALUE if
 * there was no value, PM_ERR_AGAIN for the first fetch of a rate, or an error from its
 * conversion.  If the fetch fails, the status of each metric is PM_ERR_VALUE.
 *
 * Return: as for pmFetch().
 */
SHIM_API int pmFetchGroup(pmFG fg)
{
	struct shim_fetched sample = { 0 };
	pmHighResResult *result;
	int ret;

	if (!fg)
		return -EINVAL;
	clear_all(fg);
	ret = pmUseContext(fg->context);
	if (ret)
		return ret;
	ret = pmFetchHighRes(fg->npmids, fg->pmids, &result);
	if (ret < 0) {
		pmtimespecNow(&sample.stamp);
		fill_all(fg, &sample);
		return ret;
	}
	pmSortHighResInstances(result);
	sample.sets = result->vset;
	sample.n = result->numpmid;
	sample.stamp = result->timestamp;
	fill_all(fg, &sample);
	pmFreeHighResResult(fg->last);
	fg->last = result;
	return ret;
}

static void remove_all(pmFG fg)
{
	while (fg->wanted) {
		struct shim_wanted *next = fg->wanted->next;

		if (fg->wanted->kind <= SHIM_WANTED_EVENT)
			shim_wanted__clear(fg->wanted);
		free(fg->wanted);
		fg->wanted = next;
	}
	pmFreeHighResResult(fg->last);
	fg->last = NULL;
	free(fg->pmids);
	fg->pmids = NULL;
	fg->npmids = 0;
	fg->pmids_room = 0;
	forget_old_names(fg);
	for (int i = 0; i < fg->nindoms; i++) {
		free(fg->indoms[i].codes);
		free(fg->indoms[i].names);
	}
	free(fg->indoms);
	fg->indoms = NULL;
	fg->nindoms = 0;
	fg->indoms_room = 0;
}

/**
 * pmClearFetchGroup() - remove all metrics from a group
 * @fg: the group; its context is unchanged and becomes the caller's current one
 *
 * Strings and names that the group has returned are freed.
 *
 * Return: 0, PM_ERR_NOCONTEXT, -EINVAL.
 */
SHIM_API int pmClearFetchGroup(pmFG fg)
{
	if (!fg)
		return -EINVAL;
	remove_all(fg);
	return pmUseContext(fg->context);
}

/**
 * pmDestroyFetchGroup() - destroy a group and its context
 * @fg: the group, or NULL
 *
 * The caller's current context is unchanged, unless it belongs to the group.
 *
 * Return: 0.
 */
SHIM_API int pmDestroyFetchGroup(pmFG fg)
{
	if (!fg)
		return 0;
	remove_all(fg);
	pmDestroyContext(fg->context);
	free(fg);
	return 0;
}
