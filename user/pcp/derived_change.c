// SPDX-License-Identifier: LGPL-2.1-or-later
/* Calls that change existing derived metrics: set their texts, and remove them. */
#include <errno.h>

#include "base/api.h"
#include "context.h"
#include "derived.h"

static int set_text(struct shim_definition *def, int type, const char *text)
{
	if (type != PM_TEXT_ONELINE && type != PM_TEXT_HELP)
		return PM_ERR_ARG;
	return shim_definition__set_text(def, type, text);
}

static int set_global_text(const char *name, int type, const char *text)
{
	int number = shim_registry__find(name);

	return number < 0 ? PM_ERR_NAME : set_text(shim_registry__at((unsigned int)number), type, text);
}

/**
 * pmAddDerivedText() - set a text of a derived metric
 * @name: the metric: the current context's own, or a global one
 * @type: PM_TEXT_ONELINE or PM_TEXT_HELP
 * @text: the text, which pmLookupText() then returns
 *
 * Return: 0, PM_ERR_NAME if there is no such derived metric, PM_ERR_ARG for another @type,
 * PM_ERR_TEXT if the metric already has such a text, -EINVAL without @name or @text, -ENOMEM.
 */
SHIM_API int pmAddDerivedText(const char *name, int type, const char *text)
{
	struct shim_derived_entry *e;
	struct shim_context *ctx;

	if (!name || !text)
		return -EINVAL;
	shim_registry__begin();
	if (shim_context__enter(&ctx))
		return set_global_text(name, type, text);
	e = shim_derived__by_name(ctx, name);
	return shim_context__leave(ctx, e ? set_text(e->def, type, text) :
					set_global_text(name, type, text));
}

/* What to remove: also a global metric, or only contexts' own metrics */
struct removal {
	const char *name;
	bool global;
};

static int remove_from(struct shim_context *ctx, void *arg)
{
	const struct removal *removal = arg;

	return shim_derived__remove(ctx, removal->name) || removal->global;
}

/**
 * pmUnregisterDerived() - remove a derived metric from the process and all its contexts
 * @name: the metric
 *
 * The name can be defined again; the metric's identifier is not reused.
 *
 * Return: the number of contexts that had the metric, or PM_ERR_NAME if it was not defined
 * anywhere, -EINVAL, -ENOMEM.
 */
SHIM_API int pmUnregisterDerived(const char *name)
{
	struct removal removal = { .name = name };
	int n;

	if (!name)
		return -EINVAL;
	shim_registry__begin();
	removal.global = shim_registry__remove(name);
	n = shim_context__each(remove_from, &removal);
	return n || removal.global ? n : PM_ERR_NAME;
}
