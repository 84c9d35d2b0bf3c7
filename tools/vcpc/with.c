// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Other metrics of this machine's pmcd in the archive that is recorded: vcpc record --with.
 *
 * They are fetched at each tick and stamped with its time.  A pmcd that goes away leaves records
 * without them, and is connected to again.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "vcpc.h"
#include "with.h"

#define HOST	"local:"

/* The instances of a domain as the archive has them, ascending; the set that had each last */
struct domain {
	pmInDom indom;
	int *inst;
	unsigned long *set;
	int n;
};

struct vcpc_with {
	int context;
	char **names;
	pmID *pmids;
	pmDesc *descs;
	int n, room;
	struct domain *domains;
	int ndomains;
	unsigned long sets;	/* written so far */
	pmResult *result;	/* of this tick, or NULL */
};

static void add_name(const char *name, void *arg)
{
	struct vcpc_with *with = arg;

	if (with->n == with->room) {
		int room = with->room ? 2 * with->room : 16;
		char **names = reallocarray(with->names, room, sizeof(*names));

		if (!names)
			return;
		with->names = names;
		with->room = room;
	}
	for (int i = 0; i < with->n; i++)
		if (!strcmp(with->names[i], name))
			return;
	with->names[with->n] = strdup(name);
	with->n += with->names[with->n] != NULL;
}

/* A metric, or all below a name: 0, or the exit status after a message */
static int add_part(struct vcpc_with *with, const char *name)
{
	int n = pmTraversePMNS_r(name, add_name, with);

	if (n > 0)
		return 0;
	return vcpc_fail(0, "--with: %s: %s", name, pmErrStr(n < 0 ? n : PM_ERR_NAME));
}

static int add_parts(struct vcpc_with *with, const char *list)
{
	char *copy = strdup(list), *rest = copy;
	int ret = 0;

	while (!ret && rest) {
		const char *name = strsep(&rest, ",");

		ret = *name ? add_part(with, name) : vcpc_usage("--with: a name is missing in '%s'", list);
	}
	free(copy);
	return ret;
}

/* Numbers and strings only: what events and aggregates are is known to their agents alone. */
static bool is_plain(const pmDesc *desc)
{
	return desc->type >= PM_TYPE_32 && desc->type <= PM_TYPE_STRING;
}

static int check(const struct vcpc_with *with, int i)
{
	unsigned int domain = pmID_domain(with->pmids[i]);

	if (!is_plain(&with->descs[i]))
		return vcpc_fail(0, "--with: %s: its type cannot be recorded", with->names[i]);
	if (domain == 450 || domain == 10)
		return vcpc_fail(0, "--with: %s: that is recorded without pmcd", with->names[i]);
	return 0;
}

static int describe(struct vcpc_with *with)
{
	int ret = 0, err;

	with->pmids = calloc(with->n, sizeof(*with->pmids));
	with->descs = calloc(with->n, sizeof(*with->descs));
	with->domains = calloc(with->n, sizeof(*with->domains));
	if (!with->pmids || !with->descs || !with->domains)
		return vcpc_fail(-ENOMEM, "--with");
	err = pmLookupName(with->n, (const char **)with->names, with->pmids);
	for (int i = 0; i < with->n && !ret; i++) {
		if (err >= 0)
			err = pmLookupDesc(with->pmids[i], &with->descs[i]);
		ret = err < 0 ? vcpc_fail(0, "--with: %s: %s", with->names[i], pmErrStr(err)) :
				check(with, i);
	}
	return ret;
}

int vcpc_with_open(const char *list, struct vcpc_with **out)
{
	struct vcpc_with *with = calloc(1, sizeof(*with));
	int ret;

	if (!with)
		return vcpc_fail(-ENOMEM, "--with");
	with->context = pmNewContext(PM_CONTEXT_HOST, HOST);
	ret = with->context < 0 ? vcpc_fail(0, "--with: this machine's pmcd: %s",
					    pmErrStr(with->context)) : 0;
	if (!ret)
		ret = add_parts(with, list);
	if (!ret)
		ret = describe(with);
	if (ret)
		vcpc_with_close(with);
	else
		*out = with;
	return ret;
}

void vcpc_with_close(struct vcpc_with *with)
{
	if (!with)
		return;
	pmFreeResult(with->result);
	if (with->context >= 0)
		pmDestroyContext(with->context);
	for (int i = 0; i < with->n; i++)
		free(with->names[i]);
	for (int i = 0; i < with->ndomains; i++) {
		free(with->domains[i].inst);
		free(with->domains[i].set);
	}
	free(with->names);
	free(with->pmids);
	free(with->descs);
	free(with->domains);
	free(with);
}

static int sample(void *arg)
{
	struct vcpc_with *with = arg;
	int err;

	pmFreeResult(with->result);
	with->result = NULL;
	pmUseContext(with->context);
	err = pmFetch(with->n, with->pmids, &with->result);
	if (err == PM_ERR_IPC && pmReconnectContext(with->context) >= 0)
		err = pmFetch(with->n, with->pmids, &with->result);
	if (err >= 0)
		return with->n;
	with->result = NULL;
	return -EIO;
}

static struct domain *domain_of(struct vcpc_with *with, pmInDom indom)
{
	for (int i = 0; i < with->ndomains; i++)
		if (with->domains[i].indom == indom)
			return &with->domains[i];
	with->domains[with->ndomains].indom = indom;
	return &with->domains[with->ndomains++];
}

