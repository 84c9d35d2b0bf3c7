// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metric names: looked up, listed, walked, and found from a metric. */
#include "base/api.h"
#include "context.h"
#include "list.h"

/* The current context with its tree; where there is none, there are no names */
static int enter(struct shim_context **out)
{
	int err = shim_context__enter(out);

	if (err)
		return err == PM_ERR_NOCONTEXT ? PM_ERR_NOPMNS : err;
	if (!(*out)->pmns)
		err = shim_pmns__new((*out)->ar, &(*out)->pmns);
	return err ? shim_context__leave(*out, err) : 0;
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
	struct shim_context *ctx;
	int found = 0;
	int err;

	if (numpmid < 1)
		return PM_ERR_TOOSMALL;
	if (!namelist || !pmidlist)
		return -EINVAL;
	for (int i = 0; i < numpmid; i++)
		pmidlist[i] = PM_ID_NULL;
	err = enter(&ctx);
	if (err)
		return err;
	for (int i = 0; i < numpmid; i++) {
		err = look_up(ctx->pmns, namelist[i], &pmidlist[i]);
		found += err == 0;
	}
	return shim_context__leave(ctx, numpmid == 1 && err ? err : found);
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
	struct shim_context *ctx;
	uint32_t at;
	int err;

	if (!name || !offspring)
		return PM_ERR_NAME;
	*offspring = NULL;
	if (status)
		*status = NULL;
	err = enter(&ctx);
	if (err)
		return err;
	at = shim_pmns__find(ctx->pmns, name);
	return shim_context__leave(ctx, at == SHIM_PMNS_NONE ? PM_ERR_NAME :
				   shim_pmns__children(ctx->pmns, at, offspring, status));
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
	struct shim_context *ctx;
	char **names = NULL;
	uint32_t at;
	int n;

	if (!name || !func)
		return PM_ERR_NAME;
	n = enter(&ctx);
	if (n)
		return n;
	at = shim_pmns__find(ctx->pmns, name);
	n = at == SHIM_PMNS_NONE ? PM_ERR_NAME : shim_pmns__leaves(ctx->pmns, at, &names);
	n = shim_context__leave(ctx, n);
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
static bool owns(const struct shim_pmns *pmns, const char *name, pmID pmid)
{
	pmID owner;

	return !look_up(pmns, name, &owner) && owner == pmid;
}

static const struct shim_desc *desc_of(const struct shim_context *ctx, pmID pmid)
{
	const struct shim_desc *desc = shim_archive__desc(ctx->ar, pmid);

	return desc ? desc : shim_pmns__builtin(pmid);
}

static int names_of(const struct shim_context *ctx, pmID pmid, char ***nameset)
{
	const struct shim_desc *desc = desc_of(ctx, pmid);
	struct shim_list list;
	size_t bytes = 0;
	int n = 0;

	for (unsigned int i = 0; desc && i < desc->nnames; i++) {
		if (owns(ctx->pmns, desc->names[i], pmid)) {
			bytes += strlen(desc->names[i]) + 1;
			n++;
		}
	}
	if (!n)
		return PM_ERR_PMID;
	if (shim_list__new(&list, n, bytes))
		return -ENOMEM;
	n = 0;
	for (unsigned int i = 0; i < desc->nnames; i++)
		if (owns(ctx->pmns, desc->names[i], pmid))
			shim_list__add(&list, n++, desc->names[i], strlen(desc->names[i]));
	*nameset = list.strings;
	return n;
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
	struct shim_context *ctx;
	int err;

	if (!nameset)
		return -EINVAL;
	err = enter(&ctx);
	if (err)
		return err;
	return shim_context__leave(ctx, names_of(ctx, pmid, nameset));
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
 * Return: PMNS_ARCHIVE, or PM_ERR_NOPMNS without a context.
 */
SHIM_API int pmGetPMNSLocation(void)
{
	struct shim_context *ctx;
	int err = enter(&ctx);

	return err ? err : shim_context__leave(ctx, PMNS_ARCHIVE);
}

/**
 * pmTrimNameSpace() - leave out names of metrics that the current context does not have
 *
 * An archive's own names are those that it has.
 *
 * Return: 0, or PM_ERR_NOPMNS without a context.
 */
SHIM_API int pmTrimNameSpace(void)
{
	int where = pmGetPMNSLocation();

	return where < 0 ? where : 0;
}
