// SPDX-License-Identifier: LGPL-2.1-or-later
/* The declarations of an importer: metrics and instances. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "importer.h"

/* A metric without an identifier gets one in PCP's domain of imported metrics. */
#define IMPORT_DOMAIN	245
#define ITEMS		(1u << 22)	/* combined number of clusters and items in a domain */

struct shim_imp_metric *shim_importer__by_name(const struct shim_importer *imp, const char *name)
{
	struct shim_hnode *node =
		shim_hash__first(&imp->by_name, shim_hash__bytes(&imp->by_name, name, strlen(name)));

	for (; node; node = shim_hash__next(node)) {
		struct shim_imp_metric *m = shim_hnode__entry(node, struct shim_imp_metric,
							      by_name);

		if (!strcmp(m->name, name))
			return m;
	}
	return NULL;
}

struct shim_imp_metric *shim_importer__by_pmid(const struct shim_importer *imp, uint32_t pmid)
{
	struct shim_hnode *node =
		shim_hash__first(&imp->by_pmid, shim_hash__u32(&imp->by_pmid, pmid));

	for (; node; node = shim_hash__next(node)) {
		struct shim_imp_metric *m = shim_hnode__entry(node, struct shim_imp_metric,
							      by_pmid);

		if (m->desc.pmid == pmid)
			return m;
	}
	return NULL;
}

static struct shim_imp_domain *find_domain(const struct shim_importer *imp, uint32_t indom)
{
	struct shim_hnode *node = shim_hash__first(&imp->domains,
						   shim_hash__u32(&imp->domains, indom));

	for (; node; node = shim_hash__next(node)) {
		struct shim_imp_domain *d = shim_hnode__entry(node, struct shim_imp_domain, node);

		if (d->indom == indom)
			return d;
	}
	return NULL;
}

static struct shim_imp_domain *need_domain(struct shim_importer *imp, uint32_t indom)
{
	struct shim_imp_domain *d = find_domain(imp, indom);

	if (d)
		return d;
	d = shim_arena__alloc(&imp->arena, sizeof(*d));
	if (!d)
		return NULL;
	d->indom = indom;
	shim_hash__init(&d->names);
	if (shim_hash__add(&imp->domains, &d->node, shim_hash__u32(&imp->domains, indom)))
		return NULL;
	*imp->next_domain = d;
	imp->next_domain = &d->next;
	return d;
}

/**
 * shim_importer__create() - create an importer without metrics
 * @base: name of the archive, or NULL for a context that only passes on its metadata
 * @out: the importer
 *
 * Return: 0 or -ENOMEM.
 */
int shim_importer__create(const char *base, struct shim_importer **out)
{
	struct shim_importer *imp = calloc(1, sizeof(*imp));

	if (!imp)
		return -ENOMEM;
	shim_declared__init(&imp->names);
	shim_hash__init(&imp->by_name);
	shim_hash__init(&imp->by_pmid);
	shim_hash__init(&imp->domains);
	shim_hash__init(&imp->slots);
	imp->next_metric = &imp->metrics;
	imp->next_domain = &imp->domain_list;
	imp->last_waiting = &imp->waiting;
	imp->base = base ? strdup(base) : NULL;
	if ((base && !imp->base) || shim_imp_notes__create(&imp->notes)) {
		shim_importer__destroy(imp);
		return -ENOMEM;
	}
	*out = imp;
	return 0;
}

void shim_importer__destroy(struct shim_importer *imp)
{
	for (struct shim_imp_slot *slot = imp->slot_list; slot; slot = slot->all)
		free(slot->text);
	for (struct shim_imp_domain *d = imp->domain_list; d; d = d->next) {
		shim_hash__free(&d->names);
		free(d->instances);
	}
	shim_imp_notes__destroy(imp->notes);
	shim_declared__free(&imp->names);
	shim_buf__free(&imp->scratch);
	shim_hash__free(&imp->by_name);
	shim_hash__free(&imp->by_pmid);
	shim_hash__free(&imp->domains);
	shim_hash__free(&imp->slots);
	shim_arena__free(&imp->arena);
	free(imp->handles);
	free(imp->values);
	free(imp->base);
	free(imp->status);
	free(imp);
}

/*
 * Return the next unused identifier, or PM_ID_NULL if there is none.  As in PCP's library, the
 * search starts above the number of metrics, so that an archive gets the same identifiers.
 */
