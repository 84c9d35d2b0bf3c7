/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Derived metrics: definitions, which are global or belong to a context, and the metrics to which a
 * context binds them at first use.
 */
#ifndef SHIM_PCP_DERIVED_H
#define SHIM_PCP_DERIVED_H

#include <pcp/pmapi.h>

#include "archive/pmidmap.h"
#include "base/hash.h"
#include "base/tstamp.h"
#include "derived_expr.h"

struct shim_context;

/*
 * struct shim_definition - a derived metric's name and expression, which never change
 * @oneline, @helptext: the metric's texts, or NULL; guarded by the registry's lock
 * @gone: the metric was removed; contexts keep the definition until they are destroyed.  This is
 *	read without a lock.
 */
struct shim_definition {
	char *name;
	pmID pmid;
	struct shim_expr expr;
	char *oneline, *helptext;
	bool gone;
};

static inline bool shim_definition__gone(const struct shim_definition *def)
{
	return __atomic_load_n(&def->gone, __ATOMIC_ACQUIRE);
}

static inline void shim_definition__remove(struct shim_definition *def)
{
	__atomic_store_n(&def->gone, true, __ATOMIC_RELEASE);
}

/*
 * struct shim_derived_value - a value of one instance
 * @v: for a string, an aggregate or events, a pointer to the value block in the fetch's result
 */
struct shim_derived_value {
	int inst;
	pmAtomValue v;
};

struct shim_derived_values {
	int n;
	size_t room;
	struct shim_derived_value *all;
};

/*
 * struct shim_cell - a node of an expression, bound to a context
 * @pmid: for a name, its metric; PM_ID_NULL if the context does not have it
 * @at: probable index of the metric in a result
 * @unused: the name has no values here, because it is the operand of defined(), or because it is
 *	unknown and PCP_DERIVED_OPTION_NOVALUE is set
 * @ruled_out: the node belongs to the unused side of a ternary, or to the guard
 * @taken: for a ternary whose guard is known, the node of the side to use; otherwise 0
 * @mul, @div: factors that convert its values, as an operand, to the scale of the other operand
 * @now: values of this fetch; its n may be an error
 * @last: for delta() and rate(), the operand's values in the previous fetch
 * @stamp, @last_stamp: stamps of the last two fetches that evaluated the node; @round: number
 *	of the last of these fetches
 * @inst: the instance selected by a filter by name, if @inst_known
 * @matches: cached results of a filter by pattern, per instance: 1 if selected, otherwise 0
 */
struct shim_cell {
	pmDesc desc;
	pmID pmid;
	int at;
	bool unused;
	bool ruled_out;
	int taken;
	double mul, div;
	struct shim_derived_values now, last;
	struct shim_ts stamp, last_stamp;
	uint64_t round;
	bool inst_known;
	int inst;
	struct shim_pmidmap matches;
};

/* struct shim_bound - an expression bound to a context: one cell per node */
struct shim_bound {
	const struct shim_expr *expr;
	struct shim_cell *cells;
};

/* Return whether a side of a ternary is novalue(), or a name that is treated as novalue(). */
static inline bool shim_bound__is_novalue(const struct shim_node *node, const struct shim_cell *cell)
{
	return node->kind == SHIM_NODE_NOVALUE || (node->kind == SHIM_NODE_NAME && cell->unused);
}

enum shim_derived_state {
	SHIM_DERIVED_NEW,
	SHIM_DERIVED_BINDING,
	SHIM_DERIVED_BOUND,
	SHIM_DERIVED_BAD,
};

/*
 * struct shim_derived_entry - a derived metric in a context
 * @own: the definition belongs to the context, not to the registry
 * @masked: the context's own metric with the same name hides this global metric
 * @taken: the context's source has a metric with this identifier, which takes precedence
 * @passing: the transient error that prevented binding; @again: the monotonic time, in seconds, of
 *	the next try
 * @round: number of the last fetch that evaluated it
 * @result: the result of that evaluation: the number of values, or an error
 */
