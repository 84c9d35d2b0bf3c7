// SPDX-License-Identifier: LGPL-2.1-or-later
/* Labels of metrics, from a host's pmcd and its agents. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "host.h"

/* A set without labels, or with an error instead, gets no text. */
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

/* Add all labels of a metric except its instances', from the weakest level to the strongest. */
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
