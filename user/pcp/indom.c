// SPDX-License-Identifier: LGPL-2.1-or-later
/* Instances of a domain: at the context's time, and in a whole archive. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>

#include "archive/indom.h"
#include "archive_source.h"
#include "base/api.h"
#include "context.h"

#define ROW_NAME	64	/* longer names, on average, are copied one by one */

typedef const struct shim_indom *state;

/* @archive: the call covers a whole archive, so it requires an archive context */
static int indom_enter(pmInDom indom, bool archive, struct shim_context **ctx)
{
	if (indom == PM_INDOM_NULL)
		return PM_ERR_INDOM;
	return archive ? shim_context__enter_archive(ctx) : shim_context__enter(ctx);
}

/*
 * With @all, get state @i of the archive, newest first; otherwise, @i 0 is the state at the
 * context's time.  Returns 0, PM_ERR_INDOM_LOG if there is none, -ENOMEM.
 */
static int state_at(const struct shim_context *ctx, pmInDom indom, bool all, unsigned int i,
		    state *s)
{
	if (all ? i >= shim_archive__nindoms(ctx->ar, indom) :
		  i || !shim_archive__has_indom(ctx->ar, indom, ctx->origin))
		return PM_ERR_INDOM_LOG;
	*s = all ? shim_archive__indom_at(ctx->ar, indom, i) :
		   shim_archive__indom(ctx->ar, indom, ctx->origin);
	return *s ? 0 : -ENOMEM;
}

/* Allocate lists of @n ids and names, the latter with room for @bytes of text after them. */
static int make_lists(unsigned int n, size_t bytes, int **instlist, char ***namelist)
{
	*instlist = malloc(n * sizeof(**instlist));
	*namelist = malloc(n * sizeof(**namelist) + bytes);
	if (*instlist && *namelist)
		return 0;
	free(*instlist);
	free(*namelist);
	*instlist = NULL;
	*namelist = NULL;
	return -ENOMEM;
}

static int hand_out(unsigned int n, const int32_t *ids, const char *const *names, int **instlist,
		    char ***namelist)
{
	size_t bytes = 0;
	char *end;
	int err;

	for (unsigned int i = 0; i < n; i++)
		bytes += strlen(names[i]) + 1;
	err = make_lists(n, bytes, instlist, namelist);
	if (err)
		return err;
	memcpy(*instlist, ids, n * sizeof(*ids));
	end = (char *)(*namelist + n);
	for (unsigned int i = 0; i < n; i++) {
		(*namelist)[i] = end;
		end = stpcpy(end, names[i]) + 1;
	}
	return 0;
}

/*
 * Whether the names are close together in memory, which is the case if one record contains the
 * whole domain.  In that case, @bytes at @first contain all of them, and little else.
 */
