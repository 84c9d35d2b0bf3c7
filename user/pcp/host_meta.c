// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metadata from a host's pmcd: descriptors, texts, instances of domains, and labels. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "host.h"
#include "list.h"

/* Maximum number of metrics per request, because pmcd limits requests to 64 kB */
#define DESCS_MAX	8192

static void copy_desc(const struct shim_pdu_desc *desc, pmDesc *out)
{
	out->pmid = desc->pmid;
	out->type = desc->type;
	out->indom = desc->indom;
	out->sem = desc->sem;
	memcpy(&out->units, &desc->units, sizeof(out->units));
}

int shim_host_source__desc(struct shim_context *ctx, pmID pmid, pmDesc *out)
{
	struct shim_host *host = ctx->host;
	struct shim_pdu_desc desc;
	struct shim_pdu pdu;
	int err;

	if (!shim_desc__builtin(pmid, out))
		return 0;
	err = shim_host__begin(host);
	if (err)
		return err;
	shim_pdu_desc__encode(&host->wire.out, host->wire.from, pmid);
	err = shim_host__ask(host, SHIM_PDU_DESC, &pdu);
	if (err)
		return err;
	err = shim_pdu_desc__decode(&pdu, pmid, &desc);
	if (err)
		return shim_host__lose(host, err);
	copy_desc(&desc, out);
	return 0;
}

/* Get the descriptors of some metrics with one request. Return the number found. */
static int some_descs(struct shim_host *host, int n, const pmID *pmids, pmDesc *out)
{
	struct shim_pdu pdu;
	int found = 0, err = shim_host__begin(host);

	if (err)
		return err;
	shim_pdu_descs__encode(&host->wire.out, host->wire.from, n, pmids);
	err = shim_host__ask(host, SHIM_PDU_DESCS, &pdu);
	if (err)
		return err;
	err = shim_pdu_descs__decode(&pdu, n, pmids);
	if (err)
		return shim_host__lose(host, err);
	for (int i = 0; i < n; i++) {
		struct shim_pdu_desc desc;

		shim_pdu_descs__next(&pdu, &desc);
		copy_desc(&desc, &out[i]);
		shim_desc__builtin(pmids[i], &out[i]);
		found += out[i].pmid != PM_ID_NULL;
	}
	return found;
}

/* Return whether more requests are useless, because the error is not about a single metric. */
static bool is_lost(const struct shim_host *host, int err)
{
	return err == -ENOMEM || host->wire.fd.nr < 0;
}

/* Send one request per metric, for a single metric or a server without SHIM_FEATURE_DESCS. */
static int each_desc(struct shim_context *ctx, int n, const pmID *pmids, pmDesc *out)
{
	int found = 0;

	for (int i = 0; i < n; i++) {
		int err = shim_host_source__desc(ctx, pmids[i], &out[i]);

		if (err && (n == 1 || is_lost(ctx->host, err)))
			return err;
		if (err)
			out[i] = (pmDesc){ .pmid = PM_ID_NULL };
		else
			found++;
	}
	return found;
}

int shim_host_source__descs(struct shim_context *ctx, int n, const pmID *pmids, pmDesc *out)
{
	int found = 0;

	if (n == 1 || !(ctx->host->features & SHIM_FEATURE_DESCS))
		return each_desc(ctx, n, pmids, out);
	for (int i = 0; i < n; i += DESCS_MAX) {
		int some = n - i < DESCS_MAX ? n - i : DESCS_MAX;
		int result = some_descs(ctx->host, some, pmids + i, out + i);

		if (result < 0)
			return result;
		found += result;
	}
	return found;
}

static int one_text(struct shim_host *host, unsigned int ident, unsigned int flags, char **out)
{
	struct shim_pdu_string text;
	struct shim_pdu pdu;
	int err = shim_host__begin(host);

	if (err)
		return err;
	shim_pdu_text__encode(&host->wire.out, host->wire.from, ident, flags);
	err = shim_host__ask(host, SHIM_PDU_TEXT, &pdu);
	if (err)
		return err;
	err = shim_pdu_text__decode(&pdu, &text);
	if (err)
		return shim_host__lose(host, err);
	*out = strndup(text.s, text.len);
	return *out ? 0 : -ENOMEM;
}