static int compare_numbers(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Where an instance is in the domain, or -1 */
static int find_instance(const struct domain *domain, int inst)
{
	const int *found = domain->n ? bsearch(&inst, domain->inst, domain->n, sizeof(*domain->inst),
					       compare_numbers) : NULL;

	return found ? (int)(found - domain->inst) : -1;
}

static bool has_all(const struct domain *domain, const pmValueSet *set)
{
	for (int i = 0; i < set->numval; i++)
		if (find_instance(domain, set->vlist[i].inst) < 0)
			return false;
	return true;
}

struct named {
	int inst;
	char *name;
};

/* An archive has instances in the order of their numbers */
static int sort(int n, int *inst, char **names)
{
	struct named *all = calloc(n, sizeof(*all));

	if (!all)
		return -ENOMEM;
	for (int i = 0; i < n; i++)
		all[i] = (struct named){ inst[i], names[i] };
	qsort(all, n, sizeof(*all), compare_numbers);
	for (int i = 0; i < n; i++) {
		inst[i] = all[i].inst;
		names[i] = all[i].name;
	}
	free(all);
	return 0;
}

/* What pmcd will not say leaves the domain as it was: the values that are new are left out then */
static int write_domain(struct domain *domain, struct shim_recorder *rec)
{
	char **names = NULL;
	unsigned long *set;
	int *inst = NULL;
	int n = pmGetInDom(domain->indom, &inst, &names), ret;

	if (n <= 0)
		return 0;
	set = calloc(n, sizeof(*set));
	ret = set ? sort(n, inst, names) : -ENOMEM;
	if (!ret)
		ret = shim_record_instances(rec, domain->indom, n, inst, (const char *const *)names);
	free(names);
	if (ret) {
		free(inst);
		free(set);
		return ret == -EINVAL ? 0 : ret;
	}
	free(domain->inst);
	free(domain->set);
	domain->inst = inst;
	domain->set = set;
	domain->n = n;
	return 0;
}

static int instances(void *arg, struct shim_recorder *rec)
{
	struct vcpc_with *with = arg;
	int ret = 0;

	for (int i = 0; with->result && i < with->n && !ret; i++) {
		pmInDom indom = with->descs[i].indom;
		struct domain *domain;

		if (indom == PM_INDOM_NULL)
			continue;
		domain = domain_of(with, indom);
		if (!has_all(domain, with->result->vset[i]))
			ret = write_domain(domain, rec);
	}
	return ret;
}

/* One value: whether it is of the metric's type */
static bool translate(const pmValueSet *set, int i, int type, struct shim_record_value *value)
{
	const pmValue *from = &set->vlist[i];
	pmAtomValue atom = { .ull = 0 };

	value->inst = from->inst;
	if (type == PM_TYPE_STRING) {
		if (set->valfmt == PM_VAL_INSITU || from->value.pval->vtype != PM_TYPE_STRING)
			return false;
		value->string = from->value.pval->vbuf;
		return true;
	}
	if (pmExtractValue(set->valfmt, from, type, &atom, type) < 0)
		return false;
	memcpy(&value->number, &atom, sizeof(value->number));
	return true;
}

/* Whether the archive can have a value of the instance: one it knows, once in a set, or none */
static bool take_instance(struct domain *domain, unsigned long serial, int inst)
{
	int at = domain ? find_instance(domain, inst) : -1;

	if (!domain)
		return inst == PM_IN_NULL;
	if (at < 0 || domain->set[at] == serial)
		return false;
	domain->set[at] = serial;
	return true;
}

/* What pmcd gives more of than the archive can have is left out: no agent's error ends a recording */
static int write_set(struct vcpc_with *with, int i, struct shim_recorder *rec)
{
	const pmValueSet *set = with->result->vset[i];
	const pmDesc *desc = &with->descs[i];
	struct domain *domain = desc->indom == PM_INDOM_NULL ? NULL : domain_of(with, desc->indom);
	struct shim_record_value *values;
	int n = 0, ret;

	if (set->numval <= 0)
		return shim_record_values(rec, desc->pmid, desc->type, set->numval, NULL);
	values = calloc(set->numval, sizeof(*values));
	if (!values)
		return -ENOMEM;
	with->sets++;
	for (int k = 0; k < set->numval && (domain || !n); k++)
		if (take_instance(domain, with->sets, set->vlist[k].inst) &&
		    translate(set, k, desc->type, &values[n]))
			n++;
	ret = shim_record_values(rec, desc->pmid, desc->type, n ? n : PM_ERR_VALUE, values);
	free(values);
	return ret;
}

static int values(void *arg, struct shim_recorder *rec)
{
	struct vcpc_with *with = arg;
	int ret = 0;

	for (int i = 0; with->result && i < with->n && !ret; i++)
		ret = write_set(with, i, rec);
	return ret;
}

static int declare(const struct vcpc_with *with, int i, struct shim_recorder *rec)
{
	const pmDesc *desc = &with->descs[i];
	struct shim_record_metric metric = {
		.name = with->names[i],
		.pmid = desc->pmid,
		.indom = desc->indom,
		.type = desc->type,
		.sem = desc->sem,
	};
	char *line = NULL, *help = NULL;
	int ret;

	memcpy(&metric.units, &desc->units, sizeof(metric.units));
	pmLookupText(desc->pmid, PM_TEXT_ONELINE, &line);
	pmLookupText(desc->pmid, PM_TEXT_HELP, &help);
	metric.line = line;
	metric.help = help;
	ret = shim_record_metric(rec, &metric);
	free(line);
	free(help);
	return ret;
}

int vcpc_with_add(struct vcpc_with *with, struct shim_recorder *rec)
{
	static const struct shim_record_source source = {
		.sample = sample, .instances = instances, .values = values,
	};
	int ret = 0;

	pmUseContext(with->context);
	for (int i = 0; i < with->n && !ret; i++)
		ret = declare(with, i, rec);
	return ret ? ret : shim_record_add_source(rec, &source, with);
}