static bool in_a_row(const struct shim_indom *s, const char **first, size_t *bytes)
{
	uintptr_t low = UINTPTR_MAX, high = 0;

	if (!s->one_record)
		return false;
	for (unsigned int i = 0; i < s->n; i++) {
		uintptr_t at = (uintptr_t)s->name[i];

		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	*first = (const char *)low;
	if (high - low > (size_t)s->n * ROW_NAME)
		return false;
	*bytes = high - low + strlen((const char *)high) + 1;
	return true;
}

/* Copying all names at once, with the bytes between them, avoids measuring each name. */
static int hand_out_row(const struct shim_indom *s, const char *first, size_t bytes, int **instlist,
			char ***namelist)
{
	int err = make_lists(s->n, bytes, instlist, namelist);
	char *text;

	if (err)
		return err;
	text = (char *)(*namelist + s->n);
	memcpy(text, first, bytes);
	memcpy(*instlist, s->inst, s->n * sizeof(*s->inst));
	for (unsigned int i = 0; i < s->n; i++)
		(*namelist)[i] = text + (s->name[i] - first);
	return 0;
}

static int collect(const struct shim_context *ctx, pmInDom indom, int **instlist, char ***namelist)
{
	const char *first;
	size_t bytes;
	state s;
	int err = state_at(ctx, indom, false, 0, &s);

	if (err)
		return err;
	if (!s->n)
		return 0;
	err = in_a_row(s, &first, &bytes) ?
	      hand_out_row(s, first, bytes, instlist, namelist) :
	      hand_out(s->n, s->inst, s->name, instlist, namelist);
	return err ? err : (int)s->n;
}

static int collect_all(const struct shim_context *ctx, pmInDom indom, int **instlist,
		       char ***namelist)
{
	struct shim_instances set = { 0 };
	int err;

	if (!shim_archive__nindoms(ctx->ar, indom))
		return PM_ERR_INDOM_LOG;
	err = shim_instances__union(&set, ctx->ar, indom);
	if (!err && set.n) {
		err = hand_out(set.n, set.ids, set.names, instlist, namelist);
		err = err ? err : (int)set.n;
	}
	shim_instances__fini(&set);
	return err;
}

int shim_archive_source__instances(struct shim_context *ctx, pmInDom indom, int **instlist,
				   char ***namelist)
{
	return collect(ctx, indom, instlist, namelist);
}

static int get_indom(pmInDom indom, bool all, int **instlist, char ***namelist)
{
	struct shim_context *ctx;
	int err;

	if (!instlist || !namelist)
		return -EINVAL;
	*instlist = NULL;
	*namelist = NULL;
	err = indom_enter(indom, all, &ctx);
	if (err)
		return err;
	if (all)
		err = collect_all(ctx, indom, instlist, namelist);
	else
		err = ctx->source->instances(ctx, indom, instlist, namelist);
	return shim_context__leave(ctx, err);
}

static int find_name(const struct shim_context *ctx, pmInDom indom, bool all, int inst,
		     char **name)
{
	unsigned int i = 0;
	state s;
	int err;

	for (; !(err = state_at(ctx, indom, all, i, &s)); i++) {
		int at = shim_instances__search(s, inst);

		if (at < 0)
			continue;
		*name = strdup(s->name[at]);
		return *name ? 0 : -ENOMEM;
	}
	return i && err == PM_ERR_INDOM_LOG ? PM_ERR_INST_LOG : err;
}

int shim_archive_source__instance_name(struct shim_context *ctx, pmInDom indom, int inst,
				       char **name)
{
	return find_name(ctx, indom, false, inst, name);
}

static int name_indom(pmInDom indom, bool all, int inst, char **name)
{
	struct shim_context *ctx;
	int err;

	if (!name)
		return -EINVAL;
	err = indom_enter(indom, all, &ctx);
	if (err)
		return err;
	if (all)
		err = find_name(ctx, indom, true, inst, name);
	else
		err = ctx->source->instance_name(ctx, indom, inst, name);
	return shim_context__leave(ctx, err);
}

static int find_inst(const struct shim_context *ctx, pmInDom indom, bool all, const char *name)
{
	unsigned int i = 0;
	state s;
	int err;

	for (; !(err = state_at(ctx, indom, all, i, &s)); i++) {
		int at = shim_archive__find_inst(ctx->ar, s, name);

		if (at >= 0)
			return s->inst[at];
	}
	return i && err == PM_ERR_INDOM_LOG ? PM_ERR_INST_LOG : err;
}

int shim_archive_source__instance(struct shim_context *ctx, pmInDom indom, const char *name)
{
	return find_inst(ctx, indom, false, name);
}

static int look_up(pmInDom indom, bool all, const char *name)
{
	struct shim_context *ctx;
	int err;

	if (!name)
		return -EINVAL;
	err = indom_enter(indom, all, &ctx);
	if (err)
		return err;
	if (all)
		err = find_inst(ctx, indom, true, name);
	else
		err = ctx->source->instance(ctx, indom, name);
	return shim_context__leave(ctx, err);
}

/**
 * pmGetInDom() - get the instances of a domain at the current time
 * @indom: the domain
 * @instlist: their ids, ascending; to be freed by the caller if there are any
 * @namelist: their names, in the same order; to be freed by the caller if there are any
 *
 * Return: the number of instances, PM_ERR_INDOM for PM_INDOM_NULL, PM_ERR_INDOM_LOG if the archive
 * has no state of the domain at or before the time, PM_ERR_NOCONTEXT; for a host, pmcd's error,
 * such as PM_ERR_INDOM or PM_ERR_NOAGENT, PM_ERR_TIMEOUT, PM_ERR_IPC.
 */
SHIM_API int pmGetInDom(pmInDom indom, int **instlist, char ***namelist)
{
	return get_indom(indom, false, instlist, namelist);
}

/**
 * pmGetInDomArchive() - get all instances that a domain has at any time in the archive
 * @indom: the domain
 * @instlist: their ids: those of the newest state, then further ones of older states
 * @namelist: their names, the newest name if it has changed
 *
 * Return: as for pmGetInDom(), and PM_ERR_NOTARCHIVE.
 */
SHIM_API int pmGetInDomArchive(pmInDom indom, int **instlist, char ***namelist)
{
	return get_indom(indom, true, instlist, namelist);
}

/**
 * pmNameInDom() - get an instance's name at the current time
 * @indom: its domain
 * @inst: its id
 * @name: set to the name if 0 is returned; to be freed by the caller
 *
 * Return: 0, PM_ERR_INDOM, PM_ERR_INDOM_LOG, PM_ERR_INST_LOG (for a host, PM_ERR_INST),
 * PM_ERR_NOCONTEXT, PM_ERR_TIMEOUT, PM_ERR_IPC.
 */
SHIM_API int pmNameInDom(pmInDom indom, int inst, char **name)
{
	return name_indom(indom, false, inst, name);
}

/** pmNameInDomArchive() - get an instance's newest name; otherwise like pmNameInDom() */
SHIM_API int pmNameInDomArchive(pmInDom indom, int inst, char **name)
{
	return name_indom(indom, true, inst, name);
}

/**
 * pmLookupInDom() - look up an instance by name, at the current time
 * @indom: its domain
 * @name: its name, or the part before its first blank
 *
 * Return: the id, or errors as for pmNameInDom().
 */
SHIM_API int pmLookupInDom(pmInDom indom, const char *name)
{
	return look_up(indom, false, name);
}

/** pmLookupInDomArchive() - look up an instance by name in the whole archive, newest state first */
SHIM_API int pmLookupInDomArchive(pmInDom indom, const char *name)
{
	return look_up(indom, true, name);
}
