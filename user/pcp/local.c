// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * This machine as a source of metrics, without pmcd: the table of operations, names, descriptors,
 * texts, instances and labels.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/record.h"
#include "base/json.h"
#include "base/process.h"
#include "context.h"
#include "list.h"
#include "local.h"

_Static_assert(SHIM_LIVE_EVALUE == PM_ERR_VALUE && SHIM_LIVE_EAGAIN == PM_ERR_AGAIN &&
	       SHIM_LIVE_EPERMISSION == PM_ERR_PERMISSION &&
	       SHIM_LIVE_EAPPVERSION == PM_ERR_APPVERSION, "errors must equal PCP's");

/*
 * Find a domain, and sample it to get instances that are newer than the last fetch.  Do not call
 * shim_machine__settle(), so that the next fetch still covers the time since the previous fetch.
 */
static int domain_find(struct shim_context *ctx, pmInDom indom, size_t *at)
{
	struct shim_machine *machine = ctx->local->machine;
	int i = shim_machine__find_indom(machine, indom);

	if (i < 0)
		return PM_ERR_INDOM;
	shim_machine__sample(machine, shim_machine__indom_group(machine, i));
	*at = i;
	return 0;
}

static int local_instances(struct shim_context *ctx, pmInDom indom, int **instlist,
			   char ***namelist)
{
	const struct shim_machine *machine = ctx->local->machine;
	char name[SHIM_LIVE_NAME_LEN];
	size_t at, n, bytes = 0;
	struct shim_list list;
	int *insts;
	int err = domain_find(ctx, indom, &at);

	if (err)
		return err;
	n = shim_machine__instances(machine, at);
	if (!n)
		return 0;
	for (size_t i = 0; i < n; i++) {
		shim_machine__instance(machine, at, i, name, sizeof(name));
		bytes += strlen(name) + 1;
	}
	insts = malloc(n * sizeof(*insts));
	if (!insts || shim_list__new(&list, n, bytes)) {
		free(insts);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		insts[i] = shim_machine__instance(machine, at, i, name, sizeof(name));
		shim_list__add(&list, i, name, strlen(name));
	}
	*instlist = insts;
	*namelist = list.strings;
	return (int)n;
}

static int named_at(const struct shim_machine *machine, size_t at, const char *name)
{
	char buf[SHIM_LIVE_NAME_LEN];

	for (size_t i = 0; i < shim_machine__instances(machine, at); i++) {
		int inst = shim_machine__instance(machine, at, i, buf, sizeof(buf));

		if (!strcmp(buf, name))
			return inst;
	}
	return PM_ERR_INST;
}

/*
 * Sample the machine only if the number is unknown, because a number is never reused for another
 * instance.  Otherwise, thousands of look-ups would each read all instances.
 */
static int local_instance_name(struct shim_context *ctx, pmInDom indom, int inst,
			       char **name)
{
	const struct shim_machine *machine = ctx->local->machine;
	char buf[SHIM_LIVE_NAME_LEN];
	int known = shim_machine__find_indom(machine, indom);
	int i = known < 0 ? -1 : shim_machine__find_instance(machine, known, inst);
	size_t at = known;
	int err = i < 0 ? domain_find(ctx, indom, &at) : 0;

	if (err)
		return err;
	if (i < 0)
		i = shim_machine__find_instance(machine, at, inst);
	if (i < 0)
		return PM_ERR_INST;
	shim_machine__instance(machine, at, i, buf, sizeof(buf));
	*name = strdup(buf);
	return *name ? 0 : -ENOMEM;
}

static int local_instance(struct shim_context *ctx, pmInDom indom, const char *name)
{
	const struct shim_machine *machine = ctx->local->machine;
	int known = shim_machine__find_indom(machine, indom);
	int inst = known < 0 ? PM_ERR_INST : named_at(machine, known, name);
	size_t at;
	int err = inst < 0 ? domain_find(ctx, indom, &at) : 0;

	if (err)
		return err;
	return inst < 0 ? named_at(machine, at, name) : inst;
}

