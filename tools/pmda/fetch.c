// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fetching: builds the result that the library sends to pmcd.
 *
 * The library's own pmdaFetch() calls back for each value and allocates memory for it, which takes
 * nearly as long as reading and computing the values.  Here, a result is a single block of memory,
 * which the next fetch reuses.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

/*
 * Maximum size of a result, because a client may request the same metric repeatedly.  All metrics
 * with 50,000 tags take less than half of this.  If all metrics together are larger, their size is
 * the limit.
 */
#define RESULT_MAX	((size_t)64 << 20)
#define KEPT_MAX	((size_t)8 << 20)	/* a larger block is freed after the fetch */

/* A pmValueBlock that contains a number, which follows the header and is not naturally aligned */
struct block {
	_Alignas(pmValueBlock) char bytes[PM_VAL_HDR_SIZE + sizeof(uint64_t)];
};

/* Location of the next value set and the next block */
struct cursor {
	char *set;
	struct block *block;
};

static size_t head_len(int n)
{
	return offsetof(agent_result, vset) + (size_t)n * sizeof(pmValueSet *);
}

/* Return the size of a value set in bytes.  Even without values, a set occupies a whole struct. */
static size_t set_len(int numval)
{
	return offsetof(pmValueSet, vlist) + (size_t)(numval > 1 ? numval : 1) * sizeof(pmValue);
}

static bool in_place(const struct shim_metric *m)
{
	return m->type == PM_TYPE_32 || m->type == PM_TYPE_U32;
}

/* Return the maximum number of a metric's values, or 0 if it has an error or does not exist. */
static size_t most_values(const struct agent *agent, int metric)
{
	int n = metric < 0 ? 0 : shim_machine__values(agent->machine, metric);

	return n > 0 ? n : 0;
}

/* Return the size of a metric's value set, and add the size of its blocks to @blocks. */
static size_t measure(const struct agent *agent, int metric, size_t *blocks)
{
	size_t values = most_values(agent, metric);

	if (values && !in_place(shim_machine__metric(agent->machine, metric)))
		*blocks += values * sizeof(struct block);
	return set_len(values);
}

static size_t size_of_all(const struct agent *agent)
{
	size_t sets = head_len(agent->nmetrics), blocks = 0;

	for (int i = 0; i < agent->nmetrics; i++)
		sets += measure(agent, (size_t)agent->metrics[i].m_user - 1, &blocks);
	return sets + blocks;
}

/* Grow agent->result to at least @size bytes, with some reserve if it will be reused. */
static int make_room(struct agent *agent, size_t size)
{
	if (size > RESULT_MAX && size > size_of_all(agent))
		return PM_ERR_TOOBIG;
	if (size <= agent->result_room && agent->result_room <= KEPT_MAX)
		return 0;
	free(agent->result);
	agent->result_room = 0;
	size += size / 4;
	agent->result = malloc(size);
	if (!agent->result)
		return -ENOMEM;
	agent->result_room = size;
	return 0;
}

/* Allocate space for the values of @n metrics, and set where value sets and blocks begin. */
static int begin(struct agent *agent, int n, const pmID *pmids, struct cursor *cursor)
{
	size_t sets = head_len(n), blocks = 0;
	int ret;

	for (int i = 0; i < n; i++)
		sets += measure(agent, agent_find(agent, pmids[i]), &blocks);
	ret = make_room(agent, sets + blocks);
	if (ret)
		return ret;
	memset(agent->result, 0, head_len(n));
	agent->result->numpmid = n;
	cursor->set = (char *)agent->result + head_len(n);
	cursor->block = (struct block *)((char *)agent->result + sets);
	return 0;
}

/*
 * Return the client's profile of a metric's instances, or NULL if the profile does not contain
 * their domain.
 */
static const pmInDomProfile *profile_of(const pmProfile *profile, pmInDom indom)
{
	for (int i = 0; profile && i < profile->profile_len; i++)
		if (profile->profile[i].indom == indom)
			return &profile->profile[i];
	return NULL;
}

