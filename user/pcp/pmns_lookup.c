// SPDX-License-Identifier: LGPL-2.1-or-later
/* Look up, list and walk metric names, and get the names of a metric. */
#include "base/api.h"
#include "context.h"
#include "list.h"
#include "pmns.h"

/*
 * struct name_space - the source of the names for a call
 * @names: the name space that the program has loaded, or NULL
 * @ctx: the current context, locked, if @names is NULL
 */
struct name_space {
	struct shim_pmns_file *names;
	struct shim_context *ctx;
};

/*
 * Get the loaded name space or, if none is loaded, the name space of the current context.  Return
 * PM_ERR_NOPMNS if there is no context either.
 */
static int names_enter(struct name_space *ns)
{
	int err = shim_pmns_loaded__get(&ns->names);

	ns->ctx = NULL;
	if (err || ns->names)
		return err;
	err = shim_context__enter(&ns->ctx);
	return err == PM_ERR_NOCONTEXT ? PM_ERR_NOPMNS : err;
}

static int leave(struct name_space *ns, int result)
{
	if (ns->ctx)
		return shim_context__leave(ns->ctx, result);
	shim_pmns_loaded__put(ns->names);
	return result;
}

/* Look up the metric with a name.  Return 0, PM_ERR_NAME, or PM_ERR_NONLEAF for a group. */
static int look_up(const struct shim_pmns_tree *pmns, const char *name, pmID *pmid)
{
	uint32_t at = name && *name ? shim_pmns_tree__find(pmns, name) : SHIM_PMNS_NONE;

	*pmid = PM_ID_NULL;
	if (at == SHIM_PMNS_NONE)
		return PM_ERR_NAME;
	return shim_pmns_tree__metric(pmns, at, pmid) ? 0 : PM_ERR_NONLEAF;
}

int shim_pmns_lookup__metrics(const struct shim_pmns_tree *tree, int n, const char *const *names,
			      pmID *pmids)
{
	int found = 0, err = 0;

	for (int i = 0; i < n; i++) {
		err = look_up(tree, names[i], &pmids[i]);
		found += err == 0;
	}
	return n == 1 && err ? err : found;
}

/* Look up metrics of a loaded name space, and the process's derived metrics. */
static int loaded_metrics(const struct shim_pmns_tree *tree, int n, const char *const *names,
			  pmID *pmids)
{
	int found = shim_pmns_lookup__metrics(tree, n, names, pmids);
	int derived = shim_registry__metrics(n, names, pmids);

	return derived ? derived + (found > 0 ? found : 0) : found;
}

/*
 * Look up metrics without a name space: the built-in and derived metrics are known; if others are
 * requested, return PM_ERR_NOPMNS.
 */
static int lone_metrics(int n, const char *const *names, pmID *pmids)
{
	struct shim_pmns_tree *builtins = NULL;
	int found = shim_pmns_tree__of(NULL, 0, &builtins);

	if (found)
		return found;
	found = loaded_metrics(builtins, n, names, pmids);
	shim_pmns_tree__free(builtins);
	return found == n ? n : PM_ERR_NOPMNS;
}

/**
 * pmLookupName() - look up metric identifiers by name
 * @numpmid: number of names
 * @namelist: the names
 * @pmidlist: their identifiers, PM_ID_NULL for unknown names
 *
 * Without a context or a loaded name space, only the derived metrics of the process, event.flags
 * and event.missed are known.
 *
 * Return: the number of names found; PM_ERR_NAME or PM_ERR_NONLEAF for a single name that is not
 * found; PM_ERR_TOOSMALL if @numpmid < 1; PM_ERR_NOPMNS without a context if any other metric is
 * requested.
 */
SHIM_API int pmLookupName(int numpmid, const char **namelist, pmID *pmidlist)
{
	struct name_space ns;
	int err;

	if (numpmid < 1)
		return PM_ERR_TOOSMALL;
	if (!namelist || !pmidlist)
		return -EINVAL;
	for (int i = 0; i < numpmid; i++)
		pmidlist[i] = PM_ID_NULL;
	err = names_enter(&ns);
	if (err == PM_ERR_NOPMNS)
		return lone_metrics(numpmid, namelist, pmidlist);
	if (err)
		return err;
	if (ns.names)
		err = loaded_metrics(ns.names->tree, numpmid, namelist, pmidlist);
	else
		err = shim_derived__metrics(ns.ctx, numpmid, namelist, pmidlist);
	return leave(&ns, err);
}

int shim_pmns_lookup__children(const struct shim_pmns_tree *tree, const char *name,
			       char ***offspring, int **status)
{
	uint32_t at = shim_pmns_tree__find(tree, name);

	return at == SHIM_PMNS_NONE ? PM_ERR_NAME :
				      shim_pmns_tree__children(tree, at, offspring, status);
}

