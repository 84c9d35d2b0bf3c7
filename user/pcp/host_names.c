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

/*
 * Return the names in one allocation, and *@status if requested.  The result is the number of
 * names.
 */
static int hand_out(struct shim_pdu *pdu, const struct shim_pdu_names *names, char ***out,
		    int **status)
{
	struct shim_list list;
	int *kinds = NULL;

	if (!names->n)
		return 0;
	if (status) {
		kinds = malloc(names->n * sizeof(*kinds));
		if (!kinds)
			return -ENOMEM;
	}
	if (shim_list__new(&list, names->n, names->bytes + names->n)) {
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
	return (int)names->n;
}

/* A list of names, and a status for each of them, or NULL */
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

static bool has_name(const struct names *names, const char *name)
{
	for (int i = 0; i < names->n; i++)
		if (!strcmp(names->all[i], name))
			return true;
	return false;
}

static size_t bytes_of(const struct names *names)
{
	size_t bytes = 0;

	for (int i = 0; i < names->n; i++)
		bytes += strlen(names->all[i]) + 1;
	return bytes;
}

static void names_append(struct shim_list *list, int *status, struct names *to,
			 const struct names *from)
{
	int first = to->n;

	for (int i = 0; i < from->n; i++) {
		/* Use a name that is in both lists once, with its status in the first list. */
		if (first && has_name(to, from->all[i]))
			continue;
		if (status)
			status[to->n] = from->status[i];
		shim_list__add(list, to->n++, from->all[i], strlen(from->all[i]));
	}
}

/* Merge both lists into one allocation in @a, and free @b. */
static int names_join(struct names *a, struct names *b, bool with_status)
{
	struct names both = { 0 };
	struct shim_list list;

	if (shim_list__new(&list, a->n + b->n, bytes_of(a) + bytes_of(b)))
		return -ENOMEM;
	both.all = list.strings;
	if (with_status) {
		both.status = malloc((a->n + b->n) * sizeof(*both.status));
		if (!both.status) {
			free(both.all);
			return -ENOMEM;
		}
	}
	names_append(&list, both.status, &both, a);
	names_append(&list, both.status, &both, b);
	free_names(a);
	free_names(b);
	*a = both;
	return 0;
}

/* Add the built-in names below a name, @own, to pmcd's reply, which is @n names or an error. */
static int add_builtins(struct names *names, int n, struct names *own, int nown, bool with_status)
{
	if (nown <= 0 || (n < 0 && n != PM_ERR_NAME)) {
		if (nown > 0)
			free_names(own);
		return nown < 0 && n >= 0 ? nown : n;
	}
	names->n = n < 0 ? 0 : n;
	own->n = nown;
	if (names_join(names, own, with_status)) {
		free_names(own);
		return -ENOMEM;
	}
	return names->n;
}

static int ask_children(struct shim_host *host, const char *name, char ***offspring, int **status)
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
	return hand_out(&pdu, &names, offspring, status);
}

int shim_host_source__children(struct shim_context *ctx, const char *name, char ***offspring,
			       int **status)
{
	int n = ask_children(ctx->host, name, offspring, status), nown = 0;
	struct names names = { .all = *offspring, .status = status ? *status : NULL };
	const struct shim_pmns_tree *builtins;
	struct names own = { 0 };
	uint32_t at;

	if (builtins_of(ctx, &builtins)) {
		nown = -ENOMEM;
	} else {
		at = shim_pmns_tree__find(builtins, name);
		if (at != SHIM_PMNS_NONE)
			nown = shim_pmns_tree__children(builtins, at, &own.all,
							status ? &own.status : NULL);
		/*
		 * The built-in names exist even if pmcd returned an error.  A built-in metric has
		 * no children.
		 */
		if (at != SHIM_PMNS_NONE && n < 0 && n != -ENOMEM)
			n = nown ? PM_ERR_NAME : 0;
	}
	n = add_builtins(&names, n, &own, nown, status);
	if (n < 0) {
		free_names(&names);
		names = (struct names){ 0 };
	}
	*offspring = names.all;
	if (status)
		*status = names.status;
	return n;
}

static int ask_leaves(struct shim_host *host, const char *name, char ***out)
{
	struct shim_pdu_names names;
	struct shim_pdu pdu;
	int err = shim_host__begin(host);

	if (err)
		return err;
	shim_pdu_traverse__encode(&host->wire.out, host->wire.from, name);
	err = ask_names(host, &pdu, &names);
	return err ? err : hand_out(&pdu, &names, out, NULL);
}

int shim_host_source__leaves(struct shim_context *ctx, const char *name, char ***out)
{
	const struct shim_pmns_tree *builtins;
	struct names names = { 0 }, own = { 0 };
	int n = ask_leaves(ctx->host, name, &names.all), nown = 0;

	if (builtins_of(ctx, &builtins)) {
		nown = -ENOMEM;
	} else {
		uint32_t at = shim_pmns_tree__find(builtins, name);

		if (at != SHIM_PMNS_NONE)
			nown = shim_pmns_tree__leaves(builtins, at, &own.all);
	}
	n = add_builtins(&names, n, &own, nown, false);
	if (n < 0)
		free_names(&names);
	else
		*out = names.all;
	return n;
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
	return hand_out(&pdu, &names, nameset, NULL);
}