static uint32_t free_pmid(const struct shim_importer *imp)
{
	for (size_t item = imp->by_name.n + 1; item < ITEMS; item++) {
		uint32_t pmid = (uint32_t)IMPORT_DOMAIN << 22 | (uint32_t)item;

		if (!shim_importer__by_pmid(imp, pmid))
			return pmid;
	}
	return PM_ID_NULL;
}

static uint32_t units_word(pmUnits units)
{
	uint32_t word;

	/* A scale without its dimension has no meaning. */
	if (!units.dimSpace)
		units.scaleSpace = 0;
	if (!units.dimTime)
		units.scaleTime = 0;
	if (!units.dimCount)
		units.scaleCount = 0;
	if (!units.extraUnit)
		units.extraScale = 0;
	memcpy(&word, &units, sizeof(word));
	return word;
}

/*
 * Determine which part of a description is invalid by replacing its parts with valid ones, one
 * after the other.
 */
static int blame(struct shim_importer *imp, const struct shim_desc *desc)
{
	static const char *const fine[] = { "a" };
	struct shim_declared fresh;
	struct shim_desc d = *desc;
	int code = PMI_ERR_BADMETRICNAME;

	shim_declared__init(&fresh);
	d.names = fine;
	if (shim_declared__desc(&fresh, &d, &imp->scratch)) {
		d.indom = PM_INDOM_NULL;
		code = PM_ERR_INDOM;
		if (shim_declared__desc(&fresh, &d, &imp->scratch)) {
			d.units = 0;
			code = shim_declared__desc(&fresh, &d, &imp->scratch) ? PM_ERR_PMID :
										PM_ERR_UNIT;
		}
	}
	shim_declared__free(&fresh);
	shim_buf__reset(&imp->scratch);
	return code;
}

static int check_metric(const struct shim_importer *imp, const char *name, const pmDesc *desc)
{
	if (!name || !*name)
		return PMI_ERR_BADMETRICNAME;
	if (shim_importer__by_name(imp, name))
		return PMI_ERR_DUPMETRICNAME;
	if (desc->pmid != PM_ID_NULL && shim_importer__by_pmid(imp, desc->pmid))
		return PMI_ERR_DUPMETRICID;
	if (desc->type < PM_TYPE_32 || desc->type > PM_TYPE_STRING)
		return PMI_ERR_BADTYPE;
	if (desc->sem != PM_SEM_COUNTER && desc->sem != PM_SEM_INSTANT &&
	    desc->sem != PM_SEM_DISCRETE)
		return PMI_ERR_BADSEM;
	return 0;
}

static int enter_metric(struct shim_importer *imp, const struct shim_desc *desc)
{
	struct shim_imp_metric *m = shim_arena__alloc(&imp->arena, sizeof(*m));
	size_t len = strlen(desc->names[0]);
	uint64_t hash = shim_hash__bytes(&imp->by_name, desc->names[0], len);

	if (!m)
		return -ENOMEM;
	m->name = shim_arena__string(&imp->arena, desc->names[0], len);
	if (!m->name)
		return -ENOMEM;
	m->desc = *desc;
	m->desc.names = &m->name;
	if (desc->indom != PM_INDOM_NULL) {
		m->domain = need_domain(imp, desc->indom);
		if (!m->domain)
			return -ENOMEM;
	}
	if (shim_hash__add(&imp->by_name, &m->by_name, hash))
		return -ENOMEM;
	if (shim_hash__add(&imp->by_pmid, &m->by_pmid, shim_hash__u32(&imp->by_pmid, desc->pmid))) {
		shim_hash__del(&imp->by_name, &m->by_name);
		return -ENOMEM;
	}
	*imp->next_metric = m;
	imp->next_metric = &m->next;
	return 0;
}

/**
 * shim_importer__metric() - describe a metric
 * @imp: the importer
 * @name: the metric's name
 * @desc: its other properties; PM_ID_NULL is replaced with a free identifier
 *
 * Return: 0, or PMI_ERR_DUPMETRICNAME (including a name that would be both a metric and a group),
 * DUPMETRICID, BADMETRICNAME, BADTYPE, BADSEM, PM_ERR_UNIT, PM_ERR_PMID, PM_ERR_INDOM, -ENOMEM.
 */
