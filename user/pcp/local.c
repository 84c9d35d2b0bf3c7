// SPDX-License-Identifier: LGPL-2.1-or-later
/* This machine as a source of metrics, without pmcd: the table, names, descriptors and texts. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/record.h"
#include "base/process.h"
#include "context.h"
#include "local.h"

_Static_assert(SHIM_LIVE_EVALUE == PM_ERR_VALUE && SHIM_LIVE_EAGAIN == PM_ERR_AGAIN &&
	       SHIM_LIVE_EPERMISSION == PM_ERR_PERMISSION &&
	       SHIM_LIVE_EAPPVERSION == PM_ERR_APPVERSION, "errors are PCP's");

/* Print an error of the configuration, because the returned code does not explain it. */
static int open_machine(struct shim_machine **out)
{
	const char *path = shim_environ__get("VCPC_CONFIG");
	unsigned int line = 0;
	int err = shim_machine__new(path && *path ? path : NULL, &line, out);

	if (!err || err == -ENOMEM)
		return err;
	if (!path || !*path)
		path = "/etc/vcpc.conf";
	if (line)
		pmprintf("pmNewContext: %s: line %u: %s\n", path, line, strerror(-err));
	else
		pmprintf("pmNewContext: %s: %s\n", path, strerror(-err));
	pmflush();
	return PM_ERR_GENERIC;
}

static int list_names(struct shim_local *local, struct shim_pmns_tree **tree)
{
	const struct shim_metric *m;
	unsigned int n = 0;

	while (shim_machine__metric(local->machine, n))
		n++;
	local->entries = calloc(n, sizeof(*local->entries));
	if (!local->entries)
		return -ENOMEM;
	for (unsigned int i = 0; i < n; i++) {
		m = shim_machine__metric(local->machine, i);
		local->entries[i] = (struct shim_pmns_entry){ m->name, m->pmid };
	}
	return shim_pmns_tree__of(local->entries, n, tree);
}

static void local_free(struct shim_context *ctx)
{
	shim_pmns_tree__free(ctx->pmns);
	if (ctx->local->machine)
		shim_machine__free(ctx->local->machine);
	free(ctx->local->entries);
	free(ctx->local);
}

int shim_local__new(struct shim_context *ctx)
{
	int err;

	ctx->local = calloc(1, sizeof(*ctx->local));
	if (!ctx->local)
		return -ENOMEM;
	err = open_machine(&ctx->local->machine);
	if (!err)
		err = list_names(ctx->local, &ctx->pmns);
	if (err)
		local_free(ctx);
	return err;
}

static int local_dup(struct shim_context *to, struct shim_context *from)
{
	(void)from;
	return shim_local__new(to);
}

static void local_host(struct shim_context *ctx, char *buf, size_t size)
{
	char name[HOST_NAME_MAX + 1] = "";

	(void)ctx;
	gethostname(name, sizeof(name));
	snprintf(buf, size, "%s", name);
}

static int local_zone(struct shim_context *ctx, char *buf, size_t size)
{
	struct shim_label label = { 0 };
	const char *zone;
	size_t len;

	(void)ctx;
	shim_local_zone__fill(&label);
	zone = *label.zoneinfo ? label.zoneinfo : label.tz;
	len = strnlen(zone, size - 1);
	memcpy(buf, zone, len);
	buf[len] = '\0';
	return 0;
}

/* There is no connection to lose, so nothing needs to be done. */
static int local_reconnect(struct shim_context *ctx)
{
	(void)ctx;
	return 0;
}

static int local_set_mode(struct shim_context *ctx, int mode, const struct shim_ts *when,
			  struct shim_ts delta)
{
	(void)ctx;
	(void)when;
	(void)delta;
	return mode == PM_MODE_LIVE ? 0 : PM_ERR_MODE;
}

static int local_record(struct shim_context *ctx, struct shim_ts *stamp, pmResult **out)
{
	(void)ctx;
	(void)stamp;
	(void)out;
	return PM_ERR_NOTARCHIVE;
}

