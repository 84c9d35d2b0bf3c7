// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The name space of a host: the names of its pmcd, and the built-in names of every context, which
 * pmcd does not know.
 */
#include <errno.h>
#include <stdlib.h>

#include "context.h"
#include "host.h"
#include "list.h"

static int builtins_of(struct shim_context *ctx, const struct shim_pmns_tree **out)
{
	int err = ctx->pmns ? 0 : shim_pmns_tree__of(NULL, 0, &ctx->pmns);

	*out = ctx->pmns;
	return err;
}

static int ask_metrics(struct shim_host *host, int n, const char *const *names, pmID *pmids)
{
	struct shim_pdu pdu;
	int err = shim_host__begin(host);

	if (err)
		return err;
	shim_pdu_names__encode(&host->wire.out, host->wire.from, n, names);
	err = shim_host__ask(host, SHIM_PDU_PMNS_IDS, &pdu);
	if (err)
		return err;
	err = shim_pdu_ids__decode(&pdu, n, pmids);
	return err ? shim_host__lose(host, err) : 0;
}

int shim_host_source__metrics(struct shim_context *ctx, int n, const char *const *names,
			      pmID *pmids)
{
	const struct shim_pmns_tree *builtins;
	int found = 0, err;

	for (int i = 0; i < n; i++)
		if (!names[i])
			return PM_ERR_NAME;
	err = ask_metrics(ctx->host, n, names, pmids);
	if (builtins_of(ctx, &builtins))
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		uint32_t at;

		if (err && err != PM_ERR_NAME)
			pmids[i] = PM_ID_NULL;	/* an incomplete reply may have set it */
		if (pmids[i] == PM_ID_NULL) {
			at = shim_pmns_tree__find(builtins, names[i]);
			if (at != SHIM_PMNS_NONE)
				shim_pmns_tree__metric(builtins, at, &pmids[i]);
		}
		found += pmids[i] != PM_ID_NULL;
	}
	if (err && err != PM_ERR_NAME)
		return found == n ? n : err;
	return found || !err ? found : err;
}

/* Send the encoded request, and receive its reply. */
static int ask_names(struct shim_host *host, struct shim_pdu *pdu, struct shim_pdu_names *names)
{
	int err = shim_host__ask(host, SHIM_PDU_PMNS_NAMES, pdu);

	if (err)
		return err;
	err = shim_pdu_names__decode(pdu, names);
	return err ? shim_host__lose(host, err) : 0;
}

/* Built-in names, which pmcd does not know, and a status for each of them, or NULL */
struct names {
	char **all;
	int *status;
	int n;
};

static void free_names(struct names *names)
{
	free(names->all);
	free(names->status);
}

static size_t bytes_of(const struct names *names)
{
	size_t bytes = 0;

	for (int i = 0; i < names->n; i++)
		bytes += strlen(names->all[i]) + 1;
	return bytes;
}

/* Return whether one of the @n names of a list is @name. */
static bool has_name(const struct shim_list *list, uint32_t n, const char *name)
{
	ptrdiff_t size = (ptrdiff_t)strlen(name) + 1;

	for (uint32_t i = 0; i < n; i++) {
		const char *end = i + 1 < n ? list->strings[i + 1] : list->end;

		if (end - list->strings[i] == size && !memcmp(list->strings[i], name, size))
			return true;
	}
	return false;
}

/* Append the built-in names that pmcd has not sent.  Return the number of all names. */
static int append_builtins(struct shim_list *list, int *kinds, uint32_t n, const struct names *own)
{
	uint32_t all = n;

	for (int i = 0; i < own->n; i++) {
		if (has_name(list, n, own->all[i]))
			continue;
		if (kinds)
			kinds[all] = own->status[i];
		shim_list__add(list, all++, own->all[i], strlen(own->all[i]));
	}
	return (int)all;
}

/*
 * Return pmcd's and the built-in names in one allocation, and *@status if requested.  The result is
 * the number of names.
 */
static int hand_out(struct shim_pdu *pdu, const struct shim_pdu_names *names,
		    const struct names *own, char ***out, int **status)
{
	size_t n = (size_t)names->n + (size_t)own->n;
	struct shim_list list;
	int *kinds = NULL;

	if (!n)
		return 0;
	if (status) {
		kinds = malloc(n * sizeof(*kinds));
		if (!kinds)
			return -ENOMEM;
	}
	if (shim_list__new(&list, n, names->bytes + names->n + bytes_of(own))) {
		free(kinds);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < names->n; i++) {
		struct shim_pdu_string name;
		bool leaf;

		shim_pdu_names__next(pdu, names, &name, &leaf);
		shim_list__add(&list, i, name.s, name.len);
		if (kinds)
			kinds[i] = leaf ? PMNS_LEAF_STATUS : PMNS_NONLEAF_STATUS;
	}
	*out = list.strings;
	if (status)
		*status = kinds;
	return append_builtins(&list, kinds, names->n, own);
}