/**
 * pmGetChildrenStatus() - get the names directly below a name, and which of them are
 * metrics
 * @name: a name; "" is the root
 * @offspring: set to the names if there are any; to be freed by the caller
 * @status: NULL, or set to their status if there are any; to be freed by the caller
 *
 * Return: the number of names, which are listed newest first; 0 for a metric; PM_ERR_NAME.
 */
SHIM_API int pmGetChildrenStatus(const char *name, char ***offspring, int **status)
{
	struct name_space ns;
	int *states = NULL;
	int n;

	if (!name || !offspring)
		return PM_ERR_NAME;
	*offspring = NULL;
	if (status)
		*status = NULL;
	n = names_enter(&ns);
	if (n)
		return n;
	if (ns.names) {
		n = shim_pmns_lookup__children(ns.names->tree, name, offspring, &states);
		n = shim_registry__children(name, n, offspring, &states);
	} else {
		n = shim_derived__children(ns.ctx, name, offspring, &states);
	}
	if (status)
		*status = states;
	else
		free(states);
	return leave(&ns, n);
}

SHIM_API int pmGetChildren(const char *name, char ***offspring)
{
	return pmGetChildrenStatus(name, offspring, NULL);
}

int shim_pmns_lookup__leaves(const struct shim_pmns_tree *tree, const char *name, char ***names)
{
	uint32_t at = shim_pmns_tree__find(tree, name);

	return at == SHIM_PMNS_NONE ? PM_ERR_NAME : shim_pmns_tree__leaves(tree, at, names);
}

/**
 * pmTraversePMNS_r() - call a function for every metric at and below a name
 * @name: a name; "" is the root
 * @func: called with each full name; may call the PMAPI
 * @closure: passed to @func
 *
 * Return: the number of metrics, PM_ERR_NAME, PM_ERR_NOPMNS.
 */
