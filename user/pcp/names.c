// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metric names: looked up, listed, walked, and found from a metric. */
#include "base/api.h"
#include "context.h"
#include "list.h"
#include "ns_loaded.h"

/*
 * struct name_space - whose names a call is about
 * @names: those that the program has loaded, or NULL and
 * @ctx: the current context, locked
 * @tree: of either
 */
struct name_space {
	struct shim_names *names;
	struct shim_context *ctx;
	const struct shim_pmns *tree;
};

/* Where there is neither, there are no names */
static int enter(struct name_space *ns)
{
	int err = shim_loaded__get(&ns->names);

	if (err)
		return err;
	if (ns->names) {
		ns->ctx = NULL;
		ns->tree = ns->names->tree;
		return 0;
	}
	err = shim_context__enter(&ns->ctx);
	if (err)
		return err == PM_ERR_NOCONTEXT ? PM_ERR_NOPMNS : err;
	if (!ns->ctx->pmns)
		err = shim_pmns__new(ns->ctx->ar, &ns->ctx->pmns);
	ns->tree = ns->ctx->pmns;
	return err ? shim_context__leave(ns->ctx, err) : 0;
}

static int leave(struct name_space *ns, int result)
{
	if (ns->ctx)
		return shim_context__leave(ns->ctx, result);
	shim_loaded__put(ns->names);
	return result;
}

/* A name's status as that of a metric: 0 or an error */
static int look_up(const struct shim_pmns *pmns, const char *name, pmID *pmid)
{
	uint32_t at = name && *name ? shim_pmns__find(pmns, name) : SHIM_PMNS_NONE;

	*pmid = PM_ID_NULL;
	if (at == SHIM_PMNS_NONE)
		return PM_ERR_NAME;
	return shim_pmns__metric(pmns, at, pmid) ? 0 : PM_ERR_NONLEAF;
}

/**
 * pmLookupName() - from names to metric identifiers
 * @numpmid: number of names
 * @namelist: the names
 * @pmidlist: their identifiers, PM_ID_NULL where there is no such metric
 *
 * Return: the number of names found; for a single name that is not,
 * PM_ERR_NAME or PM_ERR_NONLEAF; PM_ERR_TOOSMALL if @numpmid < 1; PM_ERR_NOPMNS.
 */
SHIM_API int pmLookupName(int numpmid, const char **namelist, pmID *pmidlist)
{
	struct name_space ns;
	int found = 0;
	int err;

	if (numpmid < 1)
		return PM_ERR_TOOSMALL;
	if (!namelist || !pmidlist)
		return -EINVAL;
	for (int i = 0; i < numpmid; i++)
		pmidlist[i] = PM_ID_NULL;
	err = enter(&ns);
	if (err)
		return err;
	for (int i = 0; i < numpmid; i++) {
		err = look_up(ns.tree, namelist[i], &pmidlist[i]);
		found += err == 0;
	}
	return leave(&ns, numpmid == 1 && err ? err : found);
}

/**
 * pmGetChildrenStatus() - the names right below a name, and which are metrics
 * @name: a name; "" is the root
 * @offspring: a block to free(), if there are any
 * @status: a block to free(), if there are any; or NULL
 *
 * Return: how many, the newest first; 0 for a metric; PM_ERR_NAME.
 */
SHIM_API int pmGetChildrenStatus(const char *name, char ***offspring, int **status)
{
	struct name_space ns;
	uint32_t at;
	int err;

	if (!name || !offspring)
		return PM_ERR_NAME;
	*offspring = NULL;
	if (status)
		*status = NULL;
	err = enter(&ns);
	if (err)
		return err;
	at = shim_pmns__find(ns.tree, name);
	return leave(&ns, at == SHIM_PMNS_NONE ? PM_ERR_NAME :
				   shim_pmns__children(ns.tree, at, offspring, status));
}

SHIM_API int pmGetChildren(const char *name, char ***offspring)
{
	return pmGetChildrenStatus(name, offspring, NULL);
}

/**
 * pmTraversePMNS_r() - call a function with every metric at and below a name
 * @name: a name; "" is the root
 * @func: called with each whole name; may call the PMAPI
 * @closure: handed to it
 *
 * Return: the number of metrics, PM_ERR_NAME, PM_ERR_NOPMNS.
 */
SHIM_API int pmTraversePMNS_r(const char *name, void (*func)(const char *name, void *closure),
			      void *closure)
{
	struct name_space ns;
	char **names = NULL;
	uint32_t at;
	int n;

	if (!name || !func)
		return PM_ERR_NAME;
	n = enter(&ns);
	if (n)
		return n;
	at = shim_pmns__find(ns.tree, name);
	n = at == SHIM_PMNS_NONE ? PM_ERR_NAME : shim_pmns__leaves(ns.tree, at, &names);
	n = leave(&ns, n);
	if (n < 0)
		return n;
	for (int i = 0; i < n; i++)
		func(names[i], closure);
	free(names);
	return n;
}

static void call_plain(const char *name, void *closure)
{
	void (*const *func)(const char *) = closure;

	(*func)(name);
}

/**
 * pmTraversePMNS() - call a function with every metric at and below a name
 * @name: a name; "" is the root
 * @func: called with each whole name; may call the PMAPI
 *
 * Return: the number of metrics, PM_ERR_NAME, PM_ERR_NOPMNS.
 */
SHIM_API int pmTraversePMNS(const char *name, void (*func)(const char *name))
{
	return func ? pmTraversePMNS_r(name, call_plain, &func) : PM_ERR_NAME;
}