/* The error of an unknown metric: PM_ERR_PMID in the domains of this machine, otherwise no agent */
static int unknown(pmID pmid)
{
	unsigned int domain = pmID_domain(pmid);

	return domain == SHIM_DOMAIN_VCPC || domain == SHIM_DOMAIN_TRACE ? PM_ERR_PMID :
									   PM_ERR_NOAGENT;
}

static int local_desc(struct shim_context *ctx, pmID pmid, pmDesc *out)
{
	const struct shim_metric *m;
	int i;

	if (!shim_desc__builtin(pmid, out))
		return 0;
	i = shim_machine__find(ctx->local->machine, pmid);
	if (i < 0)
		return unknown(pmid);
	m = shim_machine__metric(ctx->local->machine, i);
	out->pmid = m->pmid;
	out->type = m->type;
	out->indom = m->indom;
	out->sem = m->sem;
	memcpy(&out->units, &m->units, sizeof(out->units));
	return 0;
}

static int local_descs(struct shim_context *ctx, int n, const pmID *pmids, pmDesc *out)
{
	int found = 0;

	for (int i = 0; i < n; i++) {
		int err = local_desc(ctx, pmids[i], &out[i]);

		if (err && n == 1)
			return err;
		if (err)
			out[i] = (pmDesc){ .pmid = PM_ID_NULL };
		else
			found++;
	}
	return found;
}

static int local_text(struct shim_context *ctx, unsigned int about, unsigned int ident, int level,
		      char **out)
{
	const struct shim_machine *machine = ctx->local->machine;
	bool one_line = (level & ~PM_TEXT_DIRECT) == PM_TEXT_ONELINE;
	int i;

	if (about == PM_TEXT_PMID) {
		if (shim_pmns_tree__builtin(ident))
			return PM_ERR_TEXT;
		i = shim_machine__find(machine, ident);
		if (i < 0)
			return unknown(ident);
		*out = strdup(one_line ? shim_machine__metric(machine, i)->line :
					 shim_machine__metric(machine, i)->help);
	} else {
		i = shim_machine__find_indom(machine, ident);
		if (i < 0)
			return PM_ERR_INDOM;
		*out = strdup(one_line ? shim_machine__indom(machine, i)->line :
					 shim_machine__indom(machine, i)->help);
	}
	return *out ? 0 : -ENOMEM;
}

static int local_metrics(struct shim_context *ctx, int n, const char *const *names, pmID *pmids)
{
	return shim_pmns_lookup__metrics(ctx->pmns, n, names, pmids);
}

static int local_children(struct shim_context *ctx, const char *name, char ***offspring,
			  int **status)
{
	return shim_pmns_lookup__children(ctx->pmns, name, offspring, status);
}

static int local_leaves(struct shim_context *ctx, const char *name, char ***names)
{
	return shim_pmns_lookup__leaves(ctx->pmns, name, names);
}

static int local_names(struct shim_context *ctx, pmID pmid, char ***nameset)
{
	const struct shim_desc *builtin = shim_pmns_tree__builtin(pmid);
	int i = shim_machine__find(ctx->local->machine, pmid);

	if (builtin)
		return shim_pmns_lookup__list(builtin->names, 1, nameset);
	if (i < 0)
		return PM_ERR_PMID;
	return shim_pmns_lookup__list(&shim_machine__metric(ctx->local->machine, i)->name, 1,
				      nameset);
}

const struct shim_source shim_local_source = {
	.names_at = PMNS_LOCAL,
	.free = local_free,
	.dup = local_dup,
	.host = local_host,
	.zone = local_zone,
	.reconnect = local_reconnect,
	.set_mode = local_set_mode,
	.fetch = shim_local_source__fetch,
	.record = local_record,
	.store = shim_local_source__store,
	.desc = local_desc,
	.descs = local_descs,
	.text = local_text,
	.labels = shim_local_source__labels,
	.instances = shim_local_source__instances,
	.instance_name = shim_local_source__instance_name,
	.instance = shim_local_source__instance,
	.metrics = local_metrics,
	.children = local_children,
	.leaves = local_leaves,
	.names = local_names,
};
