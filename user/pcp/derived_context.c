// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A context's derived metrics, its own and global ones: find them, and bind them to the metrics of
 * the context.
 *
 * If the guard of a ternary consists only of defined(), integers and boolean operators, its value
 * is known when the expression is bound.  The unused side may name metrics that do not exist; it is
 * not bound, checked or evaluated.
 *
 * Threads: callers hold the context's lock, which guards everything here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "context.h"
#include "derived.h"
#include "err.h"
#include "pmapi_v4.h"

#define UNKNOWN (-1)
#define DEPTH_MAX	64	/* maximum nesting of bindings: metrics derived from derived ones */
#define OWN_MAX		(1023u * 2048u)

/* Operands precede their operators, so a node and all nodes below it are adjacent. */
static int first_of(const struct shim_expr *expr, int i)
{
	while (expr->nodes[i].left >= 0)
		i = expr->nodes[i].left;
	return i;
}

static void rule_out(struct shim_bound *b, int root)
{
	for (int i = first_of(b->expr, root); i <= root; i++)
		b->cells[i].ruled_out = true;
}

static int known_value(const struct shim_bound *b, int i, const signed char *known)
{
	const struct shim_node *node = &b->expr->nodes[i];
	int left, right;

	switch (node->kind) {
	case SHIM_NODE_INTEGER:
		return strtoull(node->text, NULL, 10) != 0;
	case SHIM_NODE_DEFINED:
		return b->cells[node->left].pmid != PM_ID_NULL;
	case SHIM_NODE_NOT:
		return known[node->left] == UNKNOWN ? UNKNOWN : !known[node->left];
	case SHIM_NODE_AND:
	case SHIM_NODE_OR:
		left = known[node->left];
		right = known[node->right];
		if (left == UNKNOWN || right == UNKNOWN)
			return UNKNOWN;
		return node->kind == SHIM_NODE_AND ? left && right : left || right;
	default:
		return UNKNOWN;
	}
}

/* Replace a QUEST whose guard is known with the side that it selects. */
static void decide(struct shim_bound *b, int i, int guard)
{
	const struct shim_node *node = &b->expr->nodes[i];
	const struct shim_node *colon = &b->expr->nodes[node->right];

	rule_out(b, node->left);
	rule_out(b, guard ? colon->right : colon->left);
	b->cells[node->right].ruled_out = true;
	b->cells[i].taken = guard ? colon->left : colon->right;
}

/*
 * Exclude unused sides of ternaries once the operands of defined() are bound.  Return 0 or -ENOMEM.
 */
static int bound_decide(struct shim_bound *b)
{
	signed char *known = malloc((size_t)b->expr->n);

	if (!known)
		return -ENOMEM;
	for (int i = 0; i < b->expr->n; i++) {
		const struct shim_node *node = &b->expr->nodes[i];

		known[i] = (signed char)known_value(b, i, known);
		if (node->kind == SHIM_NODE_QUEST && known[node->left] != UNKNOWN)
			decide(b, i, known[node->left]);
	}
	free(known);
	return 0;
}

/* Return whether a node is below a ternary's COLON. */
static bool bound_in_ternary(const struct shim_bound *b, int i)
{
	for (int at = i + 1; at < b->expr->n; at++)
		if (b->expr->nodes[at].kind == SHIM_NODE_COLON && first_of(b->expr, at) <= i)
			return true;
	return false;
}

static void bound_fini(struct shim_bound *b)
{
	for (int i = 0; b->cells && i < b->expr->n; i++) {
		free(b->cells[i].now.all);
		free(b->cells[i].last.all);
		shim_pmidmap__fini(&b->cells[i].matches);
	}
	free(b->cells);
	b->cells = NULL;
}

