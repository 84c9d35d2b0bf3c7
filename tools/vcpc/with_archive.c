// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Record metrics of this machine's pmcd into archives: vcpc record --with.
 *
 * The metrics are fetched at each tick and get its timestamp.  While the connection to pmcd is
 * lost, records lack them, and each tick tries to reconnect.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vcpc.h"
#include "window.h"
#include "with_metrics.h"

/*
 * The instances of a domain that an archive has, in ascending order
 * @used: for each instance, serial number of the last set of values that contained it
 */
struct domain {
	pmInDom indom;
	int *inst;
	unsigned long long *used;
	int n;
};

/* An archive that is being recorded; @domains are in the order of struct vcpc_with's @indoms. */
struct with_archive {
	struct vcpc_with *with;
	const struct shim_recorder *rec;
	struct domain *domains;
	struct with_archive *next;
};

static void free_archive(struct with_archive *archive)
{
	for (int i = 0; archive->domains && i < archive->with->nindoms; i++) {
		free(archive->domains[i].inst);
		free(archive->domains[i].used);
	}
	free(archive->domains);
	free(archive);
}

void vcpc_with_end(struct vcpc_with *with, const struct shim_recorder *rec)
{
	struct with_archive **at = &with->archives;

	while (*at && (*at)->rec != rec)
		at = &(*at)->next;
	if (*at) {
		struct with_archive *ended = *at;

		*at = ended->next;
		free_archive(ended);
	}
}

void with_end_all(struct vcpc_with *with)
{
	while (with->archives)
		vcpc_with_end(with, with->archives->rec);
}

/* Return the errno that best describes why no values were fetched. */
static int reason(int err)
{
	if (err < 0 && err > -PM_ERR_BASE)
		return err;
	return err == PM_ERR_TIMEOUT ? -ETIMEDOUT : err == PM_ERR_IPC ? -ENOTCONN : -EIO;
}

static int sample(void *arg)
{
	const struct with_archive *archive = arg;
	struct vcpc_with *with = archive->with;
	int err;

	pmFreeResult(with->result);
	with->result = NULL;
	err = pmUseContext(with->context);
	if (err >= 0)
		err = pmFetch(with->n, with->pmids, &with->result);
	if (err == PM_ERR_IPC && pmReconnectContext(with->context) >= 0)
		err = pmFetch(with->n, with->pmids, &with->result);
	if (err >= 0 && with->result->numpmid == with->n)
		return with->n;
	if (err >= 0)
		pmFreeResult(with->result);
	with->result = NULL;
	return reason(err);
}

