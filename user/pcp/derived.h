/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Derived metrics: definitions, which the process has or a context of its own, and what a context
 * makes of them when it first needs them.
 */
#ifndef SHIM_PCP_DERIVED_H
#define SHIM_PCP_DERIVED_H

#include <pcp/pmapi.h>

#include "archive/pmidmap.h"
#include "base/tstamp.h"
#include "derived_expr.h"

struct shim_context;

/*
 * struct shim_definition - a derived metric's name and expression; never changed once it is made,
 *	but for the texts, which the registry's lock guards
 * @oneline, @helptext: or NULL
 */
struct shim_definition {
	char *name;
	pmID pmid;
	struct shim_expr expr;
	char *oneline, *helptext;
};

/*
 * struct shim_derived_value - of one instance
 * @v: a string or an aggregate is a block of the fetch's result
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
 * struct shim_cell - what a node of an expression is in a context
 * @pmid: of a name
 * @unused: of a name that only its being defined counts
 * @mul, @div: what its values are multiplied with and divided by where they are an operand
 * @now, @last: values of this fetch and of the one before, if they are kept; n may be an error
 * @stamp, @last_stamp: of the fetches when it was evaluated
 * @inst: a filter's instance by name, if @inst_known
 * @matches: a filter's instances by pattern: 1 if one does, else 0
 */
struct shim_cell {
	pmDesc desc;
	pmID pmid;
	bool unused;
	double mul, div;
	struct shim_derived_values now, last;
	struct shim_ts stamp, last_stamp;
	bool inst_known;
	int inst;
	struct shim_pmidmap matches;
};

/* struct shim_bound - an expression in a context: a cell for each node */
struct shim_bound {
	const struct shim_expr *expr;
	struct shim_cell *cells;
};

enum shim_derived_state {
	SHIM_DERIVED_NEW,
	SHIM_DERIVED_BINDING,
	SHIM_DERIVED_BOUND,
	SHIM_DERIVED_BAD,
};

/*
 * struct shim_derived_entry - a derived metric in a context
 * @own: the definition is the context's
 * @masked: the context has one of its own of this name
 * @taken: the context's archive has a metric of its own with this identifier, which is meant then
 * @round: number of the fetch for which it was evaluated last
 * @result: what that came to: the number of values, or an error
 */
struct shim_derived_entry {
	struct shim_definition *def;
	bool own;
	bool masked;
	bool taken;
	enum shim_derived_state state;
	struct shim_bound bound;
	uint64_t round;
	int result;
};

/*
 * struct shim_derived - the derived metrics of a context, in the order in which it met them
 * @globals: the first so many of the registry are among them, and @own of the context
 * @at: where they are by number: [0] global ones, [1] its own
 * @limit: of own ones, if @limited
 * @depth: of bindings within bindings
 * @round: number of the last fetch
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
	bool limited;
	int limit;
	int depth;
	uint64_t round;
};

/* The reason of the thread's last failure, for pmDerivedErrStr(); NULL for none */
void shim_derived__set_why(const char *why);
const char *shim_derived__why(void);

/*
 * A definition of that expression: 0; -EINVAL, and *@at and the thread's reason are where and why;
 * -ENOMEM.
 */
int shim_definition__new(const char *name, const char *expr, const char **at,
			 struct shim_definition **out);
void shim_definition__free(struct shim_definition *def);

/* The registry, which is the process's; what the environment or a folder defines is there first */
void shim_registry__begin(void);
/* NULL, or where in @expr it is wrong */
const char *shim_registry__add(const char *name, const char *expr);
enum shim_registry_result {
	SHIM_REGISTRY_OK,
	SHIM_REGISTRY_NO_METRIC,
	SHIM_REGISTRY_NO_ATTRIBUTE,
	SHIM_REGISTRY_DUPLICATE,
	SHIM_REGISTRY_NO_MEMORY,
};
enum shim_registry_result shim_registry__set_text(const char *name, const char *attribute,
						  const char *text);
/* As pmLookupText(): 0, PM_ERR_TEXT, PM_ERR_PMID, -ENOMEM */
int shim_registry__text(pmID pmid, int level, char **out);
int shim_registry__limit(void);
void shim_registry__set_limit(int limit);
unsigned int shim_registry__count(void);
struct shim_definition *shim_registry__at(unsigned int number);
/* Its number, or -1 */
int shim_registry__find(const char *name);

/* A derived metric's number among global ones or a context's own, or -1; and back */
int shim_derived__number(pmID pmid, bool *own);
pmID shim_derived__pmid(unsigned int number, bool own);

/* The definitions of a path's files: how many, or -errno; @lenient: whatever is wrong */
int shim_derived__load(const char *path, bool lenient);

/* In a context, which is locked */
void shim_derived__fini(struct shim_derived *d);
/* What has been defined since; nothing where memory is short */
void shim_derived__refresh(struct shim_context *ctx);
/*
 * A metric of the context's own: 0; -EINVAL and PM_ERR_BADDERIVE for what is no expression, or
 * means nothing here; -EEXIST, -ENOSPC: there is one of the name, or no room
 */
int shim_derived__add(struct shim_context *ctx, const char *name, const char *expr,
		      const char **at);
struct shim_derived_entry *shim_derived__by_pmid(struct shim_context *ctx, pmID pmid);
struct shim_derived_entry *shim_derived__by_name(struct shim_context *ctx, const char *name);
/* 0, PM_ERR_BADDERIVE if it has no meaning here; @say: why goes to pmprintf() */
int shim_derived__bind(struct shim_context *ctx, struct shim_derived_entry *e, bool say);
int shim_bound__check(struct shim_bound *b, const char *name, bool say);
void shim_bound__fini(struct shim_bound *b);
/* The number of values, or an error; they are the last cell's */
int shim_bound__evaluate(struct shim_context *ctx, struct shim_bound *b, const pmResult *result,
			 struct shim_ts stamp);

/* What a context's source says, and the same with derived metrics; as struct shim_source's */
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