void shim_derived__fini(struct shim_derived *d)
{
	for (unsigned int i = 0; i < d->n; i++) {
		bound_fini(&d->all[i]->bound);
		if (d->all[i]->own)
			shim_definition__free(d->all[i]->def);
		free(d->all[i]);
	}
	free(d->all);
	free(d->at[0].all);
	free(d->at[1].all);
	shim_hash__free(&d->own_names);
	if (d->kept.raw)
		pmFreeResult(d->kept.raw);
	free(d->kept.pmids);
	memset(d, 0, sizeof(*d));
}

static uint64_t hash_of(const struct shim_derived *d, const char *name)
{
	return shim_hash__bytes(&d->own_names, name, strlen(name));
}

static int own_names_add(struct shim_derived *d, struct shim_derived_entry *e)
{
	if (!d->own)
		shim_hash__init(&d->own_names);
	return shim_hash__add(&d->own_names, &e->node, hash_of(d, e->def->name));
}

static int at_grow(struct shim_derived *d, struct shim_derived_at *at, unsigned int number)
{
	if (shim_vec__room(d->all, &d->room, d->n))
		return -ENOMEM;
	return shim_vec__room(at->all, &at->room, number);
}

static int own_append(struct shim_derived *d, struct shim_definition *def, bool own)
{
	unsigned int number = own ? d->own : d->globals;
	struct shim_derived_entry *e = calloc(1, sizeof(*e));
	int err = e ? at_grow(d, &d->at[own], number) : -ENOMEM;

	if (e)
		e->def = def;
	if (!err && own)
		err = own_names_add(d, e);
	if (err) {
		free(e);
		return err;
	}
	e->own = own;
	d->at[own].all[number] = d->n;
	d->all[d->n++] = e;
	if (own)
		d->own++;
	else
		d->globals++;
	return 0;
}

static struct shim_derived_entry *own_by_name(struct shim_derived *d, const char *name)
{
	struct shim_hnode *node = d->own ? shim_hash__first(&d->own_names, hash_of(d, name)) : NULL;

	for (; node; node = shim_hash__next(node)) {
		struct shim_derived_entry *e = shim_hnode__entry(node, struct shim_derived_entry, node);

		if (!shim_definition__gone(e->def) && !strcmp(e->def->name, name))
			return e;
	}
	return NULL;
}

bool shim_derived__remove(struct shim_context *ctx, const char *name)
{
	struct shim_derived_entry *e = own_by_name(&ctx->derived, name);

	if (e)
		shim_definition__remove(e->def);
	return e;
}

/* Return the entry itself, or NULL if the context does not have its metric. */
static struct shim_derived_entry *present(struct shim_derived_entry *e)
{
	return e->taken || shim_definition__gone(e->def) ? NULL : e;
}

int shim_derived__refresh(struct shim_context *ctx)
{
	struct shim_derived *d = &ctx->derived;
	unsigned int n = shim_registry__count();

	while (d->globals < n) {
		struct shim_definition *def = shim_registry__at(d->globals);

		if (own_append(d, def, false))
			return -ENOMEM;
		d->all[d->n - 1]->masked = own_by_name(d, def->name);
		d->all[d->n - 1]->taken = ctx->source->knows && ctx->source->knows(ctx, def->pmid);
	}
	return 0;
}

struct shim_derived_entry *shim_derived__by_pmid(struct shim_context *ctx, pmID pmid)
{
	struct shim_derived *d = &ctx->derived;
	bool own = false;
	int number = shim_derived__number(pmid, &own);

	if (number < 0)
		return NULL;
	if ((unsigned int)number >= (own ? d->own : d->globals))
		return NULL;
	return present(d->all[d->at[own].all[number]]);
}

struct shim_derived_entry *shim_derived__by_name(struct shim_context *ctx, const char *name)
{
	struct shim_derived *d = &ctx->derived;
	struct shim_derived_entry *e = own_by_name(d, name);
	int number;

	if (e)
		return e;
	number = shim_registry__find(name);
	if (number < 0)
		return NULL;
	/* A metric with a larger number was defined after this call began. */
	if ((unsigned int)number >= d->globals)
		return NULL;
	return present(d->all[d->at[0].all[number]]);
}