int shim_importer__metric(struct shim_importer *imp, const char *name, const pmDesc *desc)
{
	struct shim_desc d = {
		.pmid = desc->pmid,
		.type = desc->type,
		.indom = desc->indom,
		.sem = desc->sem,
		.units = units_word(desc->units),
		.nnames = 1,
		.names = &name,
	};
	int err = check_metric(imp, name, desc);

	if (err)
		return err;
	if (d.pmid == PM_ID_NULL)
		d.pmid = free_pmid(imp);
	if (d.pmid == PM_ID_NULL)
		return PM_ERR_TOOBIG;
	err = shim_declared__desc(&imp->names, &d, &imp->scratch);
	shim_buf__reset(&imp->scratch);
	if (err == -EINVAL)
		return blame(imp, &d);
	if (err == -EEXIST)
		return PMI_ERR_DUPMETRICNAME;
	return err ? err : enter_metric(imp, &d);
}

/*
 * Return the length of the part of an instance's name that identifies it: up to the first blank, or
 * the whole name.  PCP compares names this way, here and when it reads an archive: "one two" equals
 * "one three", but not "one".
 */
static size_t key_length(const char *name)
{
	size_t len = strcspn(name, " ");

	return name[len] ? len + 1 : len;
}

static uint64_t hash_key(const struct shim_imp_domain *d, const char *name)
{
	return shim_hash__bytes(&d->names, name, key_length(name));
}

struct shim_imp_instance *shim_imp_domain__named(const struct shim_imp_domain *d, const char *name)
{
	struct shim_hnode *node = shim_hash__first(&d->names, hash_key(d, name));
	size_t len = key_length(name);

	for (; node; node = shim_hash__next(node)) {
		struct shim_imp_instance *i = shim_hnode__entry(node, struct shim_imp_instance,
								by_name);

		if (key_length(i->name) == len && !memcmp(i->name, name, len))
			return i;
	}
	return NULL;
}

/* Return the index of an ID in the sorted instances, or the index at which to insert it. */
static size_t place_of(const struct shim_imp_domain *d, int32_t inst)
{
	size_t lo = 0, hi = d->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->instances[mid]->inst < inst)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct shim_imp_instance *find_instance(const struct shim_imp_domain *d, int32_t inst)
{
	size_t i = place_of(d, inst);

	return i < d->n && d->instances[i]->inst == inst ? d->instances[i] : NULL;
}

bool shim_imp_domain__search(const struct shim_imp_domain *d, int32_t inst, size_t *next)
{
	size_t i = place_of(d, inst);

	*next = i + 1;
	return i < d->n && d->instances[i]->inst == inst;
}

static int enter_instance(struct shim_importer *imp, struct shim_imp_domain *d, const char *name,
			  int32_t inst)
{
	struct shim_imp_instance *i = shim_arena__alloc(&imp->arena, sizeof(*i));
	size_t at = place_of(d, inst);

	if (!i)
		return -ENOMEM;
	i->order = ++d->added;
	i->inst = inst;
	i->name = shim_arena__string(&imp->arena, name, strlen(name));
	if (!i->name || shim_vec__room(d->instances, &d->cap, d->n) ||
	    shim_hash__add(&d->names, &i->by_name, hash_key(d, name)))
		return -ENOMEM;
	memmove(&d->instances[at + 1], &d->instances[at], (d->n - at) * sizeof(*d->instances));
	d->instances[at] = i;
	d->n++;
	d->changed = true;
	return 0;
}

/*
 * Return whether PCP finds @a before @b when it checks a new instance: it sorts a domain's instances
 * by ID in the first record with their values, and appends instances that are added later.
 */
static bool is_before(const struct shim_imp_domain *d, const struct shim_imp_instance *a,
		      const struct shim_imp_instance *b)
{
	bool by_id = a->order <= d->sorted && b->order <= d->sorted;

	return by_id ? a->inst < b->inst : a->order < b->order;
}

/**
 * shim_importer__instance() - add an instance, starting with the next record
 * @imp: the importer
 * @indom: the instance's domain, which is created if it is new
 * @name: the instance's name
 * @inst: the instance's number
 *
 * If the name belongs to one instance and the number to another, is_before() determines the error.
 *
 * Return: 0, PMI_ERR_DUPINSTNAME, DUPINSTID, PM_ERR_INST for an invalid name or number,
 * PM_ERR_INDOM, -ENOMEM.
 */