static int ask_children(struct shim_host *host, const char *name, const struct names *own,
			char ***offspring, int **status)
{
	struct shim_pdu_names names;
	struct shim_pdu pdu;
	int err = shim_host__begin(host);

	if (err)
		return err;
	shim_pdu_child__encode(&host->wire.out, host->wire.from, name, status);
	err = ask_names(host, &pdu, &names);
	if (err)
		return err;
	if (status && names.n && !names.has_status)
		return shim_host__lose(host, -EBADMSG);
	return hand_out(&pdu, &names, own, offspring, status);
}

/*
 * Return the built-in names below a name if pmcd's reply is PM_ERR_NAME and there are any;
 * otherwise free them.
 */
static int names_or_builtins(int n, struct names *own, char ***out, int **status)
{
	if (n != PM_ERR_NAME || own->n <= 0) {
		free_names(own);
		return n;
	}
	*out = own->all;
	if (status)
		*status = own->status;
	return own->n;
}

int shim_host_source__children(struct shim_context *ctx, const char *name, char ***offspring,
			       int **status)
{
	const struct shim_pmns_tree *builtins;
	struct names own = { 0 };
	uint32_t at;
	int n;

	if (builtins_of(ctx, &builtins))
		return -ENOMEM;
	at = shim_pmns_tree__find(builtins, name);
	if (at != SHIM_PMNS_NONE)
		own.n = shim_pmns_tree__children(builtins, at, &own.all,
						 status ? &own.status : NULL);
	if (own.n < 0)
		return own.n;
	n = ask_children(ctx->host, name, &own, offspring, status);
	/*
	 * The built-in names exist even if pmcd returned an error.  A built-in metric has no
	 * children.
	 */
	if (at != SHIM_PMNS_NONE && n < 0 && n != -ENOMEM)
		n = own.n ? PM_ERR_NAME : 0;
	return names_or_builtins(n, &own, offspring, status);
}

static int ask_leaves(struct shim_host *host, const char *name, const struct names *own,
		      char ***out)
{
	struct shim_pdu_names names;
	struct shim_pdu pdu;
	int err = shim_host__begin(host);

	if (err)
		return err;
	shim_pdu_traverse__encode(&host->wire.out, host->wire.from, name);
	err = ask_names(host, &pdu, &names);
	return err ? err : hand_out(&pdu, &names, own, out, NULL);
}

int shim_host_source__leaves(struct shim_context *ctx, const char *name, char ***out)
{
	const struct shim_pmns_tree *builtins;
	struct names own = { 0 };
	uint32_t at;

	if (builtins_of(ctx, &builtins))
		return -ENOMEM;
	at = shim_pmns_tree__find(builtins, name);
	if (at != SHIM_PMNS_NONE)
		own.n = shim_pmns_tree__leaves(builtins, at, &own.all);
	if (own.n < 0)
		return own.n;
	return names_or_builtins(ask_leaves(ctx->host, name, &own, out), &own, out, NULL);
}

static int builtin_name(const struct shim_desc *desc, char ***nameset)
{
	size_t len = strlen(desc->names[0]);
	struct shim_list list;

	if (shim_list__new(&list, 1, len + 1))
		return -ENOMEM;
	shim_list__add(&list, 0, desc->names[0], len);
	*nameset = list.strings;
	return 1;
}

int shim_host_source__names(struct shim_context *ctx, pmID pmid, char ***nameset)
{
	const struct shim_desc *builtin = shim_pmns_tree__builtin(pmid);
	struct shim_host *host = ctx->host;
	struct shim_pdu_names names;
	struct shim_pdu pdu;
	int err;

	if (builtin)
		return builtin_name(builtin, nameset);
	err = shim_host__begin(host);
	if (err)
		return err;
	shim_pdu_ids__encode(&host->wire.out, host->wire.from, pmid);
	err = ask_names(host, &pdu, &names);
	if (err)
		return err;
	if (!names.n)	/* pmcd sends an ERROR instead */
		return shim_host__lose(host, -EBADMSG);
	return hand_out(&pdu, &names, &(const struct names){ 0 }, nameset, NULL);
}