struct shim_derived_entry {
	struct shim_hnode node;
	struct shim_definition *def;
	bool own;
	bool masked;
	bool taken;
	enum shim_derived_state state;
	int passing;
	int64_t again;
	struct shim_bound bound;
	uint64_t round;
	int result;
};

/*
 * struct shim_derived - the derived metrics of a context, in the order in which they were added
 * @globals: number of the registry's definitions already added, counted from the first
 * @own: number of the context's own definitions
 * @at: index into @all by metric number: [0] for global metrics, [1] for the context's own
 * @own_names: entries of the context's own metrics by name, including removed ones, if @own is not 0
 * @limit: maximum number of own metrics, if @limited
 * @depth: nesting depth of bindings, because operands may also be derived metrics
 * @round: number of the last fetch
 * @kept: the source's result for a fetch that ran out of memory, used if the context's next call
 *	repeats that fetch
 */
struct shim_derived {
	struct shim_derived_entry **all;
	unsigned int n;
	size_t room;
	unsigned int globals, own;
	struct shim_derived_at {
		unsigned int *all;
		size_t room;
	} at[2];
	struct shim_hash own_names;
	bool limited;
	int limit;
	int depth;
	uint64_t round;
	struct shim_derived_kept {
		pmResult *raw;
		pmID *pmids;
		int n, changes;
		struct shim_ts stamp;
		uint64_t call;
	} kept;
};

/* Set the reason of the thread's last failure, for pmDerivedErrStr(); NULL for none. */
void shim_derived__set_why(const char *why);
const char *shim_derived__why(void);

/*
 * Parse an expression into a new definition.  Return 0; -EINVAL, with the position in *@at and the
 * reason in shim_derived__why(); or -ENOMEM.
 */
int shim_definition__new(const char *name, const char *expr, const char **at,
			 struct shim_definition **out);
void shim_definition__free(struct shim_definition *def);

/*
 * The process's registry.  The first call of begin() loads the definitions configured by the
 * environment, or the system's definitions.  It returns 0, or a transient error, after which the
 * next call tries again.
 */
int shim_registry__begin(void);
/* Define a global metric.  Return 0, or an error and its position in @expr. */
int shim_registry__add(const char *name, const char *expr, const char **at);
enum shim_registry_result {
	SHIM_REGISTRY_OK,
	SHIM_REGISTRY_NO_METRIC,
	SHIM_REGISTRY_NO_ATTRIBUTE,
	SHIM_REGISTRY_DUPLICATE,
	SHIM_REGISTRY_NO_MEMORY,
};
enum shim_registry_result shim_registry__set_text(const char *name, const char *attribute,
						  const char *text);
/*
 * Set the text of a level, PM_TEXT_ONELINE or PM_TEXT_HELP.  Return 0, PM_ERR_TEXT if the metric
 * already has one, or -ENOMEM.
 */
int shim_definition__set_text(struct shim_definition *def, int level, const char *text);
/* Like pmLookupText().  Return 0, PM_ERR_TEXT or -ENOMEM. */
int shim_definition__text(const struct shim_definition *def, int level, char **out);
/* Remove a global metric.  Return true if there was one with that name. */
bool shim_registry__remove(const char *name);
/* Like pmLookupText().  Return 0, PM_ERR_TEXT, PM_ERR_PMID or -ENOMEM. */
int shim_registry__text(pmID pmid, int level, char **out);
int shim_registry__limit(void);
void shim_registry__set_limit(int limit);
/*
 * Return whether PCP_DERIVED_OPTION_NOVALUE is set: an unknown operand then has no values and is
 * not an error.
 */
