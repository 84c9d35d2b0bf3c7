// SPDX-License-Identifier: LGPL-2.1-or-later
/* The slots of an importer for the values of the next record, and the handles of slots. */
#include <errno.h>

#include "base/vec.h"
#include "importer.h"

static int new_slot(struct shim_importer *imp, struct shim_imp_metric *m,
		    struct shim_imp_instance *instance, uint64_t hash, struct shim_imp_slot **out)
{
	struct shim_imp_slot *slot = shim_arena__alloc(&imp->arena, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	slot->metric = m;
	slot->instance = instance;
	slot->value.type = m->desc.type;
	slot->value.inst = instance ? instance->inst : (int32_t)PM_IN_NULL;
	if (!instance)
		m->alone = slot;
	else if (shim_hash__add(&imp->slots, &slot->node, hash))
		return -ENOMEM;
	slot->all = imp->slot_list;
	imp->slot_list = slot;
	*out = slot;
	return 0;
}

/* Get the slot for the value of a metric's instance.  Create it at first use. */
int shim_imp_metric__slot(struct shim_importer *imp, struct shim_imp_metric *m,
			  struct shim_imp_instance *instance, struct shim_imp_slot **out)
{
	const void *key[] = { m, instance };
	struct shim_hnode *node;
	uint64_t hash;

	if (!instance && m->alone) {
		*out = m->alone;
		return 0;
	}
	hash = shim_hash__bytes(&imp->slots, key, sizeof(key));
	for (node = shim_hash__first(&imp->slots, hash); node; node = shim_hash__next(node)) {
		struct shim_imp_slot *slot = shim_hnode__entry(node, struct shim_imp_slot, node);

		if (slot->metric == m && slot->instance == instance) {
			*out = slot;
			return 0;
		}
	}
	return new_slot(imp, m, instance, hash, out);
}

/**
 * shim_importer__slot() - get the slot for the value of a metric's instance
 * @imp: the importer
 * @name: name of the metric
 * @instance: name of the instance; NULL or empty for a metric without instance domain
 * @out: the slot
 *
 * Return: 0, PM_ERR_NAME, PM_ERR_INST, PM_ERR_INDOM if the domain has no instances, PMI_ERR_INSTNULL,
 * PMI_ERR_INSTNOTNULL, -ENOMEM.
 */
int shim_importer__slot(struct shim_importer *imp, const char *name, const char *instance,
			struct shim_imp_slot **out)
{
	struct shim_imp_metric *m = name ? shim_importer__by_name(imp, name) : NULL;
	struct shim_imp_instance *i = NULL;

	if (!m)
		return PM_ERR_NAME;
	if (instance && !*instance)
		instance = NULL;
	if (!m->domain && instance)
		return PMI_ERR_INSTNOTNULL;
	if (m->domain && !instance)
		return PMI_ERR_INSTNULL;
	if (instance) {
		i = shim_imp_domain__named(m->domain, instance);
		if (!i)
			return m->domain->n ? PM_ERR_INST : PM_ERR_INDOM;
	}
	return shim_imp_metric__slot(imp, m, i, out);
}

int shim_importer__handle(struct shim_importer *imp, struct shim_imp_slot *slot)
{
	if (shim_vec__room(imp->handles, &imp->handles_cap, imp->nhandles))
		return -ENOMEM;
	imp->handles[imp->nhandles++] = slot;
	return (int)imp->nhandles;
}

int shim_importer__of_handle(const struct shim_importer *imp, int handle,
			     struct shim_imp_slot **out)
{
	if (handle < 1 || (size_t)handle > imp->nhandles)
		return PMI_ERR_BADHANDLE;
	*out = imp->handles[handle - 1];
	return (*out)->instance && (*out)->instance->gone ? PM_ERR_INST : 0;
}