/*
 * Get the help text or, if it is missing or empty and PM_TEXT_DIRECT is not set, the one-line text.
 */
int shim_host_source__text(struct shim_context *ctx, unsigned int about, unsigned int ident,
			   int level, char **out)
{
	char *text = NULL, *line;
	int err;

	err = one_text(ctx->host, ident, about | (level & ~PM_TEXT_DIRECT), &text);
	if (level == PM_TEXT_HELP && (err == PM_ERR_TEXT || (!err && !*text))) {
		int err_line = one_text(ctx->host, ident, about | PM_TEXT_ONELINE, &line);

		if (!err_line) {
			free(text);
			text = line;
		}
		err = err ? err_line : 0;
	}
	if (!err)
		*out = text;
	return err;
}

static int ask_instances(struct shim_host *host, pmInDom indom, int inst, const char *name,
			 struct shim_pdu *pdu, uint32_t *n, size_t *bytes)
{
	int err = shim_host__begin(host);

	if (err)
		return err;
	shim_pdu_instance__encode(&host->wire.out, host->wire.from, indom, inst, name);
	err = shim_host__ask(host, SHIM_PDU_INSTANCE, pdu);
	if (err)
		return err;
	err = shim_pdu_instance__decode(pdu, n, bytes);
	return err ? shim_host__lose(host, err) : 0;
}

static int hand_out(struct shim_pdu *pdu, uint32_t n, size_t bytes, int **instlist,
		    char ***namelist)
{
	struct shim_list list;
	int *insts;

	if (!n)
		return 0;
	insts = malloc(n * sizeof(*insts));
	if (!insts)
		return -ENOMEM;
	if (shim_list__new(&list, n, bytes + n)) {
		free(insts);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct shim_pdu_instance instance;

		shim_pdu_instance__next(pdu, &instance);
		insts[i] = instance.inst;
		shim_list__add(&list, i, instance.name.s, instance.name.len);
	}
	*instlist = insts;
	*namelist = list.strings;
	return (int)n;
}

int shim_host_source__instances(struct shim_context *ctx, pmInDom indom, int **instlist,
				char ***namelist)
{
	struct shim_pdu pdu;
	size_t bytes;
	uint32_t n;
	int err = ask_instances(ctx->host, indom, PM_IN_NULL, "", &pdu, &n, &bytes);

	return err ? err : hand_out(&pdu, n, bytes, instlist, namelist);
}

/* Request one instance. A reply without exactly one instance is invalid. */
static int one_instance(struct shim_context *ctx, pmInDom indom, int inst, const char *name,
			struct shim_pdu_instance *instance)
{
	struct shim_pdu pdu;
	size_t bytes;
	uint32_t n;
	int err = ask_instances(ctx->host, indom, inst, name, &pdu, &n, &bytes);

	if (err)
		return err;
	if (n != 1)
		return shim_host__lose(ctx->host, -EBADMSG);
	shim_pdu_instance__next(&pdu, instance);
	return 0;
}

int shim_host_source__instance_name(struct shim_context *ctx, pmInDom indom, int inst,
				    char **name)
{
	struct shim_pdu_instance instance;
	int err;

	if (inst == (int)PM_IN_NULL)	/* in the protocol, this number requests the whole domain */
		return PM_ERR_INST;
	err = one_instance(ctx, indom, inst, "", &instance);
	if (err)
		return err;
	*name = strndup(instance.name.s, instance.name.len);
	return *name ? 0 : -ENOMEM;
}