/* Look up a name among the source's own metrics, which excludes derived ones. */
static int look_up(struct shim_context *ctx, const char *name, pmID *pmid)
{
	int found;

	*pmid = PM_ID_NULL;
	found = ctx->source->metrics(ctx, 1, &name, pmid);
	return found ? found : PM_ERR_NAME;
}

/* Get the descriptor of a metric, derived or not. */
static int desc_get(struct shim_context *ctx, pmID pmid, pmDesc *desc)
{
	struct shim_derived_entry *e = shim_derived__by_pmid(ctx, pmid);
	int err;

	if (!e)
		return ctx->source->desc(ctx, pmid, desc);
	err = shim_derived__bind(ctx, e, true);
	if (!err)
		*desc = e->bound.cells[e->bound.expr->n - 1].desc;
	return err;
}

static void trace(const struct shim_derived_entry *e, const char *operand, int err)
{
	char text[PM_MAXERRMSGLEN];

	if (shim_debug__derive())
		fprintf(stderr, "derived metric %s: operand %s: %s\n", e->def->name, operand,
			pmErrStr_r(err, text, sizeof(text)));
}

bool shim_derived__passes(int err)
{
	return shim_pcp__is_failure(err) || err == PM_ERR_AGAIN || err == PM_ERR_NOAGENT;
}

/*
 * enum use - where a name occurs in an expression
 * @USE_WHOLE: the name is the whole expression, or names the metric whose descriptor a constant
 * copies; it can be the name of a derived metric
 * @USE_OPERAND: the name is the operand of an operator or the argument of a function
 * @USE_DEFINED: the name is the argument of defined(): an unknown metric or an unavailable agent is
 *   not an error
 */
enum use {
	USE_WHOLE,
	USE_OPERAND,
	USE_DEFINED,
};

static int bind_name(struct shim_context *ctx, const struct shim_derived_entry *e,
		     const char *name, enum use use, struct shim_cell *cell)
{
	bool optional = use == USE_DEFINED;
	int err = look_up(ctx, name, &cell->pmid);

	if (err < 0) {
		struct shim_derived_entry *other = shim_derived__by_name(ctx, name);

		if (other) {
			cell->pmid = other->def->pmid;
			if (use != USE_WHOLE)
				return PM_ERR_BADDERIVE;
			err = 0;
		}
	}
	cell->unused = optional;
	if (err < 0 && optional && !shim_pcp__is_failure(err))
		return 0;
	if (err < 0 && !shim_derived__passes(err) && shim_registry__novalue()) {
		cell->unused = true;
		cell->desc = (pmDesc){ .pmid = PM_ID_NULL, .type = PM_TYPE_32,
				       .indom = PM_INDOM_NULL, .sem = PM_SEM_DISCRETE };
		return 0;
	}
	if (err >= 0)
		err = desc_get(ctx, cell->pmid, &cell->desc);
	if (err < 0)
		trace(e, name, err);
	return err < 0 ? err : 0;
}

static bool is_of_defined(const struct shim_expr *expr, int i)
{
	return i + 1 < expr->n && expr->nodes[i + 1].kind == SHIM_NODE_DEFINED;
}

/* Copy a metric's descriptor to a constant, except for the parts that were specified. */
static int bind_constant(struct shim_context *ctx, const struct shim_derived_entry *e,
			 const struct shim_node *node, struct shim_cell *cell)
{
	struct shim_cell meta = { 0 };
	int err = bind_name(ctx, e, node->meta, USE_WHOLE, &meta);

	if (err)
		return err;
	meta.desc.pmid = PM_ID_NULL;
	if (node->tags & SHIM_TAG_TYPE)
		meta.desc.type = node->desc.type;
	if (node->tags & SHIM_TAG_SEMANTICS)
		meta.desc.sem = node->desc.sem;
	if (node->tags & SHIM_TAG_UNITS)
		meta.desc.units = node->desc.units;
	if (node->tags & SHIM_TAG_INDOM)
		meta.desc.indom = node->desc.indom;
	cell->desc = meta.desc;
	return 0;
}