/* Names that lead to another metric (a name has one metric) are left out. */
static bool owns(const struct shim_pmns *tree, const char *name, pmID pmid)
{
	pmID owner;

	return !look_up(tree, name, &owner) && owner == pmid;
}

/* The names of a metric in a list: how many, or -ENOMEM, or PM_ERR_PMID for none */
static int make_list(const char *const *names, unsigned int n, char ***out)
{
	struct shim_list list;
	size_t bytes = 0;

	if (!n)
		return PM_ERR_PMID;
	for (unsigned int i = 0; i < n; i++)
		bytes += strlen(names[i]) + 1;
	if (shim_list__new(&list, n, bytes))
		return -ENOMEM;
	for (unsigned int i = 0; i < n; i++)
		shim_list__add(&list, i, names[i], strlen(names[i]));
	*out = list.strings;
	return (int)n;
}

/* The newest first */
static unsigned int loaded_names(const struct shim_names *from, pmID pmid, const char **out)
{
	unsigned int n = 0;

	for (unsigned int i = from->n; i-- > 0;) {
		if (from->entries[i].pmid != pmid)
			continue;
		if (out)
			out[n] = from->entries[i].name;
		n++;
	}
	return n;
}

/* As they stand in the tree, whatever their order was in the metadata; there are few */
static void sort_names(const struct shim_pmns *tree, const char **names, unsigned int n)
{
	for (unsigned int i = 1; i < n; i++) {
		uint32_t at = shim_pmns__find(tree, names[i]);
		const char *name = names[i];
		unsigned int j = i;

		for (; j && shim_pmns__order(tree, shim_pmns__find(tree, names[j - 1]), at) > 0; j--)
			names[j] = names[j - 1];
		names[j] = name;
	}
}

static unsigned int desc_names(const struct name_space *ns, const struct shim_desc *desc,
			       const char **out)
{
	unsigned int n = 0;

	for (unsigned int i = 0; desc && i < desc->nnames; i++) {
		if (!owns(ns->tree, desc->names[i], desc->pmid))
			continue;
		if (out)
			out[n] = desc->names[i];
		n++;
	}
	if (out)
		sort_names(ns->tree, out, n);
	return n;
}

static unsigned int collect(const struct name_space *ns, pmID pmid, const char **out)
{
	const struct shim_desc *desc = shim_pmns__builtin(pmid);

	if (ns->names && !desc)
		return loaded_names(ns->names, pmid, out);
	if (ns->ctx && shim_archive__desc(ns->ctx->ar, pmid))
		desc = shim_archive__desc(ns->ctx->ar, pmid);
	return desc_names(ns, desc, out);
}

static int names_of(const struct name_space *ns, pmID pmid, char ***nameset)
{
	unsigned int n = collect(ns, pmid, NULL);
	const char **names = calloc(n + 1, sizeof(*names));
	int result;

	if (!names)
		return -ENOMEM;
	collect(ns, pmid, names);
	result = make_list(names, n, nameset);
	free(names);
	return result;
}

/**
 * pmNameAll() - all names of a metric
 * @pmid: the metric
 * @nameset: one block to free()
 *
 * Return: how many, PM_ERR_PMID, PM_ERR_NOPMNS.
 */
SHIM_API int pmNameAll(pmID pmid, char ***nameset)
{
	struct name_space ns;
	int err;

	if (!nameset)
		return -EINVAL;
	err = enter(&ns);
	if (err)
		return err;
	return leave(&ns, names_of(&ns, pmid, nameset));
}

/**
 * pmNameID() - a name of a metric
 * @pmid: the metric
 * @name: a string to free()
 *
 * Return: 0, PM_ERR_PMID, PM_ERR_NOPMNS, -ENOMEM.
 */
SHIM_API int pmNameID(pmID pmid, char **name)
{
	char **names = NULL;
	int n;

	if (!name)
		return -EINVAL;
	n = pmNameAll(pmid, &names);
	if (n < 0)
		return n;
	*name = strdup(names[0]);
	free(names);
	return *name ? 0 : -ENOMEM;
}

/**
 * pmGetPMNSLocation() - where the names come from
 *
 * Return: PMNS_LOCAL if the program has loaded them, else PMNS_ARCHIVE; PM_ERR_NOPMNS
 * without a context.
 */
SHIM_API int pmGetPMNSLocation(void)
{
	struct name_space ns;
	int err = enter(&ns);

	return err ? err : leave(&ns, ns.names ? PMNS_LOCAL : PMNS_ARCHIVE);
}

static bool is_known(const void *arg, uint32_t pmid)
{
	const struct shim_context *ctx = arg;

	return shim_archive__desc(ctx->ar, pmid);
}

static int trim(struct shim_names *names)
{
	struct shim_names *rest = NULL;
	struct shim_context *ctx;
	int err = shim_context__enter(&ctx);

	if (!err) {
		err = shim_names__subset(names, is_known, ctx, &rest);
		shim_context__leave(ctx, 0);
	}
	if (err)
		shim_loaded__put(names);
	else
		shim_loaded__replace(names, rest);
	return err;
}

/**
 * pmTrimNameSpace() - leave out names of metrics that the current context does not have
 *
 * Of a name space that was loaded; an archive's own names are those that it has.
 *
 * Return: 0; PM_ERR_NOCONTEXT, or PM_ERR_NOPMNS without a name space, either; -ENOMEM.
 */
SHIM_API int pmTrimNameSpace(void)
{
	struct name_space ns;
	int err = enter(&ns);

	if (err)
		return err;
	return ns.names ? trim(ns.names) : leave(&ns, 0);
}
