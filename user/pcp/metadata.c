// SPDX-License-Identifier: LGPL-2.1-or-later
/* Calls for metadata: descriptors, texts, and the instances of a domain at the context's time */
#include <errno.h>
#include <string.h>

#include "base/api.h"
#include "context.h"
#include "err.h"
#include "request.h"

/**
 * pmLookupDesc() - get a metric's descriptor
 * @pmid: the metric
 * @desc: written on success
 *
 * Return: 0, PM_ERR_PMID_LOG (for a host, PM_ERR_PMID or PM_ERR_NOAGENT), PM_ERR_NOCONTEXT,
 * PM_ERR_TIMEOUT, PM_ERR_IPC; PM_ERR_BADDERIVE for a derived metric that cannot be bound in this
 * context: semantic errors are reported through pmprintf(), but missing operands are not.
 */
SHIM_API int pmLookupDesc(pmID pmid, pmDesc *desc)
{
	struct shim_context *ctx;
	int err;

	if (!desc)
		return -EINVAL;
	err = shim_context__enter(&ctx);
	if (err)
		return err;
	return shim_context__leave(ctx, shim_derived__desc(ctx, pmid, desc));
}

/**
 * pmLookupDescs() - get the descriptors of several metrics
 * @numpmid: number of metrics
 * @pmidlist: the metrics
 * @desclist: the descriptors; one that is not found has the pmid PM_ID_NULL
 *
 * Return: the number found, PM_ERR_TOOSMALL if @numpmid < 1, PM_ERR_NOCONTEXT; for a host also
 * PM_ERR_TIMEOUT, PM_ERR_IPC, and pmcd's error if a single metric is not found; for a single
 * derived metric, the result of pmLookupDesc().
 */
SHIM_API int pmLookupDescs(int numpmid, pmID *pmidlist, pmDesc *desclist)
{
	struct shim_context *ctx;
	int err;

	if (numpmid < 1)
		return PM_ERR_TOOSMALL;
	if (!pmidlist || !desclist)
		return -EINVAL;
	err = shim_context__enter(&ctx);
	if (err)
		return err;
	return shim_context__leave(ctx, shim_derived__descs(ctx, numpmid, pmidlist, desclist));
}

/* Texts of the metrics that every context has, by item */
static const struct {
	const char *line, *help;
} event_texts[] = {
	[1] = { "Flags for event records",
		"Flag bits of an event record: whether it is the first or last of several, or\n"
		"identifies others.  pmUnpackEventRecords(3) returns them before the record's\n"
		"parameters if they are not zero." },
	[2] = { "Count of missed event records",
		"Number of event records lost between two others because no client fetched them in\n"
		"time.  pmUnpackEventRecords(3) returns it in place of the lost records." },
};

static int text_of_event(pmID pmid, int level, char **out)
{
	unsigned int item = pmID_item(pmid);

	*out = strdup(level & PM_TEXT_ONELINE ? event_texts[item].line : event_texts[item].help);
	return *out ? 0 : -ENOMEM;
}

/*
 * Return 0, or the same error as PCP if @level is not one of the two texts about such an object.
 * Without a context, PCP returns PM_ERR_NOCONTEXT instead of PM_ERR_NOTHOST.
 */
static int check_level(unsigned int about, int level)
{
	int text = level & (PM_TEXT_ONELINE | PM_TEXT_HELP);
	bool neither = text != PM_TEXT_ONELINE && text != PM_TEXT_HELP;

	if (neither && about == SHIM_TEXT_PMID)
		return PM_ERR_ARG;
	if (!neither && !(level & ~(text | PM_TEXT_DIRECT | (int)about)))
		return 0;
	return pmWhichContext() < 0 ? PM_ERR_NOCONTEXT : PM_ERR_NOTHOST;
}

static int look_up_text(unsigned int about, unsigned int ident, int level, char **out)
{
	struct shim_derived_entry *derived;
	struct shim_context *ctx;
	int err;

	err = out ? check_level(about, level) : -EINVAL;
	if (err)
		return err;
	level &= ~(int)about;
	if (about == SHIM_TEXT_PMID && shim_pmns_tree__builtin(ident))
		return text_of_event(ident, level, out);
	err = shim_context__enter(&ctx);
	if (err == PM_ERR_NOCONTEXT && about == SHIM_TEXT_PMID && shim_pmid__is_derived(ident)) {
		err = shim_registry__begin();
		return err ? err : shim_registry__text(ident, level, out);
	}
	if (err)
		return err;
	derived = about == SHIM_TEXT_PMID ? shim_derived__by_pmid(ctx, ident) : NULL;
	if (derived)
		return shim_context__leave(ctx, shim_definition__text(derived->def, level, out));
	err = ctx->source->text(ctx, about, ident, level, out);
	if (err < 0 && about == SHIM_TEXT_PMID && shim_pmid__is_derived(ident))
		err = shim_pcp__is_failure(err) ? err : PM_ERR_PMID;
	return shim_context__leave(ctx, err);
}