static int bind_node(struct shim_context *ctx, const struct shim_derived_entry *e, int i)
{
	const struct shim_node *node = &e->def->expr.nodes[i];
	struct shim_cell *cell = &e->bound.cells[i];

	if (cell->ruled_out || is_of_defined(&e->def->expr, i))
		return 0;
	if (node->kind == SHIM_NODE_NAME)
		return bind_name(ctx, e, node->text, i + 1 < e->def->expr.n ? USE_OPERAND : USE_WHOLE,
				 cell);
	return node->meta ? bind_constant(ctx, e, node, cell) : 0;
}

/* Return whether the operand is a derived metric, which operators and functions do not accept. */
static bool is_nested(const struct shim_derived_entry *e, int i)
{
	pmID pmid = e->bound.cells[i].pmid;
	bool own;

	return pmid != PM_ID_NULL && shim_derived__number(pmid, &own) >= 0;
}

static const char *reason(const struct shim_derived_entry *e, int i)
{
	if (is_nested(e, i))
		return "Illegal nested derived metric";
	if (bound_in_ternary(&e->bound, i))
		return "Unknown metric for ternary expression";
	return e->bound.cells[i].pmid == PM_ID_NULL ? "Unknown operand metric" :
						      "Metadata for operand metric not available";
}

/* As in the original, operands that are only missing are not reported outside of ternaries. */
static void report_operand(const struct shim_derived_entry *e, int i, bool say)
{
	const struct shim_node *node = &e->def->expr.nodes[i];

	if (!say && shim_derived__why())
		return;	/* a derived metric, which has already reported the reason */
	if (!say) {
		shim_derived__set_why(reason(e, i));
	} else if (is_nested(e, i) || bound_in_ternary(&e->bound, i)) {
		pmprintf("Semantic error: derived metric %s: operand %s: %s\n", e->def->name,
			 node->meta ? node->meta : node->text, reason(e, i));
		pmflush();
	}
}

static int bind_operands_of_defined(struct shim_context *ctx, struct shim_derived_entry *e,
				    bool say)
{
	const struct shim_expr *expr = &e->def->expr;
	int err = 0;

	for (int i = 0; i < expr->n && !err; i++)
		if (expr->nodes[i].kind == SHIM_NODE_NAME && is_of_defined(expr, i)) {
			err = bind_name(ctx, e, expr->nodes[i].text, USE_DEFINED,
					&e->bound.cells[i]);
			if (err == PM_ERR_BADDERIVE)
				report_operand(e, i, say);
		}
	return err;
}

/*
 * Bind all other names.  Continue after a missing operand unless it is on a side of a ternary, so
 * that a missing operand on a side is found even if the guard also lacks an operand.
 */
static int bind_others(struct shim_context *ctx, struct shim_derived_entry *e, bool say)
{
	int first = 0, err;

	for (int i = 0; i < e->def->expr.n; i++) {
		err = bind_node(ctx, e, i);
		if (!err)
			continue;
		if (shim_derived__passes(err))
			return err;
		if (!first)
			first = err;
		report_operand(e, i, say);
		if (bound_in_ternary(&e->bound, i))
			break;
	}
	return first;
}

static int bind_names(struct shim_context *ctx, struct shim_derived_entry *e, bool say)
{
	const struct shim_expr *expr = &e->def->expr;
	struct shim_cell *cells = calloc((size_t)expr->n, sizeof(*cells));
	int err;

	if (!cells)
		return -ENOMEM;
	e->bound = (struct shim_bound){ .expr = expr, .cells = cells };
	for (int i = 0; i < expr->n; i++) {
		cells[i].pmid = PM_ID_NULL;
		cells[i].mul = cells[i].div = 1;
		cells[i].desc = expr->nodes[i].desc;
	}
	err = bind_operands_of_defined(ctx, e, say);
	if (!err)
		err = bound_decide(&e->bound);
	return err ? err : bind_others(ctx, e, say);
}

