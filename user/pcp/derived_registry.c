// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The process's global derived metrics, which all its contexts have.
 *
 * Threads: "registry_lock" guards the registry and the texts of its definitions.  "begin_lock"
 * ensures that the definitions configured by the environment are loaded once, before any context
 * can look them up; it is taken before "registry_lock".  A context's lock may be held while either
 * is taken.  Definitions are never freed, so contexts can keep pointers to them.  The reason of a
 * failure is kept per thread.
 */
#define _GNU_SOURCE	/* for asprintf */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/process.h"
#include "base/vec.h"
#include "derived.h"
#include "request.h"

#define ITEMS		1023u	/* items per cluster; item 0 is the root of a dynamic name space */
#define CLUSTERS	2048u
#define BUILTINS	2u	/* event.flags and event.missed are first */
#define OWN_FLAG	(1u << 31)
#define NUMBERS_MAX	(ITEMS * CLUSTERS - BUILTINS)

struct named {
	struct shim_hnode node;
	unsigned int number;
};

static struct {
	struct shim_definition **all;
	struct named **names;
	atomic_uint n;
	size_t room;
	struct shim_hash hash;
	bool hashed;
	int limit;
	bool novalue;
} registry = { .limit = -1 };

SHIM_FORK_LOCK(registry_lock, 2);
SHIM_FORK_LOCK(begin_lock, 0);
static bool begun;
static struct shim_thread_end reason_end = { .fn = shim_thread_room__free };
static __thread void *reason;
static __thread bool has_reason;

void shim_derived__set_why(const char *why)
{
	char *room = why ? shim_thread_room(&reason_end, &reason, SHIM_EXPR_WHY) : NULL;

	has_reason = room;
	if (room)
		snprintf(room, SHIM_EXPR_WHY, "%s", why);
}

const char *shim_derived__why(void)
{
	return has_reason ? reason : NULL;
}

/*
 * Global metrics use ascending items, starting with the first one; a context's own metrics use
 * descending items, starting with the last one.
 */
pmID shim_derived__pmid(unsigned int number, bool own)
{
	unsigned int raw = own ? ITEMS * CLUSTERS - 1 - number : number + BUILTINS;
	pmID pmid = pmID_build(DYNAMIC_PMID, raw / ITEMS, raw % ITEMS + 1);

	return own ? pmid | OWN_FLAG : pmid;
}

int shim_derived__number(pmID pmid, bool *own)
{
	unsigned int raw;

	if (!shim_pmid__is_derived(pmid))
		return -1;
	raw = pmID_cluster(pmid) * ITEMS + pmID_item(pmid) - 1;
	*own = pmid & OWN_FLAG;
	if (*own)
		return (int)(ITEMS * CLUSTERS - 1 - raw);
	return raw < BUILTINS ? -1 : (int)(raw - BUILTINS);
}

int shim_definition__new(const char *name, const char *expr, const char **at,
			 struct shim_definition **out)
{
	struct shim_definition *def = calloc(1, sizeof(*def));
	char why[SHIM_EXPR_WHY];
	int err;

	*at = expr;
	shim_derived__set_why(NULL);
	if (!def)
		return -ENOMEM;
	err = shim_expr__parse(&def->expr, expr, at, why);
	if (err == -E2BIG) {
		snprintf(why, sizeof(why), "Expression too deep");
		err = -EINVAL;
	}
	if (err)
		shim_derived__set_why(err == -EINVAL && *why ? why : NULL);
	else if (!(def->name = strdup(name)))
		err = -ENOMEM;
	if (err) {
		shim_definition__free(def);
		return err;
	}
	*out = def;
	return 0;
}

void shim_definition__free(struct shim_definition *def)
{
	if (!def)
		return;
	shim_expr__fini(&def->expr);
	free(def->name);
	free(def->oneline);
	free(def->helptext);
	free(def);
}

/* The caller holds "registry_lock". */
static struct named *find_named(const char *name)
{
	struct shim_hnode *node;