/**
 * pmLookupText() - get a text that describes a metric
 * @pmid: the metric
 * @level: PM_TEXT_ONELINE or PM_TEXT_HELP; ORed with PM_TEXT_DIRECT, a missing help text is not
 *	replaced by the one-line text; PM_TEXT_PMID (for a domain, PM_TEXT_INDOM) has no effect
 * @buffer: set to the text, to be freed by the caller
 *
 * Return: 0, PM_ERR_TEXT if the metric has no text, PM_ERR_NOTHOST if no metric of the archive has
 * a text of that level, PM_ERR_NOCONTEXT, PM_ERR_ARG or PM_ERR_NOTHOST for other levels,
 * -EINVAL if @buffer is NULL, -ENOMEM; for a host also pmcd's error, such as PM_ERR_PMID, and
 * PM_ERR_TIMEOUT, PM_ERR_IPC.
 */
SHIM_API int pmLookupText(pmID pmid, int level, char **buffer)
{
	return look_up_text(SHIM_TEXT_PMID, pmid, level, buffer);
}

/**
 * pmLookupInDomText() - get a text that describes an instance domain
 * @indom: the domain
 * @level: as for pmLookupText()
 * @buffer: set to the text, to be freed by the caller
 *
 * Return: as for pmLookupText().
 */
SHIM_API int pmLookupInDomText(pmInDom indom, int level, char **buffer)
{
	return look_up_text(SHIM_TEXT_INDOM, indom, level, buffer);
}

static int indom_enter(pmInDom indom, struct shim_context **ctx)
{
	return indom == PM_INDOM_NULL ? PM_ERR_INDOM : shim_context__enter(ctx);
}

/**
 * pmGetInDom() - get the instances of a domain at the current time
 * @indom: the domain
 * @instlist: their IDs, ascending; to be freed by the caller if there are any
 * @namelist: their names, in the same order; to be freed by the caller if there are any
 *
 * Return: the number of instances, PM_ERR_INDOM for PM_INDOM_NULL, PM_ERR_INDOM_LOG if the archive
 * has no state of the domain at or before the time, PM_ERR_NOCONTEXT; for a host, pmcd's error,
 * such as PM_ERR_INDOM or PM_ERR_NOAGENT, PM_ERR_TIMEOUT, PM_ERR_IPC.
 */
SHIM_API int pmGetInDom(pmInDom indom, int **instlist, char ***namelist)
{
	struct shim_context *ctx;
	int err;

	if (!instlist || !namelist)
		return -EINVAL;
	*instlist = NULL;
	*namelist = NULL;
	err = indom_enter(indom, &ctx);
	if (err)
		return err;
	return shim_context__leave(ctx, ctx->source->instances(ctx, indom, instlist, namelist));
}

/**
 * pmNameInDom() - get an instance's name at the current time
 * @indom: the instance's domain
 * @inst: the instance's ID
 * @name: set to the name if 0 is returned; to be freed by the caller
 *
 * Return: 0, PM_ERR_INDOM, PM_ERR_INDOM_LOG, PM_ERR_INST_LOG (for a host, PM_ERR_INST),
 * PM_ERR_NOCONTEXT, PM_ERR_TIMEOUT, PM_ERR_IPC.
 */
SHIM_API int pmNameInDom(pmInDom indom, int inst, char **name)
{
	struct shim_context *ctx;
	int err = name ? indom_enter(indom, &ctx) : -EINVAL;

	if (err)
		return err;
	return shim_context__leave(ctx, ctx->source->instance_name(ctx, indom, inst, name));
}

/**
 * pmLookupInDom() - look up an instance by name, at the current time
 * @indom: the instance's domain
 * @name: the instance's name, or the part before its first blank
 *
 * Return: the ID, or errors as for pmNameInDom().
 */
SHIM_API int pmLookupInDom(pmInDom indom, const char *name)
{
	struct shim_context *ctx;
	int err = name ? indom_enter(indom, &ctx) : -EINVAL;

	return err ? err : shim_context__leave(ctx, ctx->source->instance(ctx, indom, name));
}
