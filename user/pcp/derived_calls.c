// SPDX-License-Identifier: LGPL-2.1-or-later
/* The calls that define, change and remove derived metrics, and their messages */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/api.h"
#include "context.h"
#include "derived.h"
#include "pmapi_v4.h"

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
 * PM_ERR_TEXT if the metric already has a text of this type, -EINVAL if @name or @text is NULL,
 * -ENOMEM.
 */
SHIM_API int pmAddDerivedText(const char *name, int type, const char *text)
{
	struct shim_derived_entry *e;
	struct shim_context *ctx;
	int err;

	if (!name || !text)
		return -EINVAL;
	err = shim_registry__begin();
	if (err)
		return err;
	err = shim_context__enter(&ctx);
	if (err == PM_ERR_NOCONTEXT)
		return set_global_text(name, type, text);
	if (err)
		return err;
	e = shim_derived__by_name(ctx, name);
	return shim_context__leave(ctx, e ? set_text(e->def, type, text) :
					set_global_text(name, type, text));
}

/* A metric to remove; @global: it is a global metric, which every context has */
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
 * The name can be defined again; the metric's identifier is not reused.  After an error, nothing
 * has been removed.
 *
 * Return: the number of contexts that had the metric, or PM_ERR_NAME if it was not defined
 * anywhere, -EINVAL, or the error from loading the default definitions, such as -ENOMEM.
 */
SHIM_API int pmUnregisterDerived(const char *name)
{
	struct removal removal = { .name = name };
	int n;

	if (!name)
		return -EINVAL;
	n = shim_registry__begin();
	if (n)
		return n;
	removal.global = shim_registry__remove(name);
	n = shim_context__each(remove_from, &removal);
	return n || removal.global ? n : PM_ERR_NAME;
}

/**
 * pmDerivedErrStr() - describe the error in the expression of this thread's last definition
 *
 * Return: a text that is valid until the thread's next definition; NULL if there was no error, or
 * if only its position is known.
 */
SHIM_API char *pmDerivedErrStr(void)
{
	return (char *)shim_derived__why();
}

/**
 * pmRegisterDerived() - define a derived metric for all contexts
 * @name: the metric's name
 * @expr: its expression, see pmapi.rst
 *
 * Each context resolves the names, types and units of the expression when the metric is first used
 * there.
 *
 * Return: NULL, or the position of the error in @expr; pmDerivedErrStr() describes it.
 */
SHIM_API char *pmRegisterDerived(const char *name, const char *expr)
{
	const char *at;

	if (!name || !expr)
		return (char *)"";
	return shim_registry__add(name, expr, &at) ? (char *)at : NULL;
}

/* Return the lines of the message: summary, expression, a mark below the error, reason. */
static char *message_of(const char *what, const char *call, const char *name, const char *expr,
			const char *at)
{
	const char *why = shim_derived__why();
	char *message;
	int gap = at - expr < INT_MAX ? (int)(at - expr) : 0;

	if (asprintf(&message, "%s: %s(\"%s\", ...)\n%s\n%*s^\n%s%s", what, call, name, expr, gap,
		     "", why ? why : "", why ? "\n" : "") < 0)
		return NULL;
	return message;
}

/**
 * pmRegisterDerivedMetric() - define a derived metric for all contexts, or get a message
 * @name: the metric's name
 * @expr: its expression
 * @errmsg: set to NULL, or to a message of several lines, to be freed by the caller
 *
 * Return: 0 or -1.
 */
SHIM_API int pmRegisterDerivedMetric(const char *name, const char *expr, char **errmsg)
{
	const char *at;
	int err;

	if (!errmsg)
		return -EINVAL;
	*errmsg = NULL;
	if (!name || !expr)
		return -EINVAL;
	err = shim_registry__add(name, expr, &at);
	*errmsg = err ? message_of("Error", "pmRegisterDerivedMetric", name, expr, at) : NULL;
	return err ? -1 : 0;
}

static int call_add(const char *name, const char *expr, const char **at)
{
	struct shim_context *ctx;
	int err = shim_context__enter(&ctx);

	*at = expr;
	if (err) {
		shim_derived__set_why("Attempt to use an illegal context");
		return err;
	}
	return shim_context__leave(ctx, shim_derived__add(ctx, name, expr, at));
}

/**
 * pmAddDerived() - define a derived metric for the current context
 * @name: the metric's name; it hides a global metric of that name in this context
 * @expr: its expression
 *
 * If the context does not have an operand, the metric is defined nevertheless, but has neither a
 * descriptor nor values.
 *
 * Return: NULL, or the position of the error in @expr; pmDerivedErrStr() describes it.
 */
SHIM_API char *pmAddDerived(const char *name, const char *expr)
{
	const char *at;

	if (!name || !expr)
		return (char *)"";
	return call_add(name, expr, &at) ? (char *)at : NULL;
}

/*
 * Return the message for an error that is not in the expression, for example a name that is in use.
 */
static char *short_message(const char *name, int code)
{
	const char *why = shim_derived__why();
	char *message;

	if (asprintf(&message, "Error: pmAddDerivedMetric(\"%s\", ...): returns %d\n%s%s", name, code,
		     why ? why : "", why ? "\n" : "") < 0)
		return NULL;
	return message;
}