	if (!registry.hashed)
		return NULL;
	node = shim_hash__first(&registry.hash,
				shim_hash__bytes(&registry.hash, name, strlen(name)));
	for (; node; node = shim_hash__next(node)) {
		struct named *named = shim_hnode__entry(node, struct named, node);

		if (!strcmp(registry.all[named->number]->name, name))
			return named;
	}
	return NULL;
}

static int definition_find(const char *name)
{
	struct named *named = find_named(name);

	return named ? (int)named->number : -1;
}

static int definition_append(struct shim_definition *def)
{
	struct named *named = malloc(sizeof(*named));
	int err = named ? shim_vec__room(registry.all, &registry.room, registry.n) : -ENOMEM;

	if (!registry.hashed) {
		shim_hash__init(&registry.hash);
		registry.hashed = true;
	}
	if (!err) {
		named->number = registry.n;
		err = shim_hash__add(&registry.hash, &named->node,
				     shim_hash__bytes(&registry.hash, def->name, strlen(def->name)));
	}
	if (err) {
		free(named);
		return err;
	}
	def->pmid = shim_derived__pmid(registry.n, false);
	registry.all[registry.n++] = def;
	return 0;
}

/* Return the reason why a metric with that name cannot be added, or NULL. */
static const char *name_refusal(const char *name)
{
	if (registry.limit != -1 && (long)registry.n >= registry.limit)
		return "Too many global derived metrics";
	if (definition_find(name) >= 0)
		return "Duplicate global derived metric name";
	return registry.n >= NUMBERS_MAX ? "global PMID space exhausted" : NULL;
}

static const char *refused(const char *name)
{
	const char *why;

	shim_fork_lock__enter(&registry_lock);
	why = name_refusal(name);
	shim_fork_lock__leave(&registry_lock);
	return why;
}

static int insert(struct shim_definition *def)
{
	const char *why;
	int err = -EINVAL;

	shim_fork_lock__enter(&registry_lock);
	why = name_refusal(def->name);
	if (!why)
		err = definition_append(def);
	shim_fork_lock__leave(&registry_lock);
	if (why)
		shim_derived__set_why(why);
	return err;
}

int shim_registry__add(const char *name, const char *expr, const char **at)
{
	struct shim_definition *def = NULL;
	const char *why = refused(name);
	int err;

	*at = expr;
	if (why) {
		shim_derived__set_why(why);
		return -EINVAL;
	}
	err = shim_definition__new(name, expr, at, &def);
	if (!err) {
		*at = expr;
		err = insert(def);
	}
	if (!err)
		return 0;
	if (err == -ENOMEM)
		shim_derived__set_why("Cannot allocate memory");
	if (def)
		shim_definition__free(def);
	return err;
}

unsigned int shim_registry__count(void)
{
	return atomic_load_explicit(&registry.n, memory_order_acquire);
}

struct shim_definition *shim_registry__at(unsigned int number)
{
	struct shim_definition *def;

	shim_fork_lock__enter(&registry_lock);
	def = number < registry.n ? registry.all[number] : NULL;
	shim_fork_lock__leave(&registry_lock);
	return def;
}

int shim_registry__find(const char *name)
{
	int number;

	shim_fork_lock__enter(&registry_lock);
	number = definition_find(name);
	shim_fork_lock__leave(&registry_lock);
	return number;
}

bool shim_registry__remove(const char *name)
{
	struct named *named;

	shim_fork_lock__enter(&registry_lock);
	named = find_named(name);
	if (named) {
		shim_definition__remove(registry.all[named->number]);
		shim_hash__del(&registry.hash, &named->node);
		free(named);
	}
	shim_fork_lock__leave(&registry_lock);
	return named;
}

int shim_registry__limit(void)
{
	int limit;

	shim_fork_lock__enter(&registry_lock);
	limit = registry.limit;
	shim_fork_lock__leave(&registry_lock);
	return limit;
}

void shim_registry__set_limit(int limit)
{
	shim_fork_lock__enter(&registry_lock);
	registry.limit = limit;
	shim_fork_lock__leave(&registry_lock);
}