SHIM_API int pmTraversePMNS_r(const char *name, void (*func)(const char *name, void *closure),
			      void *closure)
{
	struct name_space ns;
	char **names = NULL;
	int n;

	if (!name || !func)
		return PM_ERR_NAME;
	n = names_enter(&ns);
	if (n)
		return n;
	if (ns.names)
		n = shim_registry__leaves(name, shim_pmns_lookup__leaves(ns.names->tree, name, &names),
					  &names);
	else
		n = shim_derived__leaves(ns.ctx, name, &names);
	leave(&ns, 0);
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
 * pmTraversePMNS() - call a function for every metric at and below a name
 * @name: a name; "" is the root
 * @func: called with each full name; may call the PMAPI
 *
 * Return: the number of metrics, PM_ERR_NAME, PM_ERR_NOPMNS.
 */
SHIM_API int pmTraversePMNS(const char *name, void (*func)(const char *name))
{
	return func ? pmTraversePMNS_r(name, call_plain, &func) : PM_ERR_NAME;
}

/*
 * Return whether a name that was added to the tree for this metric belongs to it.  If several
 * metrics have the name, it belongs to the first one.
 */
static bool owns(const struct shim_pmns_tree *tree, const char *name, pmID pmid)
{
	pmID owner;

	if (!shim_pmns_tree__is_ambiguous(tree))
		return true;
	return !look_up(tree, name, &owner) && owner == pmid;
}

/* List the names of a metric.  Return their number, PM_ERR_PMID if there are none, or -ENOMEM. */
int shim_pmns_lookup__list(const char *const *names, unsigned int n, char ***out)
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

/* Get the names of a metric in a loaded name space, the newest first.  @out may be NULL. */
static unsigned int loaded_names(const struct shim_pmns_file *from, pmID pmid, const char **out)
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

/*
 * Sort names in the order of the tree, because the order of the metadata may differ.  There are few
 * names.
 */
static void sort_names(const struct shim_pmns_tree *tree, const char **names, unsigned int n)
{
	for (unsigned int i = 1; i < n; i++) {
		uint32_t at = shim_pmns_tree__find(tree, names[i]);
		const char *name = names[i];
		unsigned int j = i;

		for (; j; j--) {
			uint32_t before = shim_pmns_tree__find(tree, names[j - 1]);

			if (shim_pmns_tree__order(tree, before, at) <= 0)
				break;
			names[j] = names[j - 1];
		}
		names[j] = name;
	}
}

int shim_pmns_lookup__desc_names(const struct shim_pmns_tree *tree, const struct shim_desc *desc,
				 char ***out)
{
	unsigned int n = 0;
	const char **names;
	int result;

	if (!desc)
		return PM_ERR_PMID;
	if (desc->nnames == 1 && owns(tree, desc->names[0], desc->pmid))
		return shim_pmns_lookup__list(desc->names, 1, out);
	names = malloc((desc->nnames + 1) * sizeof(*names));
	if (!names)
		return -ENOMEM;
	for (unsigned int i = 0; i < desc->nnames; i++)
		if (owns(tree, desc->names[i], desc->pmid))
			names[n++] = desc->names[i];
	sort_names(tree, names, n);
	result = shim_pmns_lookup__list(names, n, out);
	free(names);
	return result;
}

static int names_loaded(const struct shim_pmns_file *from, pmID pmid, char ***nameset)
{
	const struct shim_desc *builtin = shim_pmns_tree__builtin(pmid);
	const char **names;
	unsigned int n;
	int result;

	if (builtin)
		return shim_pmns_lookup__desc_names(from->tree, builtin, nameset);
	n = loaded_names(from, pmid, NULL);
	names = calloc(n + 1, sizeof(*names));
	if (!names)
		return -ENOMEM;
	loaded_names(from, pmid, names);
	result = shim_pmns_lookup__list(names, n, nameset);
	free(names);
	return result;
}

static int lone_names(pmID pmid, char ***nameset)
{
	const struct shim_desc *builtin = shim_pmns_tree__builtin(pmid);
	int n = builtin ? shim_pmns_lookup__list(builtin->names, builtin->nnames, nameset) :
			  shim_registry__names(pmid, nameset);

	return n == PM_ERR_PMID ? PM_ERR_NOPMNS : n;
}

/**
 * pmNameAll() - get all names of a metric
 * @pmid: the metric
 * @nameset: set to the names; to be freed by the caller
 *
 * Return: the number of names, PM_ERR_PMID, PM_ERR_NOPMNS.
 */
SHIM_API int pmNameAll(pmID pmid, char ***nameset)
{
	struct name_space ns;
	int err;

	if (!nameset)
		return -EINVAL;
	err = names_enter(&ns);
	if (err == PM_ERR_NOPMNS)
		return lone_names(pmid, nameset);
	if (err)
		return err;
	if (!ns.names)
		return leave(&ns, shim_derived__names(ns.ctx, pmid, nameset));
	err = names_loaded(ns.names, pmid, nameset);
	if (err == PM_ERR_PMID)
		err = shim_registry__names(pmid, nameset);
	return leave(&ns, err);
}

/**
 * pmNameID() - get a name of a metric
 * @pmid: the metric
 * @name: set to the name; to be freed by the caller
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
	/* The list is one allocation, in which the pointers precede the names. */
	memmove(names, names[0], strlen(names[0]) + 1);
	*name = (char *)names;
	return 0;
}

/**
 * pmGetPMNSLocation() - get the source of the names
 *
 * Return: PMNS_LOCAL if the program has loaded a name space, or for a context of this machine;
 * PMNS_ARCHIVE for an archive, PMNS_REMOTE for a host; PM_ERR_NOPMNS without a context.
 */
SHIM_API int pmGetPMNSLocation(void)
{
	struct name_space ns;
	int err = names_enter(&ns);

	return err ? err : leave(&ns, ns.names ? PMNS_LOCAL : ns.ctx->source->names_at);
}

static bool is_known(const void *arg, uint32_t pmid)
{
	const struct shim_context *ctx = arg;

	return ctx->source->knows(ctx, pmid);
}

static int names_trim(struct shim_pmns_file *names)
{
	struct shim_pmns_file *rest = NULL;
	struct shim_context *ctx = NULL;
	int err = shim_context__enter(&ctx);
	bool all = !err && !ctx->source->knows;	/* keep all names, as PCP's library does */

	if (!err && !all)
		err = shim_pmns_file__subset(names, is_known, ctx, &rest);
	if (ctx)
		shim_context__leave(ctx, 0);
	if (err || all)
		shim_pmns_loaded__put(names);
	else
		shim_pmns_loaded__replace(names, rest);
	return err;
}

/**
 * pmTrimNameSpace() - remove names of metrics that the current context does not have
 *
 * Names are removed only from a loaded name space, and only if the context is an archive, because a
 * host's pmcd may know all names.
 *
 * Return: 0; without a context, PM_ERR_NOCONTEXT, or PM_ERR_NOPMNS if no name space is loaded
 * either; -ENOMEM.
 */
SHIM_API int pmTrimNameSpace(void)
{
	struct name_space ns;
	int err = names_enter(&ns);

	if (err)
		return err;
	return ns.names ? names_trim(ns.names) : leave(&ns, 0);
}
