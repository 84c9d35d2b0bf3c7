/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fetch groups: metrics, and the program's variables that receive their converted values.
 *
 * Only one thread at a time may use a group.  Groups share no data.
 */
#ifndef SHIM_PCP_FETCHGROUP_H
#define SHIM_PCP_FETCHGROUP_H

#include <stdbool.h>

#include <pcp/pmapi.h>

/*
 * struct shim_conversion - how to convert a metric's values
 * @rate: use their change per second
 * @scale: convert them to @units, then multiply by @multiplier
 */
struct shim_conversion {
	bool rate;
	bool scale;
	pmUnits units;
	double multiplier;
};

enum shim_wanted_kind {
	SHIM_WANTED_ITEM,
	SHIM_WANTED_INDOM,
	SHIM_WANTED_EVENT,
	SHIM_WANTED_TIMESPEC,
	SHIM_WANTED_TIMEVAL,
};

/*
 * struct shim_wanted - a metric of a group, or the group's stamp, and the program's
 * variables for it
 * @inst: instance, for items and for events that have instances
 * @at: probable index of the metric in a result
 * @field: a parameter of the event's records, which @conv converts
 * @values, @type: values and type: one value of an item, or @max of an indom or event
 * @stss: a status for each value
 * @codes, @names: instances of an indom
 * @list: the array into which @names point; a fetch with new names uses a new array
 * @times: times of an event's records
 * @num: number of values
 * @sts: status of the metric
 *
 * Every pointer to a variable of the program may be NULL.
 */
struct shim_wanted {
	struct shim_wanted *next;
	enum shim_wanted_kind kind;
	pmDesc desc, field;
	int inst;
	int at;
	struct shim_conversion conv;
	pmAtomValue *values;
	int type;
	int *stss;
	int *codes;
	char **names;
	char **list;
	struct timespec *times;
	unsigned int max;
	unsigned int *num;
	int *sts;
	struct timespec *timespec;
	struct timeval *timeval;
};

/* The instances of a domain.  They are looked up again if a value has an unknown instance. */
struct shim_known_indom {
	pmInDom indom;
	bool known;
	int n;
	int *codes;
	char **names;
	struct shim_old_names *old;
};

/* Names that were replaced, but to which the program may still have pointers */
struct shim_old_names {
	struct shim_old_names *next;
	char **names;
};

/*
 * struct __pmFetchGroup - a group
 * @wraps: treat a counter that has decreased as wrapped (PCP_COUNTER_WRAP)
 * @once: do not keep discrete values until there are new ones (PCP_DISCRETE_ONCE)
 * @last: the last result, for rates
 */
struct __pmFetchGroup {
	int context;
	bool wraps, once;
	struct shim_wanted *wanted;
	pmID *pmids;
	int npmids;
	size_t pmids_room;
	struct shim_known_indom *indoms;
	int nindoms;
	size_t indoms_room;
	pmHighResResult *last;
};

/*
 * The value sets of a result or of an event record, and its time stamp; search the sets starting at
 * @first, and each set first at index @guess
 */
struct shim_fetched {
	pmValueSet *const *sets;
	int n;
	struct timespec stamp;
	int first, guess;
};

/* Return 0, PM_ERR_TYPE, PM_ERR_CONV, or an error from pmParseUnitsStr(). */
int shim_conversion__parse(struct shim_conversion *conv, const pmDesc *desc, const char *scale,
			   int type);
/*
 * Extract the value of a metric's instance as @type.  Return 0, PM_ERR_VALUE if there is no value,
 * or another error.  The caller frees a string.
 */
int shim_fetchgroup__value(const struct __pmFetchGroup *fg, const pmDesc *desc, int inst,
			   const struct shim_conversion *conv, const struct shim_fetched *sample,
			   pmAtomValue *out, int type);
/* Set a missing value: -1, NaN or, after freeing the string, NULL. */
void shim_wanted__clear_value(pmAtomValue *value, int type);
/* Clear all variables of the program, because no value has been fetched yet. */
void shim_wanted__clear(struct shim_wanted *w);
/*
 * Write the values of a result to the program's variables.  After an error, the result has no sets.
 */
void shim_wanted__fill(struct __pmFetchGroup *fg, struct shim_wanted *w,
		       const struct shim_fetched *result);

#endif /* SHIM_PCP_FETCHGROUP_H */
