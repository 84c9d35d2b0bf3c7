// SPDX-License-Identifier: LGPL-2.1-or-later
/* Instances of this machine's domains; labels of the context, domains and instances. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "context.h"
#include "list.h"
#include "local.h"

/*
 * Find a domain, and sample it to get instances that are newer than the last fetch.  Because the
 * sample is not settled, the next fetch still covers the time since the last fetch.
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

int shim_local_source__instances(struct shim_context *ctx, pmInDom indom, int **instlist,
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
 * A number is never reused for another instance, so the machine is sampled only if the number is
 * unknown.  Otherwise, each of thousands of lookups would read all instances.
 */
int shim_local_source__instance_name(struct shim_context *ctx, pmInDom indom, int inst,
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

int shim_local_source__instance(struct shim_context *ctx, pmInDom indom, const char *name)
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

/* Add all labels of a metric except those of its instances. */
static int add_metric(struct shim_context *ctx, pmID pmid, struct shim_label_sets *sets)
{
	pmDesc desc;
	int err = ctx->source->desc(ctx, pmid, &desc);

	if (!err)
		err = add_context(sets);
	return err ? err : add_domain(sets, pmID_domain(pmid));
}

int shim_local_source__labels(struct shim_context *ctx, unsigned int level, unsigned int ident,
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