static int by_number(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/**
 * agent_profile() - receive a client's profile
 * @profile: the library's profile; its lists of instances are sorted here to speed up searches
 * @pmda: the library's data for this agent
 *
 * Return: 0.
 */
int agent_profile(pmProfile *profile, pmdaExt *pmda)
{
	for (int i = 0; i < profile->profile_len; i++) {
		const pmInDomProfile *one = &profile->profile[i];

		if (one->instances_len > 1)
			qsort(one->instances, one->instances_len, sizeof(int), by_number);
	}
	return pmdaProfile(profile, pmda);
}

static bool is_wanted(const pmInDomProfile *profile, int inst)
{
	bool is_exception = profile->instances_len > 0 &&
			    bsearch(&inst, profile->instances, profile->instances_len, sizeof(int),
				    by_number);

	return is_exception == (profile->state == PM_PROFILE_EXCLUDE);
}

static void fill_block(pmValue *to, struct block *block, const struct shim_value *value)
{
	pmValueBlock *head = (pmValueBlock *)block->bytes;
	size_t len = value->type == PM_TYPE_FLOAT ? sizeof(value->f) : sizeof(value->ull);

	head->vtype = value->type;
	head->vlen = PM_VAL_HDR_SIZE + len;
	memcpy(block->bytes + PM_VAL_HDR_SIZE, &value->ull, len);
	to->value.pval = head;
}

/* Fill in the values of a metric without an error. */
static int fill_values(const struct agent *agent, int metric, const pmInDomProfile *profile,
		       pmValueSet *set, struct block **block)
{
	const struct shim_metric *m = shim_machine__metric(agent->machine, metric);
	size_t n = most_values(agent, metric);
	int numval = 0;

	for (size_t i = 0; i < n; i++) {
		struct shim_value value;

		if (!shim_machine__value(agent->machine, metric, i, &value))
			continue;
		if (m->indom == PM_INDOM_NULL)
			value.inst = PM_IN_NULL;
		else if (profile && !is_wanted(profile, value.inst))
			continue;
		set->vlist[numval].inst = value.inst;
		if (in_place(m))
			set->vlist[numval].value.lval = value.l;
		else
			fill_block(&set->vlist[numval], (*block)++, &value);
		numval++;
	}
	set->valfmt = in_place(m) ? PM_VAL_INSITU : PM_VAL_DPTR;
	return numval;
}

static void fill_set(const struct agent *agent, pmID pmid, const pmProfile *all,
		     struct cursor *cursor)
{
	pmValueSet *set = (pmValueSet *)cursor->set;
	int metric = agent_find(agent, pmid);
	const struct shim_metric *m = metric < 0 ? NULL :
						   shim_machine__metric(agent->machine, metric);
	int status = m ? shim_machine__values(agent->machine, metric) : PM_ERR_PMID;
	const pmInDomProfile *profile;

	set->pmid = pmid;
	set->numval = status < 0 ? status : 0;
	set->valfmt = PM_VAL_INSITU;
	cursor->set += set_len(status);
	if (status <= 0)
		return;
	profile = m->indom == PM_INDOM_NULL ? NULL :
		  profile_of(all, pmInDom_build(pmID_domain(pmid), pmInDom_serial(m->indom)));
	if (m->indom != PM_INDOM_NULL && !profile && all && all->state == PM_PROFILE_EXCLUDE)
		return;
	set->numval = fill_values(agent, metric, profile, set, &cursor->block);
}

/**
 * agent_keep() - keep a sent result instead of freeing it
 * @result: the agent's block
 */
void agent_keep(agent_result *result)
{
	(void)result;
}

/**
 * agent_fetch() - sample and return the values of some metrics
 * @n: number of metrics
 * @pmids: the metrics
 * @result: set to the agent's own block, valid until the next fetch
 * @pmda: the library's data for this agent, with the client's profile
 *
 * Return: 0, -ENOMEM, or PM_ERR_TOOBIG.
 */
int agent_fetch(int n, pmID *pmids, agent_result **result, pmdaExt *pmda)
{
	struct agent *agent = pmdaExtGetData(pmda);
	struct cursor cursor;
	unsigned int groups = 0;
	int ret;

	for (int i = 0; i < n; i++) {
		int metric = agent_find(agent, pmids[i]);

		if (metric >= 0)
			groups |= shim_machine__group(agent->machine, metric);
	}
	agent_refresh(agent, groups);
	ret = begin(agent, n, pmids, &cursor);
	if (ret)
		return ret;
	for (int i = 0; i < n; i++) {
		agent->result->vset[i] = (pmValueSet *)cursor.set;
		fill_set(agent, pmids[i], pmda->e_prof, &cursor);
	}
	*result = agent->result;
	return 0;
}