/**
 * pmAddDerivedMetric() - define a derived metric for the current context, or get a message
 * @name: the metric's name
 * @expr: its expression
 * @errmsg: set to NULL, or to a message of several lines, to be freed by the caller
 *
 * Return: 0, PM_ERR_BADDERIVE, PM_ERR_NOCONTEXT, -ENOMEM.
 */
SHIM_API int pmAddDerivedMetric(const char *name, const char *expr, char **errmsg)
{
	const char *at;
	int err;

	if (!errmsg)
		return -EINVAL;
	*errmsg = NULL;
	if (!name || !expr)
		return -EINVAL;
	err = call_add(name, expr, &at);
	switch (err) {
	case 0:
		return 0;
	case -EINVAL:
	case PM_ERR_BADDERIVE:
		*errmsg = message_of(err == -EINVAL ? "Syntax Error" : "Semantic Error",
				     "pmAddDerivedMetric", name, expr, at);
		return PM_ERR_BADDERIVE;
	case -EEXIST:
		err = PM_ERR_BADDERIVE;
	}
	*errmsg = short_message(name, err);
	return err;
}

/**
 * pmLoadDerivedConfig() - define the derived metrics in files
 * @path: colon-separated list of files, and directories with files at any depth
 *
 * Errors in a file are reported through pmprintf(), and the rest of the file is loaded.  If memory
 * runs out, earlier definitions remain.  Repeating the call then defines the rest, and reports an
 * error for each metric that already exists.
 *
 * Return: the number of metrics defined, or -errno of the first file or directory that cannot be
 * read.
 */
SHIM_API int pmLoadDerivedConfig(const char *path)
{
	int err = path ? shim_registry__begin() : -EINVAL;

	return err ? err : shim_derived__load(path, false);
}

/*
 * Return the debugging option of pmSetDebug() for a group of messages, in the flags of one version,
 * or NULL.
 */
static int *debug_option(pmdebugoptions_t *options, int what)
{
	switch (what) {
	case PCP_DERIVED_DEBUG_SYNTAX:
		return &options->appl0;
	case PCP_DERIVED_DEBUG_SEMANTICS:
		return &options->appl1;
	case PCP_DERIVED_DEBUG_EVAL:
		return &options->appl2;
	}
	return NULL;
}

static int context_limit(int *out)
{
	struct shim_context *ctx;
	int err = shim_context__enter(&ctx);

	if (err)
		return err;
	*out = ctx->derived.limited ? ctx->derived.limit : shim_registry__limit();
	return shim_context__leave(ctx, 0);
}

static int set_context_limit(int value)
{
	struct shim_context *ctx;
	int err = shim_context__enter(&ctx);

	if (err)
		return err;
	ctx->derived.limited = true;
	ctx->derived.limit = value;
	return shim_context__leave(ctx, 0);
}

/**
 * pmGetDerivedControl() - get a limit on derived metrics, or whether an option is on
 * @what: PCP_DERIVED_GLOBAL_LIMIT, PCP_DERIVED_CONTEXT_LIMIT of the current context,
 *	PCP_DERIVED_DEBUG_x for debug messages, or PCP_DERIVED_OPTION_NOVALUE: operands that a
 *	context does not have are treated like novalue()
 * @value: set to a number of metrics, or -1 for no limit; for an option to 0 or 1
 *
 * Return: 0, PM_ERR_BADDERIVE for another @what, PM_ERR_NOCONTEXT.
 */
SHIM_API int pmGetDerivedControl(int what, int *value)
{
	int *option = debug_option(&pmDebugOptions, what);

	if (!value)
		return -EINVAL;
	if (what == PCP_DERIVED_CONTEXT_LIMIT)
		return context_limit(value);
	if (what == PCP_DERIVED_GLOBAL_LIMIT)
		*value = shim_registry__limit();
	else if (what == PCP_DERIVED_OPTION_NOVALUE)
		*value = shim_registry__novalue();
	else if (option)
		*value = shim_debug__derive() &&
			 (*option || *debug_option(&pmDebugOptions_v4.v2, what));
	else
		return PM_ERR_BADDERIVE;
	return 0;
}

/**
 * pmSetDerivedControl() - set a limit on derived metrics, or switch an option
 * @what: as for pmGetDerivedControl
 * @value: as for pmGetDerivedControl; a limit does not remove existing metrics
 *
 * Return: as for pmGetDerivedControl; PM_ERR_ARG for a @value of PCP_DERIVED_OPTION_NOVALUE
 * that is neither 0 nor 1.
 */
SHIM_API int pmSetDerivedControl(int what, int value)
{
	int *option = debug_option(&pmDebugOptions, what);

	if (what == PCP_DERIVED_CONTEXT_LIMIT)
		return set_context_limit(value);
	if (what == PCP_DERIVED_OPTION_NOVALUE && (value & ~1))
		return PM_ERR_ARG;
	if (what == PCP_DERIVED_GLOBAL_LIMIT) {
		shim_registry__set_limit(value);
	} else if (what == PCP_DERIVED_OPTION_NOVALUE) {
		shim_registry__set_novalue(value);
	} else if (option) {
		pmDebugOptions.derive = value;
		pmDebugOptions_v4.v2.derive = value;
		*option = value;
		*debug_option(&pmDebugOptions_v4.v2, what) = value;
	} else {
		return PM_ERR_BADDERIVE;
	}
	return 0;
}
