// SPDX-License-Identifier: LGPL-2.1-or-later
/* Texts about metrics and instance domains: one line, or help. */
#include <errno.h>
#include <string.h>

#include "base/api.h"
#include "archive_source.h"
#include "context.h"

_Static_assert(PM_TEXT_ONELINE == SHIM_TEXT_ONELINE && PM_TEXT_HELP == SHIM_TEXT_HELP,
	       "levels are those of the file");

static int text_find(const struct shim_context *ctx, unsigned int type, unsigned int ident,
		     const char **out)
{
	const char *text = shim_archive__text(ctx->ar, type, ident);

	if (!text)
		return shim_archive__has_text(ctx->ar, type) ? PM_ERR_TEXT : PM_ERR_NOTHOST;
	*out = text;
	return 0;
}

/* If the help text is missing or empty, get the one-line text, unless PM_TEXT_DIRECT is set. */
static int find_best(const struct shim_context *ctx, unsigned int about, unsigned int ident,
		     int level, const char **out)
{
	int err = text_find(ctx, about | (level & ~PM_TEXT_DIRECT), ident, out);
	int line;

	if (level != PM_TEXT_HELP || (!err && **out))
		return err;
	line = text_find(ctx, about | SHIM_TEXT_ONELINE, ident, out);
	return err ? line : 0;
}

int shim_archive_source__text(struct shim_context *ctx, unsigned int about, unsigned int ident,
			      int level, char **out)
{
	const char *text;
	char *mine;
	int err;

	err = find_best(ctx, about, ident, level, &text);
	if (err)
		return err;
	mine = strdup(text);
	if (!mine)
		return -ENOMEM;
	*out = mine;
	return 0;
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

static int look_up(unsigned int about, unsigned int ident, int level, char **out)
{
	struct shim_derived_entry *derived;
	struct shim_context *ctx;
	int err;

	if (!out || ((level & ~PM_TEXT_DIRECT) != PM_TEXT_ONELINE &&
		     (level & ~PM_TEXT_DIRECT) != PM_TEXT_HELP))
		return -EINVAL;
	if (about == SHIM_TEXT_PMID && shim_pmns_tree__builtin(ident))
		return text_of_event(ident, level, out);
	err = shim_context__enter(&ctx);
	if (err == PM_ERR_NOCONTEXT && about == SHIM_TEXT_PMID && pmID_domain(ident) == DYNAMIC_PMID) {
		err = shim_registry__begin();
		return err ? err : shim_registry__text(ident, level, out);
	}
	if (err)
		return err;
	derived = about == SHIM_TEXT_PMID ? shim_derived__by_pmid(ctx, ident) : NULL;
	if (derived)
		return shim_context__leave(ctx, shim_definition__text(derived->def, level, out));
	return shim_context__leave(ctx, ctx->source->text(ctx, about, ident, level, out));
}

/**
 * pmLookupText() - get a text that describes a metric
 * @pmid: the metric
 * @level: PM_TEXT_ONELINE or PM_TEXT_HELP; ORed with PM_TEXT_DIRECT, a missing help text is not
 *	replaced by the one-line text
 * @buffer: the text, to be freed by the caller
 *
 * Return: 0, PM_ERR_TEXT if the metric has none, PM_ERR_NOTHOST if no metric of the archive has one
 * of that level, PM_ERR_NOCONTEXT, -EINVAL for other levels, -ENOMEM; for a host also pmcd's error,
 * such as PM_ERR_PMID, and PM_ERR_TIMEOUT, PM_ERR_IPC.
 */
SHIM_API int pmLookupText(pmID pmid, int level, char **buffer)
{
	return look_up(SHIM_TEXT_PMID, pmid, level, buffer);
}

/**
 * pmLookupInDomText() - get a text that describes an instance domain
 * @indom: the domain
 * @level: as for pmLookupText()
 * @buffer: the text, to be freed by the caller
 *
 * Return: as for pmLookupText().
 */
SHIM_API int pmLookupInDomText(pmInDom indom, int level, char **buffer)
{
	return look_up(SHIM_TEXT_INDOM, indom, level, buffer);
}
