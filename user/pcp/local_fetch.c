// SPDX-License-Identifier: LGPL-2.1-or-later
/* Current values from this machine: one sample of the groups that contain the metrics */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "context.h"
#include "local.h"
#include "result.h"

/* The answers collected so far.  All their values are in one array. */
struct answers {
	struct shim_answer *all;
	struct shim_value *values;
	size_t n;
};

static unsigned int groups_of(const struct shim_machine *machine, int n, const pmID *pmids)
{
	unsigned int groups = 0;

	for (int i = 0; i < n; i++) {
		int metric = shim_machine__find(machine, pmids[i]);

		if (metric >= 0)
			groups |= shim_machine__group(machine, metric);
	}
	return groups;
}

static bool is_wanted(const struct shim_profile *profile, const struct shim_metric *m, int inst)
{
	return m->indom == PM_INDOM_NULL || shim_profile__has(profile, m->indom, inst);
}

static void answer_metric(const struct shim_context *ctx, size_t metric, struct answers *answers,
			  struct shim_answer *answer)
{
	const struct shim_machine *machine = ctx->local->machine;
	const struct shim_metric *m = shim_machine__metric(machine, metric);
	int n = shim_machine__values(machine, metric);

	answer->numval = n < 0 ? n : 0;
	answer->valfmt = m->type == PM_TYPE_32 || m->type == PM_TYPE_U32 ? PM_VAL_INSITU :
									   PM_VAL_DPTR;
	answer->values = &answers->values[answers->n];
	for (int i = 0; i < n; i++) {
		struct shim_value *value = &answers->values[answers->n];

		*value = (struct shim_value){ .inst = PM_IN_NULL };
		if (!shim_machine__value(machine, metric, i, value))
			continue;
		if (m->indom == PM_INDOM_NULL)
			value->inst = PM_IN_NULL;
		if (!is_wanted(&ctx->profile, m, value->inst))
			continue;
		answer->numval++;
		answers->n++;
	}
}

/*
 * Return the error for a metric.  As in PCP's library, a local context has no agent for metrics of
 * other domains.
 */
static int error_of(pmID pmid)
{
	unsigned int domain = pmID_domain(pmid);

	if (shim_pmns_tree__builtin(pmid))
		return 0;
	return domain == SHIM_DOMAIN_VCPC || domain == SHIM_DOMAIN_TRACE ? PM_ERR_PMID :
									   PM_ERR_NOAGENT;
}

static size_t most_values(const struct shim_machine *machine, int n, const pmID *pmids)
{
	size_t most = 1;

	for (int i = 0; i < n; i++) {
		int metric = shim_machine__find(machine, pmids[i]);
		int values = metric < 0 ? 0 : shim_machine__values(machine, metric);

		most += values > 0 ? values : 0;
	}
	return most;
}

static int answer_all(const struct shim_context *ctx, unsigned int n, const pmID *pmids,
		      pmResult **out)
{
	const struct shim_machine *machine = ctx->local->machine;
	struct answers answers = {
		.all = calloc(n, sizeof(*answers.all)),
		.values = calloc(most_values(machine, n, pmids), sizeof(*answers.values)),
	};
	int err = -ENOMEM;
	size_t size;

	if (answers.all && answers.values) {
		for (unsigned int i = 0; i < n; i++) {
			int metric = shim_machine__find(machine, pmids[i]);

			answers.all[i].pmid = pmids[i];
			if (metric < 0)
				answers.all[i].numval = error_of(pmids[i]);
			else
				answer_metric(ctx, metric, &answers, &answers.all[i]);
		}
		err = shim_result__build(n, answers.all, out, &size);
	}
	free(answers.all);
	free(answers.values);
	return err;
}

int shim_local_source__fetch(struct shim_context *ctx, int n, const pmID *pmids,
			     struct shim_ts *stamp, pmResult **out)
{
	struct shim_machine *machine = ctx->local->machine;
	unsigned int groups = groups_of(machine, n, pmids);
	struct timespec now;
	int err;

	shim_machine__sample(machine, groups);
	clock_gettime(CLOCK_REALTIME, &now);
	err = answer_all(ctx, n, pmids, out);
	if (err)
		return err;
	if (groups & SHIM_GROUP_TRACE)
		shim_machine__settle(machine);
	*stamp = (struct shim_ts){ now.tv_sec, now.tv_nsec };
	return 0;
}

/* Return the PMAPI code for an error from turning tracing on or off. */
static int error_of_store(int err)
{
	switch (err) {
	case -EROFS:
	case -EPERM:
	case -EACCES:
		return PM_ERR_PERMISSION;
	case -ENODEV:
	case -EBUSY:
		return PM_ERR_AGAIN;
	}
	return err;
}

static int store_one(struct shim_machine *machine, const pmValueSet *set)
{
	int metric = shim_machine__find(machine, set->pmid);
	struct shim_value value = { .inst = PM_IN_NULL, .type = PM_TYPE_U32 };

	if (metric < 0)
		return error_of(set->pmid) ? error_of(set->pmid) : PM_ERR_PMID;
	if (shim_machine__metric(machine, metric)->type != PM_TYPE_U32)
		return PM_ERR_PERMISSION;
	if (set->numval != 1 || set->valfmt != PM_VAL_INSITU)
		return PM_ERR_BADSTORE;
	value.ul = set->vlist[0].value.lval;
	return error_of_store(shim_machine__store(machine, metric, &value));
}

int shim_local_source__store(struct shim_context *ctx, int n, pmValueSet *const *sets)
{
	int err = 0;

	for (int i = 0; i < n && !err; i++)
		err = store_one(ctx->local->machine, sets[i]);
	return err;
}