static unsigned int members(const char *text, size_t len, unsigned int flags, pmLabel *out)
{
	struct shim_json_member member;
	struct shim_json json;
	unsigned int n = 0;

	if (shim_json__begin(&json, text, len))
		return 0;
	while (shim_json__next(&json, &member) == 1) {
		if (out)
			out[n] = (pmLabel){
				.name = member.name - text,
				.namelen = member.namelen,
				.flags = flags,
				.value = member.value - text,
				.valuelen = member.valuelen,
			};
		n++;
	}
	return n;
}

/* The caller frees the sets, even after an error. */
static int add_set(struct shim_label_sets *sets, unsigned int level, int inst, const char *text)
{
	pmLabelSet *set = shim_label_sets__grow(sets, 1);
	size_t len = strlen(text);
	unsigned int n;

	if (!set)
		return -ENOMEM;
	sets->n++;
	set->inst = inst;
	n = members(text, len, level, NULL);
	set->json = strdup(text);
	set->labels = calloc(n + 1, sizeof(*set->labels));
	if (!set->json || !set->labels)
		return -ENOMEM;
	set->jsonlen = len;
	set->nlabels = members(text, len, level, set->labels);
	return 0;
}

static int add_context(struct shim_label_sets *sets)
{
	char host[256], text[sizeof(host) + 20];

	if (gethostname(host, sizeof(host)))
		return 0;
	host[sizeof(host) - 1] = '\0';
	if (strpbrk(host, "\"\\"))
		return 0;
	snprintf(text, sizeof(text), "{\"hostname\":\"%s\"}", host);
	return add_set(sets, PM_LABEL_CONTEXT, PM_IN_NULL, text);
}

static int add_domain(struct shim_label_sets *sets, unsigned int domain)
{
	if (domain != SHIM_DOMAIN_VCPC && domain != SHIM_DOMAIN_TRACE)
		return 0;
	return add_set(sets, PM_LABEL_DOMAIN, PM_IN_NULL, "{\"agent\":\"vcpc\"}");
}

static int add_instances(struct shim_context *ctx, pmInDom indom, struct shim_label_sets *sets)
{
	const struct shim_machine *machine = ctx->local->machine;
	char name[SHIM_LIVE_NAME_LEN], text[SHIM_LIVE_NAME_LEN + 64];
	size_t at;
	int err = domain_find(ctx, indom, &at);

	for (size_t i = 0; !err && i < shim_machine__instances(machine, at); i++)
		if (shim_machine__labels(machine, at, i, text, sizeof(text)))
			err = add_set(sets, PM_LABEL_INSTANCES,
				      shim_machine__instance(machine, at, i, name, sizeof(name)),
				      text);
	return err;
}

/* Add all labels of a metric except its instances' labels. */
static int add_metric(struct shim_context *ctx, pmID pmid, struct shim_label_sets *sets)
{
	pmDesc desc;
	int err = ctx->source->desc(ctx, pmid, &desc);

	if (!err)
		err = add_context(sets);
	return err ? err : add_domain(sets, pmID_domain(pmid));
}

static int local_labels(struct shim_context *ctx, unsigned int level, unsigned int ident,
			struct shim_label_sets *sets)
{
	switch (level) {
	case 0:
		return add_metric(ctx, ident, sets);
	case PM_LABEL_CONTEXT:
		return add_context(sets);
	case PM_LABEL_DOMAIN:
		return add_domain(sets, ident);
	case PM_LABEL_INSTANCES:
		return add_instances(ctx, ident, sets);
	}
	return 0;
}

/* Print errors of the configuration, because the returned code does not describe them. */
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

/*
 * Return the error for an unknown metric: PM_ERR_PMID in the domains of this machine, otherwise the
 * error for a missing agent.
 */
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
	.labels = local_labels,
	.instances = local_instances,
	.instance_name = local_instance_name,
	.instance = local_instance,
	.metrics = local_metrics,
	.children = local_children,
	.leaves = local_leaves,
	.names = local_names,
};
