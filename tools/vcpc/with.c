// SPDX-License-Identifier: GPL-2.0-or-later
/* Find the metrics of this machine's pmcd for vcpc record --with. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "vcpc.h"
#include "with_metrics.h"

#define HOST	"local:"

/* The metrics below a name */
struct names {
	char **name;
	int n, room;
	bool no_memory;
};

static void add_name(const char *name, void *arg)
{
	struct names *names = arg;

	if (names->n == names->room) {
		int room = names->room ? 2 * names->room : 16;
		char **more = reallocarray(names->name, room, sizeof(*more));

		names->no_memory |= !more;
		if (!more)
			return;
		names->name = more;
		names->room = room;
	}
	names->name[names->n] = strdup(name);
	if (names->name[names->n])
		names->n++;
	else
		names->no_memory = true;
}

static void free_names(struct names *names)
{
	for (int i = 0; i < names->n; i++)
		free(names->name[i]);
	free(names->name);
}

/*
 * Return whether a metric has numbers or strings.  Other types are not recorded, because only their
 * agents know their formats.
 */
static bool is_plain(const pmDesc *desc)
{
	return desc->type >= PM_TYPE_32 && desc->type <= PM_TYPE_STRING;
}

/*
 * Return whether an error is a failure of a call or of the connection, and not an answer from pmcd.
 */
static bool is_failure(int err)
{
	return err == PM_ERR_IPC || err == PM_ERR_TIMEOUT || vcpc_is_trouble(err);
}

/*
 * Set @why to the reason why a metric cannot be recorded, or to NULL.  Return 0, or an error if it
 * is unknown whether the metric can be recorded.
 */
static int look_up(const char *name, pmDesc *desc, const char **why)
{
	pmID pmid;
	int err = pmLookupName(1, &name, &pmid);

	if (err >= 0)
		err = pmLookupDesc(pmid, desc);
	*why = NULL;
	if (err < 0)
		*why = pmErrStr(err);
	else if (!is_plain(desc))
		*why = "its type cannot be recorded";
	else if (pmID_domain(pmid) == 450 || pmID_domain(pmid) == 10)
		*why = "vcpc itself records it, without pmcd";
	return is_failure(err) ? err : 0;
}

int with_leave_out(const char *name, bool named, const char *why)
{
	int status = vcpc_fail(0, "--with: %s: %s%s", name, why, named ? "" : "; it is skipped");

	return named ? status : 0;
}

static struct with_metric *by_pmid(struct vcpc_with *with, pmID pmid)
{
	for (int i = 0; i < with->n; i++)
		if (with->metrics[i].desc.pmid == pmid)
			return &with->metrics[i];
	return NULL;
}

/*
 * Record that a metric was found again.  The archive has only the first name by which it was found.
 */
static void find_again(struct with_metric *metric, const char *name, bool named)
{
	if (named && strcmp(metric->name, name))
		vcpc_fail(0, "--with: %s is recorded as %s", name, metric->name);
	metric->named |= named;
}

static int metric_append(struct vcpc_with *with, const char *name, const pmDesc *desc, bool named)
{
	struct with_metric *metric;

	if (with->n == with->room) {
		int room = with->room ? 2 * with->room : 16;

		metric = reallocarray(with->metrics, room, sizeof(*metric));
		if (!metric)
			return vcpc_fail(-ENOMEM, "--with: %s", name);
		with->metrics = metric;
		with->room = room;
	}
	metric = &with->metrics[with->n];
	*metric = (struct with_metric){ .name = strdup(name), .desc = *desc, .named = named };
	if (!metric->name)
		return vcpc_fail(-ENOMEM, "--with: %s", name);
	with->n++;
	return 0;
}

/* Add a metric.  Set *@found if it is recorded. */
static int add_metric(struct vcpc_with *with, const char *name, bool named, bool *found)
{
	pmDesc desc;
	const char *why;
	int err = look_up(name, &desc, &why);
	struct with_metric *metric = why ? NULL : by_pmid(with, desc.pmid);

	if (err)
		return vcpc_fail(0, "--with: %s: %s", name, why);
	if (why)
		return with_leave_out(name, named, why);
	*found = true;
	if (!metric)
		return metric_append(with, name, &desc, named);
	find_again(metric, name, named);
	return 0;
}

static int add_metrics(struct vcpc_with *with, const struct names *names, const char *part)
{
	bool found = false;
	int ret = 0;

	if (names->no_memory)
		return vcpc_fail(-ENOMEM, "--with: %s", part);
	for (int i = 0; i < names->n && !ret; i++)
		ret = add_metric(with, names->name[i], !strcmp(names->name[i], part), &found);
	return ret || found ? ret : vcpc_fail(0, "--with: %s: none of its metrics can be recorded", part);
}

/*
 * Add a metric, or all metrics below a name.  Return 0, or an exit status after printing a message.
 */
static int add_part(struct vcpc_with *with, const char *part)
{
	struct names names = { 0 };
	int n = pmTraversePMNS_r(part, add_name, &names), ret;

	if (n > 0)
		ret = add_metrics(with, &names, part);
	else
		ret = vcpc_fail(0, "--with: %s: %s", part, pmErrStr(n < 0 ? n : PM_ERR_NAME));
	free_names(&names);
	return ret;
}

static int add_parts(struct vcpc_with *with, const char *list)
{
	char *copy = strdup(list), *rest = copy;
	int ret = 0;

	if (!copy)
		return vcpc_fail(-ENOMEM, "--with");
	while (!ret && rest) {
		const char *name = strsep(&rest, ",");

		ret = *name ? add_part(with, name) : vcpc_usage("--with: '%s' contains an empty name", list);
	}
	free(copy);
	return ret;
}

int vcpc_with_open(const char *list, struct vcpc_with **out)
{
	struct vcpc_with *with = calloc(1, sizeof(*with));
	int ret;

	if (!with)
		return vcpc_fail(-ENOMEM, "--with");
	with->context = pmNewContext(PM_CONTEXT_HOST, HOST);
	ret = with->context < 0 ? vcpc_fail(0, "--with: cannot connect to pmcd on this machine: %s",
					    pmErrStr(with->context)) : 0;
	if (!ret)
		ret = add_parts(with, list);
	if (ret)
		vcpc_with_close(with);
	else
		*out = with;
	return ret;
}

void with_free_metric(struct with_metric *metric)
{
	free(metric->name);
	free(metric->line);
	free(metric->help);
}

int vcpc_with_missing(const struct vcpc_with *with)
{
	return with->missing;
}

void vcpc_with_close(struct vcpc_with *with)
{
	if (!with)
		return;
	with_end_all(with);
	pmFreeResult(with->result);
	if (with->context >= 0)
		pmDestroyContext(with->context);
	for (int i = 0; i < with->n; i++)
		with_free_metric(&with->metrics[i]);
	free(with->metrics);
	free(with->pmids);
	free(with->indoms);
	free(with);
}