/* Do not bind an entry if the source has a metric with the same name, which takes precedence. */
static int bind_entry(struct shim_context *ctx, struct shim_derived_entry *e, bool say)
{
	pmID pmid;
	int err;

	err = look_up(ctx, e->def->name, &pmid);
	if (err >= 0)
		return PM_ERR_BADDERIVE;
	err = shim_derived__passes(err) ? err : bind_names(ctx, e, say);
	if (!err)
		err = shim_bound__check(&e->bound, e->def->name, say);
	if (!err)
		e->bound.cells[e->bound.expr->n - 1].desc.pmid = e->def->pmid;
	return err;
}

/*
 * Return the number of seconds to wait before another try while pmcd reports that an agent is
 * unavailable.
 */
static int64_t pause_after(int err)
{
	return shim_pcp__is_failure(err) ? 0 : 5;
}

static int64_t now_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

int shim_derived__bind(struct shim_context *ctx, struct shim_derived_entry *e, bool say)
{
	struct shim_derived *d = &ctx->derived;
	int err;

	switch (e->state) {
	case SHIM_DERIVED_BOUND:
		return 0;
	case SHIM_DERIVED_BAD:
		return PM_ERR_BADDERIVE;
	case SHIM_DERIVED_BINDING:
		shim_derived__set_why("Recursive definition");
		return PM_ERR_BADDERIVE;
	case SHIM_DERIVED_NEW:
		break;
	}
	if (e->passing && now_seconds() < e->again)
		return e->passing;
	if (d->depth == DEPTH_MAX) {
		shim_derived__set_why("Recursive definition");
		return PM_ERR_BADDERIVE;
	}
	d->depth++;
	e->state = SHIM_DERIVED_BINDING;
	err = bind_entry(ctx, e, say);
	d->depth--;
	e->state = !err ? SHIM_DERIVED_BOUND : shim_derived__passes(err) ? SHIM_DERIVED_NEW :
								      SHIM_DERIVED_BAD;
	e->passing = shim_derived__passes(err) ? err : 0;
	if (!err)
		return 0;
	e->again = now_seconds() + pause_after(err);
	bound_fini(&e->bound);
	return e->passing ? e->passing : PM_ERR_BADDERIVE;
}

static int limit_of(const struct shim_derived *d)
{
	return d->limited ? d->limit : -1;
}

static const char *context_refusal(struct shim_derived *d, const char *name)
{
	int limit = limit_of(d);

	if (limit != -1 && (long)d->own >= limit)
		return "Too many per-context derived metrics";
	if (own_by_name(d, name))
		return "Duplicate per-context derived metric name";
	return d->own >= OWN_MAX ? "per-context PMID space exhausted" : NULL;
}

static void mask(struct shim_derived *d, const char *name)
{
	int number = shim_registry__find(name);

	/* A metric with a larger number is masked when it is added to the context. */
	if (number >= 0 && (unsigned int)number < d->globals)
		d->all[d->at[0].all[number]]->masked = true;
}

int shim_derived__add(struct shim_context *ctx, const char *name, const char *expr,
		      const char **at)
{
	struct shim_derived *d = &ctx->derived;
	struct shim_definition *def;
	const char *why;
	int err;

	*at = expr;
	why = context_refusal(d, name);
	if (why) {
		shim_derived__set_why(why);
		return -EEXIST;
	}
	err = shim_definition__new(name, expr, at, &def);
	if (err)
		return err;
	*at = expr;
	def->pmid = shim_derived__pmid(d->own, true);
	mask(d, name);
	err = own_append(d, def, true);
	if (err) {
		shim_definition__free(def);
		return err;
	}
	shim_derived__bind(ctx, d->all[d->n - 1], false);
	return shim_derived__why() ? PM_ERR_BADDERIVE : 0;
}