bool shim_registry__novalue(void)
{
	bool on;

	shim_fork_lock__enter(&registry_lock);
	on = registry.novalue;
	shim_fork_lock__leave(&registry_lock);
	return on;
}

void shim_registry__set_novalue(bool on)
{
	shim_fork_lock__enter(&registry_lock);
	registry.novalue = on;
	shim_fork_lock__leave(&registry_lock);
}

static enum shim_registry_result set_text(const char *name, const char *attribute,
					  const char *text)
{
	int number = definition_find(name);
	char **to;

	if (number < 0)
		return SHIM_REGISTRY_NO_METRIC;
	if (!strcmp(attribute, "oneline"))
		to = &registry.all[number]->oneline;
	else if (!strcmp(attribute, "helptext"))
		to = &registry.all[number]->helptext;
	else
		return SHIM_REGISTRY_NO_ATTRIBUTE;
	if (*to)
		return SHIM_REGISTRY_DUPLICATE;
	*to = strdup(text);
	return *to ? SHIM_REGISTRY_OK : SHIM_REGISTRY_NO_MEMORY;
}

enum shim_registry_result shim_registry__set_text(const char *name, const char *attribute,
						  const char *text)
{
	enum shim_registry_result result;

	shim_fork_lock__enter(&registry_lock);
	result = set_text(name, attribute, text);
	shim_fork_lock__leave(&registry_lock);
	return result;
}

static int copy_text(const struct shim_definition *def, int level, char **out)
{
	const char *text = level & PM_TEXT_ONELINE ? def->oneline : def->helptext;

	if (!text && !(level & PM_TEXT_ONELINE) && !(level & PM_TEXT_DIRECT))
		text = def->oneline;
	if (!text)
		return PM_ERR_TEXT;
	*out = strdup(text);
	return *out ? 0 : -ENOMEM;
}

int shim_definition__text(const struct shim_definition *def, int level, char **out)
{
	int err;

	shim_fork_lock__enter(&registry_lock);
	err = copy_text(def, level, out);
	shim_fork_lock__leave(&registry_lock);
	return err;
}

int shim_definition__set_text(struct shim_definition *def, int level, const char *text)
{
	char **to = level == PM_TEXT_ONELINE ? &def->oneline : &def->helptext;
	int err = PM_ERR_TEXT;

	shim_fork_lock__enter(&registry_lock);
	if (!*to) {
		*to = strdup(text);
		err = *to ? 0 : -ENOMEM;
	}
	shim_fork_lock__leave(&registry_lock);
	return err;
}

int shim_registry__text(pmID pmid, int level, char **out)
{
	bool own = false;
	int number = shim_derived__number(pmid, &own), err = PM_ERR_PMID;

	shim_fork_lock__enter(&registry_lock);
	if (number >= 0 && !own && (unsigned int)number < registry.n &&
	    !shim_definition__gone(registry.all[number]))
		err = copy_text(registry.all[number], level, out);
	shim_fork_lock__leave(&registry_lock);
	return err;
}

/*
 * Load PCP_DERIVED_CONFIG, or the system's directory if it is not set, or nothing if it is empty.
 */
static int load_defaults(void)
{
	const char *path = shim_environ__get("PCP_DERIVED_CONFIG");
	char *folder = NULL;
	int err = 0;

	if (!path) {
		if (asprintf(&folder, "%s/config/derived", pmGetConfig("PCP_VAR_DIR")) < 0)
			return -ENOMEM;
		if (!access(folder, F_OK))
			path = folder;
	}
	if (path && *path)
		err = shim_derived__load(path, true);
	free(folder);
	return err < 0 ? err : 0;
}

bool shim_registry__passes(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE || err == -EINTR || err == -EIO;
}

/*
 * Loading the defaults is one operation.  If it is repeated, existing definitions are not an error.
 */
int shim_registry__begin(void)
{
	int err = 0;

	shim_fork_lock__enter(&begin_lock);
	if (!begun) {
		err = load_defaults();
		if (!shim_registry__passes(err))
			err = 0;
		begun = !err;
	}
	shim_fork_lock__leave(&begin_lock);
	return err;
}