int shim_importer__instance(struct shim_importer *imp, pmInDom indom, const char *name, int inst)
{
	const struct shim_imp_instance *same_name, *same_inst;
	struct shim_imp_domain *d;

	if (indom >> 31)
		return PM_ERR_INDOM;
	if (!name || !*name || inst < 0)
		return PM_ERR_INST;
	d = need_domain(imp, indom);
	if (!d)
		return -ENOMEM;
	same_name = shim_imp_domain__named(d, name);
	same_inst = find_instance(d, inst);
	if (same_inst && (!same_name || is_before(d, same_inst, same_name)))
		return PMI_ERR_DUPINSTID;
	if (same_name)
		return PMI_ERR_DUPINSTNAME;
	return enter_instance(imp, d, name, inst);
}

/* Drop the values of a deleted instance from the next record. */
static void forget_values(struct shim_importer *imp, const struct shim_imp_instance *gone)
{
	for (struct shim_imp_metric *m = imp->waiting; m; m = m->waiting) {
		struct shim_imp_slot **link = &m->first, *slot;

		m->last = NULL;
		while ((slot = *link)) {
			if (slot->instance == gone) {
				*link = slot->next;
				slot->set = false;
				m->nvalues--;
			} else {
				m->last = slot;
				link = &slot->next;
			}
		}
	}
}

/**
 * shim_importer__del_instance() - remove an instance, starting with the next record
 * @imp: the importer
 * @indom: the instance's domain
 * @inst: the instance's number, which may be reused
 *
 * Return: 0, PM_ERR_INDOM, PM_ERR_INST.
 */
int shim_importer__del_instance(struct shim_importer *imp, pmInDom indom, int inst)
{
	struct shim_imp_domain *d = find_domain(imp, indom);
	struct shim_imp_instance *i;
	size_t at;

	if (!d)
		return PM_ERR_INDOM;
	i = find_instance(d, inst);
	if (!i)
		return PM_ERR_INST;
	forget_values(imp, i);
	at = place_of(d, inst);
	d->n--;
	memmove(&d->instances[at], &d->instances[at + 1], (d->n - at) * sizeof(*d->instances));
	/* If deleted instances stayed in the index, chains of reused names would grow. */
	shim_hash__del(&d->names, &i->by_name);
	i->gone = true;
	d->changed = true;
	return 0;
}

static int inherit_domains(struct shim_importer *imp, const struct shim_importer *from)
{
	int err = 0;

	for (const struct shim_imp_domain *d = from->domain_list; d && !err; d = d->next)
		for (size_t i = 0; i < d->n && !err; i++)
			err = shim_importer__instance(imp, d->indom, d->instances[i]->name,
						      d->instances[i]->inst);
	return err;
}

static struct shim_imp_instance *gone_instance(struct shim_importer *imp)
{
	struct shim_imp_instance *i = shim_arena__alloc(&imp->arena, sizeof(*i));

	if (i)
		i->gone = true;
	return i;
}

/* Handles of deleted instances are also inherited, so that each handle keeps its number. */
static int inherit_handles(struct shim_importer *imp, const struct shim_importer *from)
{
	int err = 0;

	for (size_t i = 0; i < from->nhandles && !err; i++) {
		const struct shim_imp_slot *old = from->handles[i];
		struct shim_imp_metric *m = shim_importer__by_pmid(imp, old->metric->desc.pmid);
		struct shim_imp_instance *instance = NULL;
		struct shim_imp_slot *slot;

		if (old->instance) {
			instance = find_instance(m->domain, old->instance->inst);
			if (old->instance->gone)
				instance = gone_instance(imp);
			if (!instance)
				return -ENOMEM;
		}
		err = shim_imp_metric__slot(imp, m, instance, &slot);
		if (!err && shim_importer__handle(imp, slot) < 0)
			err = -ENOMEM;
	}
	return err;
}

/**
 * shim_importer__inherit() - copy metrics, instances and handles
 * @imp: a new importer
 * @from: the importer from which to copy
 *
 * Return: 0 or -ENOMEM.
 */
int shim_importer__inherit(struct shim_importer *imp, const struct shim_importer *from)
{
	int err = 0;

	for (const struct shim_imp_metric *m = from->metrics; m && !err; m = m->next)
		err = shim_declared__desc(&imp->names, &m->desc, &imp->scratch);
	shim_buf__reset(&imp->scratch);
	for (const struct shim_imp_metric *m = from->metrics; m && !err; m = m->next)
		err = enter_metric(imp, &m->desc);
	if (!err)
		err = inherit_domains(imp, from);
	return err ? err : inherit_handles(imp, from);
}