bool shim_registry__novalue(void);
void shim_registry__set_novalue(bool on);
unsigned int shim_registry__count(void);
struct shim_definition *shim_registry__at(unsigned int number);
/* Return the number of the metric with that name, or -1. */
int shim_registry__find(const char *name);
/*
 * Without a context, or with a loaded name space, only the global metrics exist.  metrics() sets
 * each element of @pmids that is PM_ID_NULL and whose name belongs to a global metric, and returns
 * how many it set.  names() gets the name of a metric and returns 1, PM_ERR_PMID or -ENOMEM.
 * children() and leaves() replace a list of @n names below a name with a list that includes the
 * global metrics.  If @n is PM_ERR_NAME, there is no list.
 */
int shim_registry__metrics(int n, const char *const *names, pmID *pmids);
int shim_registry__names(pmID pmid, char ***nameset);
int shim_registry__children(const char *name, int n, char ***offspring, int **status);
int shim_registry__leaves(const char *name, int n, char ***names);

/*
 * Convert a pmid to a number among global or own metrics, or to -1 if it is not derived; and
 * convert a number to a pmid.
 */
int shim_derived__number(pmID pmid, bool *own);
pmID shim_derived__pmid(unsigned int number, bool own);

/*
 * Load the files of a path.  Return the number of definitions, or -errno.  With @lenient, files
 * that do not exist or cannot be read are reported and skipped.
 */
int shim_derived__load(const char *path, bool lenient);

/* The functions below require a context that the caller has locked. */
void shim_derived__fini(struct shim_derived *d);
/* Add new global definitions.  Return 0 or -ENOMEM. */
int shim_derived__refresh(struct shim_context *ctx);
/* Return whether an error from a call is transient: memory, descriptors, a signal, the disk. */
bool shim_registry__passes(int err);
/*
 * Define a metric for this context only.  Return 0; -EINVAL for a syntax error; PM_ERR_BADDERIVE
 * for a semantic error; -EEXIST if the name is in use, or there are too many metrics; -ENOMEM.
 */
int shim_derived__add(struct shim_context *ctx, const char *name, const char *expr,
		      const char **at);
struct shim_derived_entry *shim_derived__by_pmid(struct shim_context *ctx, pmID pmid);
struct shim_derived_entry *shim_derived__by_name(struct shim_context *ctx, const char *name);
/* Remove the context's own metric with that name.  Return true if there was one. */
bool shim_derived__remove(struct shim_context *ctx, const char *name);
/* Return whether an error is transient: no memory, no response, an unavailable agent. */
bool shim_derived__passes(int err);
/*
 * Bind a definition to the context's metrics and check it.  Return 0; PM_ERR_BADDERIVE,
 * permanently, if an operand is missing or the check fails; or a transient error.  With @say,
 * errors from the check are reported through pmprintf().
 */
int shim_derived__bind(struct shim_context *ctx, struct shim_derived_entry *e, bool say);
int shim_bound__check(struct shim_bound *b, const char *name, bool say);
/*
 * Evaluate an expression for a fetch's @result.  Return the number of values, in the last cell, or
 * an error.
 */
int shim_bound__evaluate(struct shim_context *ctx, struct shim_bound *b, const pmResult *result,
			 struct shim_ts stamp);

/* The operations of struct shim_source, which add derived metrics to the results of the source */
int shim_derived__metrics(struct shim_context *ctx, int n, const char *const *names, pmID *pmids);
int shim_derived__children(struct shim_context *ctx, const char *name, char ***offspring,
			   int **status);
int shim_derived__leaves(struct shim_context *ctx, const char *name, char ***names);
int shim_derived__names(struct shim_context *ctx, pmID pmid, char ***nameset);
int shim_derived__desc(struct shim_context *ctx, pmID pmid, pmDesc *out);
int shim_derived__descs(struct shim_context *ctx, int n, const pmID *pmids, pmDesc *out);
int shim_derived__fetch(struct shim_context *ctx, int n, const pmID *pmids, struct shim_ts *stamp,
			pmResult **out);

#endif /* SHIM_PCP_DERIVED_H */