static int by_number(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Return the place of the instance in the domain, or NULL. */
static int *find_instance(const struct domain *domain, int inst)
{
	return domain->n ? bsearch(&inst, domain->inst, domain->n, sizeof(inst), by_number) : NULL;
}

static bool has_all(const struct domain *domain, const pmValueSet *set)
{
	for (int i = 0; i < set->numval; i++)
		if (!find_instance(domain, set->vlist[i].inst))
			return false;
	return true;
}

struct instance {
	int inst;	/* must be first, for by_number() */
	char *name;
};

/*
 * Sort instances by number and remove duplicates, as archives require.  Return their number or
 * -ENOMEM.
 */
static int instances_sort(int n, int *inst, char **names)
{
	struct instance *all = calloc(n, sizeof(*all));
	int kept = 0;

	if (!all)
		return -ENOMEM;
	for (int i = 0; i < n; i++)
		all[i] = (struct instance){ inst[i], names[i] };
	qsort(all, n, sizeof(*all), by_number);
	for (int i = 0; i < n; i++) {
		if (kept && inst[kept - 1] == all[i].inst)
			continue;
		inst[kept] = all[i].inst;
		names[kept++] = all[i].name;
	}
	free(all);
	return kept;
}

/*
 * Replace the domain's instances, including in the archive.  Return -errno, or 0, after which the
 * domain owns @inst.
 */
static int domain_replace(struct domain *domain, int n, int *inst, char *const *names,
			  struct shim_recorder *rec)
{
	unsigned long long *used = calloc(n, sizeof(*used));
	int ret = used ? shim_record_instances(rec, domain->indom, n, inst, (const char *const *)names) :
			 -ENOMEM;

	if (ret) {
		free(used);
		return ret;
	}
	free(domain->inst);
	free(domain->used);
	domain->inst = inst;
	domain->used = used;
	domain->n = n;
	return 0;
}

/*
 * Update a domain from pmcd.  If that fails, the domain is unchanged, values of new instances are
 * omitted, and vcpc_with_missing() returns the error.  Return 0, -ENOMEM or an error from writing.
 */
static int write_domain(struct vcpc_with *with, struct domain *domain, struct shim_recorder *rec)
{
	char **names = NULL;
	int *inst = NULL;
	int n = pmGetInDom(domain->indom, &inst, &names), ret;

	if (n < 0 && !with->missing)
		with->missing = reason(n);
	if (n <= 0)
		return 0;
	ret = instances_sort(n, inst, names);
	if (ret > 0)
		ret = domain_replace(domain, ret, inst, names, rec);
	free(names);
	if (ret)
		free(inst);
	return ret == -EINVAL ? 0 : ret;
}

static struct domain *domain_of(const struct with_archive *archive,
				const struct with_metric *metric)
{
	return metric->domain < 0 ? NULL : &archive->domains[metric->domain];
}

static int instances(void *arg, struct shim_recorder *rec)
{
	const struct with_archive *archive = arg;
	struct vcpc_with *with = archive->with;
	int ret = 0;

	for (int i = 0; i < with->n && !ret; i++) {
		struct domain *domain = domain_of(archive, &with->metrics[i]);

		if (domain && !has_all(domain, with->result->vset[i]))
			ret = write_domain(with, domain, rec);
	}
	return ret;
}

/*
 * Return whether to add a value to the set: the first value of each instance that the archive has
 * or, without a domain, only the first value.
 */
static bool take_instance(struct vcpc_with *with, struct domain *domain, int inst, int taken)
{
	const int *at = domain ? find_instance(domain, inst) : NULL;

	if (!domain)
		return !taken;
	if (!at || domain->used[at - domain->inst] == with->serial)
		return false;
	domain->used[at - domain->inst] = with->serial;
	return true;
}

static bool is_string(const pmValueSet *set, const pmValue *value)
{
	const pmValueBlock *block = value->value.pval;

	return set->valfmt != PM_VAL_INSITU && block->vtype == PM_TYPE_STRING &&
	       block->vlen > PM_VAL_HDR_SIZE && memchr(block->vbuf, '\0', block->vlen - PM_VAL_HDR_SIZE);
}

/* Convert a value.  Return false if it is not of the metric's type. */
static bool translate(const pmValueSet *set, int i, int type, struct shim_record_value *value)
{
	const pmValue *from = &set->vlist[i];
	pmAtomValue atom = { .ull = 0 };

	if (type == PM_TYPE_STRING) {
		if (!is_string(set, from))
			return false;
		value->string = from->value.pval->vbuf;
		return true;
	}
	if (pmExtractValue(set->valfmt, from, type, &atom, type) < 0)
		return false;
	memcpy(&value->number, &atom, sizeof(value->number));
	return true;
}

static int write_set(const struct with_archive *archive, int i, struct shim_recorder *rec)
{
	struct vcpc_with *with = archive->with;
	const struct with_metric *metric = &with->metrics[i];
	struct domain *domain = domain_of(archive, metric);
	const pmValueSet *set = with->result->vset[i];
	const pmDesc *desc = &metric->desc;
	struct shim_record_value *values;
	int n = 0, ret;

	if (set->numval <= 0)
		return shim_record_values(rec, desc->pmid, desc->type, set->numval, NULL);
	values = calloc(set->numval, sizeof(*values));
	if (!values)
		return -ENOMEM;
	with->serial++;
	for (int k = 0; k < set->numval; k++) {
		int inst = domain ? set->vlist[k].inst : (int)PM_IN_NULL;

		values[n].inst = inst;
		if (translate(set, k, desc->type, &values[n]) && take_instance(with, domain, inst, n))
			n++;
	}
	ret = shim_record_values(rec, desc->pmid, desc->type, n ? n : PM_ERR_VALUE, values);
	free(values);
	return ret;
}

/* Write all sets.  Omit a set that the recorder rejects (-EINVAL). */
static int values(void *arg, struct shim_recorder *rec)
{
	const struct with_archive *archive = arg;
	int ret = 0;

	for (int i = 0; i < archive->with->n && !ret; i++) {
		ret = write_set(archive, i, rec);
		if (ret == -EINVAL)
			ret = 0;
	}
	return ret;
}

static int declare(const struct with_metric *of, struct shim_recorder *rec)
{
	const pmDesc *desc = &of->desc;
	struct shim_record_metric metric = {
		.name = of->name,
		.pmid = desc->pmid,
		.indom = desc->indom,
		.type = desc->type,
		.sem = desc->sem,
		.line = of->line,
		.help = of->help,
	};

	memcpy(&metric.units, &desc->units, sizeof(metric.units));
	return shim_record_metric(rec, &metric);
}

/* Read the metric's texts.  Many metrics have none. */
static int learn_texts(struct with_metric *metric)
{
	int ret = pmLookupText(metric->desc.pmid, PM_TEXT_ONELINE, &metric->line);

	if (ret >= 0 || ret == PM_ERR_TEXT)
		ret = pmLookupText(metric->desc.pmid, PM_TEXT_HELP, &metric->help);
	return ret >= 0 || ret == PM_ERR_TEXT ? 0 : vcpc_fail_pm(ret, metric->name);
}

/*
 * Declare the metrics in the first archive.  Return 0, or an exit status after printing a message
 * or if out of memory.  A metric that this archive cannot contain is also omitted from all later
 * ones.
 */
static int declare_first(struct vcpc_with *with, struct shim_recorder *rec)
{
	int kept = 0, status = 0;

	for (int i = 0; i < with->n; i++) {
		struct with_metric *metric = &with->metrics[i];
		int ret;

		if (!status)
			status = learn_texts(metric);
		ret = status ? 0 : declare(metric, rec);
		if (!ret) {
			with->metrics[kept++] = *metric;
			continue;
		}
		if (ret == -EINVAL || ret == -EEXIST)
			status = with_leave_out(metric->name, metric->named, ret == -EINVAL ?
					   "an archive cannot represent it" : "another metric has this name");
		else
			status = vcpc_fail(ret, "--with: %s", metric->name);
		with_free_metric(metric);
	}
	with->n = kept;
	return status || kept ? status : vcpc_fail(0, "--with: none of these metrics can be recorded");
}

/*
 * Declare the metrics in another archive.  Return 0, or 1 after a failure; the caller then tries
 * again.  Only the first failure prints a message.
 */
static int declare_again(struct vcpc_with *with, struct shim_recorder *rec)
{
	int ret = 0;

	for (int i = 0; i < with->n && !ret; i++) {
		ret = declare(&with->metrics[i], rec);
		if (ret && !with->refused)
			vcpc_fail(ret, "--with: %s", with->metrics[i].name);
	}
	with->refused = ret != 0;
	return ret ? 1 : 0;
}

static int number_of_domain(struct vcpc_with *with, pmInDom indom)
{
	for (int i = 0; i < with->nindoms; i++)
		if (with->indoms[i] == indom)
			return i;
	with->indoms[with->nindoms] = indom;
	return with->nindoms++;
}

/* Prepare the data that each tick needs.  Return 0, or an exit status after printing a message. */
static int tick_prepare(struct vcpc_with *with)
{
	with->pmids = calloc(with->n, sizeof(*with->pmids));
	with->indoms = calloc(with->n, sizeof(*with->indoms));
	if (!with->pmids || !with->indoms)
		return vcpc_fail(-ENOMEM, "--with");
	for (int i = 0; i < with->n; i++) {
		struct with_metric *metric = &with->metrics[i];

		with->pmids[i] = metric->desc.pmid;
		metric->domain = metric->desc.indom == PM_INDOM_NULL ? -1 :
				 number_of_domain(with, metric->desc.indom);
	}
	return 0;
}

static struct with_archive *new_archive(struct vcpc_with *with, const struct shim_recorder *rec)
{
	struct with_archive *archive = calloc(1, sizeof(*archive));

	if (!archive)
		return NULL;
	*archive = (struct with_archive){ .with = with, .rec = rec, .next = with->archives };
	archive->domains = calloc(with->nindoms + 1, sizeof(*archive->domains));
	for (int i = 0; archive->domains && i < with->nindoms; i++)
		archive->domains[i].indom = with->indoms[i];
	with->archives = archive;
	return archive->domains ? archive : NULL;
}

int vcpc_with_add(struct vcpc_with *with, struct shim_recorder *rec)
{
	static const struct shim_record_source source = {
		.sample = sample, .instances = instances, .values = values,
	};
	struct with_archive *archive;
	int ret;

	pmUseContext(with->context);
	ret = with->pmids ? declare_again(with, rec) : declare_first(with, rec);
	if (!ret && !with->pmids)
		ret = tick_prepare(with);
	if (ret)
		return ret;
	archive = new_archive(with, rec);
	ret = archive ? shim_record_add_source(rec, &source, archive) : -ENOMEM;
	return ret ? vcpc_fail(ret, "cannot record the metrics of --with") : 0;
}