int shim_host_source__instance(struct shim_context *ctx, pmInDom indom, const char *name)
{
	struct shim_pdu_instance instance;
	int err;

	if (!*name)
		return PM_ERR_INST;
	err = one_instance(ctx, indom, PM_IN_NULL, name, &instance);
	if (err)
		return err;
	/* The caller would interpret a negative number as an error. */
	return instance.inst >= 0 ? instance.inst : shim_host__lose(ctx->host, -EBADMSG);
}

/* A set that has no labels, or an error instead of labels, gets no text. */
static int copy_set(pmLabelSet *to, const struct shim_pdu_labelset *from)
{
	to->inst = from->inst;
	to->nlabels = from->nlabels;
	if (from->nlabels <= 0)
		return 0;
	to->json = malloc((size_t)from->jsonlen + 1);
	if (!to->json)
		return -ENOMEM;
	memcpy(to->json, from->json, from->jsonlen);
	to->json[from->jsonlen] = '\0';
	to->jsonlen = from->jsonlen;
	to->labels = calloc(from->nlabels, sizeof(*to->labels));
	if (!to->labels)
		return -ENOMEM;
	for (int i = 0; i < from->nlabels; i++) {
		struct shim_pdu_label label = shim_pdu_labelset__at(from, i);

		to->labels[i] = (pmLabel){
			.name = label.name,
			.namelen = label.namelen,
			.flags = label.flags,
			.value = label.value,
			.valuelen = label.valuelen,
		};
	}
	return 0;
}

static int copy_sets(struct shim_label_sets *sets, struct shim_pdu *pdu, uint32_t n)
{
	pmLabelSet *to = n ? shim_label_sets__grow(sets, n) : NULL;

	if (n && !to)
		return -ENOMEM;
	for (; n; n--, to++) {
		struct shim_pdu_labelset set;

		shim_pdu_label__next(pdu, &set);
		sets->n++;
		if (copy_set(to, &set))
			return -ENOMEM;
	}
	return 0;
}

static int add_level(struct shim_host *host, unsigned int level, unsigned int ident,
		     struct shim_label_sets *sets)
{
	struct shim_pdu pdu;
	uint32_t n;
	int err = shim_host__begin(host);

	if (err)
		return err;
	if (!(host->features & SHIM_FEATURE_LABELS))
		return PM_ERR_NOLABELS;
	shim_pdu_label__encode(&host->wire.out, host->wire.from, ident, level);
	err = shim_host__ask(host, SHIM_PDU_LABEL, &pdu);
	if (err)
		return err;
	err = shim_pdu_label__decode(&pdu, level, &n);
	if (err)
		return shim_host__lose(host, err);
	return copy_sets(sets, &pdu, n);
}

/* Add all labels of a metric except its instances' labels, in ascending order of precedence. */
static int add_metric(struct shim_context *ctx, pmID pmid, struct shim_label_sets *sets)
{
	const struct {
		unsigned int level;
		unsigned int ident;
	} levels[] = {
		{ PM_LABEL_CONTEXT, PM_ID_NULL },
		{ PM_LABEL_DOMAIN, pmID_domain(pmid) },
		{ PM_LABEL_INDOM, PM_INDOM_NULL },	/* set from the descriptor */
		{ PM_LABEL_CLUSTER, pmID_build(pmID_domain(pmid), pmID_cluster(pmid), 0) },
		{ PM_LABEL_ITEM, pmid },
	};
	pmDesc desc;
	int err = shim_host_source__desc(ctx, pmid, &desc);

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]) && !err; i++) {
		bool is_indom = levels[i].level == PM_LABEL_INDOM;

		if (!is_indom || desc.indom != PM_INDOM_NULL)
			err = add_level(ctx->host, levels[i].level,
					is_indom ? desc.indom : levels[i].ident, sets);
	}
	return err;
}

int shim_host_source__labels(struct shim_context *ctx, unsigned int level, unsigned int ident,
			     struct shim_label_sets *sets)
{
	return level ? add_level(ctx->host, level, ident, sets) : add_metric(ctx, ident, sets);
}
