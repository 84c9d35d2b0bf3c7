// SPDX-License-Identifier: LGPL-2.1-or-later
/* Evaluate derived metrics node by node, using the values of their operands in a fetch's result. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "context.h"
#include "derived.h"
#include "derived_cell.h"
#include "stamp.h"

#define MATCHES_KEPT 256	/* maximum number of additional instances in a filter's cache */

/*
 * struct evaluation - the evaluation of an expression for a fetch
 * @result: result of the fetch, including the operands
 * @stamp: time of the fetch
 * @round: number of the fetch; if this fetch has already evaluated a cell, @last is still from
 *	before the fetch
 */
struct evaluation {
	struct shim_context *ctx;
	uint64_t round;
	const struct shim_expr *expr;
	struct shim_cell *cells;
	const pmResult *result;
	struct shim_ts stamp;
};

/*
 * Only doubles are scaled: if operands require scaling, the check makes the result PM_TYPE_DOUBLE.
 */
static pmAtomValue promote(int to, const struct shim_cell *cell, pmAtomValue v)
{
	v = shim_number__promote(to, cell->desc.type, v);
	if (to == PM_TYPE_DOUBLE)
		v.d = v.d / cell->div * cell->mul;
	return v;
}

static pmAtomValue operate(enum shim_node_kind kind, int type, const struct shim_cell *left,
			   pmAtomValue a, const struct shim_cell *right, pmAtomValue b)
{
	int common = left->desc.type > right->desc.type ? left->desc.type : right->desc.type;
	bool is;

	if (shim_node__form(kind)->class == SHIM_CLASS_ARITHMETIC)
		return shim_number__calculate(kind, type, promote(type, left, a),
					      promote(type, right, b));
	a = promote(common, left, a);
	b = promote(common, right, b);
	if (kind == SHIM_NODE_AND)
		is = !shim_number__is_zero(common, a) && !shim_number__is_zero(common, b);
	else if (kind == SHIM_NODE_OR)
		is = !shim_number__is_zero(common, a) || !shim_number__is_zero(common, b);
	else
		is = shim_number__holds(kind, shim_number__compare(common, a, b));
	return shim_number__from_bool(PM_TYPE_U32, is);
}

/*
 * struct positions - index of instances in a list of values
 * @next: the position after the last one found; it is tried first, because the order is usually the
 *	same
 * @map: the positions of all instances, built when @next is first wrong, so that looking up all
 *	instances takes linear time
 */
struct positions {
	const struct shim_derived_values *values;
	int next;
	bool mapped;
	struct shim_pmidmap map;
};

static int map_positions(struct positions *p)
{
	const struct shim_derived_values *values = p->values;
	int err = 0;

	for (int i = 0; i < values->n && !err; i++)
		if (shim_pmidmap__get(&p->map, (uint32_t)values->all[i].inst) == SHIM_PMIDMAP_NONE)
			err = shim_pmidmap__add(&p->map, (uint32_t)values->all[i].inst, (uint32_t)i);
	p->mapped = true;
	return err;
}

/*
 * Return 0 and set *@at to the position, or to -1 if there is no such instance; or return -ENOMEM.
 */
static int position_of(struct positions *p, int inst, int *at)
{
	const struct shim_derived_values *values = p->values;
	uint32_t mapped;
	int err;

	*at = p->next;
	if (p->next >= values->n || values->all[p->next].inst != inst) {
		err = p->mapped ? 0 : map_positions(p);
		if (err)
			return err;
		mapped = shim_pmidmap__get(&p->map, (uint32_t)inst);
		*at = mapped == SHIM_PMIDMAP_NONE ? -1 : (int)mapped;
	}
	if (*at >= 0)
		p->next = *at + 1;
	return 0;
}

/*
 * Pair the values of instances that both operands have, or each value with the other operand's only
 * value.  If neither operand has an instance domain, the result has the right operand's instance.
 * Archives can number the only instance of such a metric.
 */
static int combine(const struct shim_node *node, const struct shim_cell *left,
		   const struct shim_cell *right, struct positions *others, struct shim_cell *cell)
{
	bool lmany = left->desc.indom != PM_INDOM_NULL, rmany = right->desc.indom != PM_INDOM_NULL;
	const struct shim_cell *many = lmany ? left : right;
	int n = 0, err;

	for (int i = 0; i < many->now.n; i++) {
		struct shim_derived_value *out = &cell->now.all[n];
		int l = lmany ? i : 0, r = rmany ? i : 0;

		out->inst = many->now.all[i].inst;
		err = lmany && rmany ? position_of(others, out->inst, &r) : 0;
		if (err)
			return err;
		if (r < 0)
			continue;
		out->v = operate(node->kind, cell->desc.type, left, left->now.all[l].v, right,
				 right->now.all[r].v);
		n++;
		if (!lmany && !rmany)
			break;
	}
	return n;
}

static int eval_binary(struct evaluation *ev, const struct shim_node *node, struct shim_cell *cell)
{
	const struct shim_cell *left = &ev->cells[node->left], *right = &ev->cells[node->right];
	struct positions others = { .values = &right->now };
	int n, most = left->now.n > right->now.n ? left->now.n : right->now.n;

	cell->now.n = 0;
	if (left->now.n <= 0 || right->now.n <= 0)
		return 0;
	n = shim_cell__room(&cell->now, most);
	if (!n)
		n = combine(node, left, right, &others, cell);
	shim_pmidmap__fini(&others.map);
	cell->now.n = n > 0 ? n : 0;
	return n;
}

/* Convert a unit of time to seconds. */
static double seconds_in(int scale)
{
	double seconds = 1;

	for (; scale < PM_TIME_SEC; scale++)
		seconds /= 1000;
	for (; scale > PM_TIME_SEC; scale--)
		seconds *= 60;
	return seconds;
}

static pmAtomValue rate(const struct shim_cell *operand, pmAtomValue now, pmAtomValue last,
			double elapsed)
{
	pmAtomValue v = { 0 };

	v.d = shim_number__increase(operand->desc.type, now, last) / elapsed;
	if (operand->desc.units.dimTime == 1)
		v.d *= seconds_in(operand->desc.units.scaleTime);
	return v;
}

static double elapsed_between(struct shim_ts from, struct shim_ts to)
{
	struct timespec a = shim_stamp__to_timespec(to), b = shim_stamp__to_timespec(from);

	pmtimespecDec(&a, &b);
	return pmtimespecToReal(&a);
}

/*
 * Return whether a counter has decreased.  It has then wrapped or was reset, so its increase is
 * unknown.  As in the original, a fetch of an earlier time is treated in the same way, except for
 * PM_TYPE_32.
 */
static bool went_back(const pmDesc *desc, pmAtomValue now, pmAtomValue last, double elapsed)
{
	int back = desc->type == PM_TYPE_32 && elapsed < 0 ? 1 : -1;

	return desc->sem == PM_SEM_COUNTER && shim_number__compare(desc->type, now, last) == back;
}

/*
 * Compute the changes of instances that the previous fetch also had.  Return their number, at most
 * @n, or an error.
 */
static int change_all(const struct shim_node *node, const struct shim_cell *operand,
		      struct positions *last, struct shim_cell *cell, int n)
{
	bool is_rate = node->kind == SHIM_NODE_RATE;
	double elapsed = elapsed_between(cell->last_stamp, cell->stamp);
	int found = 0, at, err;

	for (int i = 0; i < operand->now.n && found < n; i++) {
		struct shim_derived_value *out = &cell->now.all[found];
		const struct shim_derived_value *now = &operand->now.all[i];
		pmAtomValue before;

		err = position_of(last, now->inst, &at);
		if (err)
			return err;
		if (at < 0)
			continue;
		before = cell->last.all[at].v;
		if (is_rate && went_back(&operand->desc, now->v, before, elapsed))
			continue;
		out->inst = now->inst;
		out->v = is_rate ? rate(operand, now->v, before, elapsed) :
				   shim_number__difference(operand->desc.type, now->v, before);
		found++;
	}
	return found;
}

/* Copy the operand's values for the next fetch. */
static int keep_last(struct shim_cell *cell, const struct shim_cell *operand)
{
	int n = operand->now.n, err = shim_cell__room(&cell->last, n);

	if (err)
		return err;
	cell->last.n = n;
	if (n > 0)
		memcpy(cell->last.all, operand->now.all, (size_t)n * sizeof(*cell->last.all));
	return 0;
}

static int eval_change(struct evaluation *ev, const struct shim_node *node, struct shim_cell *cell)
{
	const struct shim_cell *operand = &ev->cells[node->left];
	int n = operand->now.n < cell->last.n ? operand->now.n : cell->last.n, err = 0;
	struct positions last = { .values = &cell->last };
	struct shim_ts before = cell->last_stamp;

	/* The node was already evaluated before memory ran out in another part of the fetch. */
	if (cell->round == ev->round)
		return cell->now.n;
	cell->last_stamp = cell->stamp;
	cell->stamp = ev->stamp;
	cell->now.n = n > 0 ? 0 : n;
	if (n > 0) {
		cell->now.n = shim_cell__room(&cell->now, n);
		if (!cell->now.n)
			cell->now.n = change_all(node, operand, &last, cell, n);
	}
	shim_pmidmap__fini(&last.map);
	if (cell->now.n != -ENOMEM)
		err = keep_last(cell, operand);
	if (err == -ENOMEM || cell->now.n == -ENOMEM) {
		cell->stamp = cell->last_stamp;
		cell->last_stamp = before;
		return -ENOMEM;
	}
	cell->round = ev->round;
	return err ? err : cell->now.n;
}

/*
 * struct sides - the sides of a ternary
 * @insts: the side that has the instances; @others: the other side, for additional instances
 * @n: number of instances, unless a side without values is selected
 */
struct sides {
	const struct shim_cell *yes, *no, *insts, *others;
	int n;
};

static bool is_novalue(const struct evaluation *ev, int i)
{
	return shim_bound__is_novalue(&ev->expr->nodes[i], &ev->cells[i]);
}

/* Find the sides to use.  Return false if a side that requires values has none. */
static bool find_sides(const struct evaluation *ev, const struct shim_node *colon, struct sides *s)
{
	bool any_yes = !is_novalue(ev, colon->left), any_no = !is_novalue(ev, colon->right);
	bool many_yes, many_no;

	s->yes = s->insts = &ev->cells[colon->left];
	s->no = s->others = &ev->cells[colon->right];
	if ((any_yes && s->yes->now.n <= 0) || (any_no && s->no->now.n <= 0))
		return false;
	many_yes = any_yes && s->yes->desc.indom != PM_INDOM_NULL;
	many_no = any_no && s->no->desc.indom != PM_INDOM_NULL;
	if (!any_yes || (!many_yes && many_no)) {
		s->insts = s->no;
		s->others = s->yes;
	}
	s->n = s->yes->now.n > s->no->now.n ? s->yes->now.n : s->no->now.n;
	if (many_yes && !many_no)
		s->n = s->yes->now.n;
	return true;
}

/*
 * For each i, value i of the guard selects an operand; if the guard has fewer values, its last
 * value does.  The result is value i of that operand, or its first value if it has fewer.  The
 * instances belong to the operand that has an instance domain.  If novalue() is selected, there is
 * no value.
 */
static int eval_ternary(struct evaluation *ev, const struct shim_node *node, struct shim_cell *cell)
{
	const struct shim_cell *guard = &ev->cells[node->left], *pick;
	struct sides s;
	int found = 0, err;

	cell->now.n = 0;
	if (guard->now.n <= 0 || !find_sides(ev, &ev->expr->nodes[node->right], &s))
		return 0;
	err = shim_cell__room(&cell->now, s.n);
	if (err)
		return err;
	pick = s.no;
	for (int i = 0; i < s.n; i++) {
		const struct shim_cell *from = i < s.insts->now.n ? s.insts : s.others;

		if (i < guard->now.n)
			pick = shim_number__is_zero(guard->desc.type, guard->now.all[i].v) ? s.no : s.yes;
		if (!pick->now.n)
			continue;
		cell->now.all[found].inst = from->now.all[i].inst;
		cell->now.all[found++].v = pick->now.all[i < pick->now.n ? i : 0].v;
	}
	cell->now.n = found;
	return found;
}

/* Evaluate a constant.  With an instance domain, it has its value for each instance. */
static int eval_constant(struct evaluation *ev, const struct shim_node *node,
			 struct shim_cell *cell)
{
	struct shim_ts origin = ev->ctx->origin;
	int *insts, n = shim_cell__constant(node, cell);
	pmAtomValue v;
	char **names;

	if (n < 0 || cell->desc.indom == PM_INDOM_NULL)
		return n;
	v = cell->now.all[0].v;
	ev->ctx->origin = ev->stamp;
	n = ev->ctx->source->instances(ev->ctx, cell->desc.indom, &insts, &names);
	ev->ctx->origin = origin;
	cell->now.n = n;
	if (n <= 0)
		return n;
	cell->now.n = shim_cell__room(&cell->now, n);
	for (int i = 0; i < n && cell->now.n >= 0; i++)
		cell->now.all[cell->now.n++] = (struct shim_derived_value){ .inst = insts[i], .v = v };
	free(insts);
	free(names);
	return cell->now.n;
}

/*
 * Look up an instance by name or, if @name is NULL, its name.  In an archive, the result depends on
 * the context's time.  The fetch may already have advanced that time, so it is restored for the
 * look-up.
 */
static int at_fetch(struct evaluation *ev, pmInDom indom, int inst, const char *name, char **out)
{
	struct shim_ts origin = ev->ctx->origin;
	int err;

	ev->ctx->origin = ev->stamp;
	if (name)
		err = ev->ctx->source->instance(ev->ctx, indom, name);
	else
		err = ev->ctx->source->instance_name(ev->ctx, indom, inst, out);
	ev->ctx->origin = origin;
	return err;
}

/*
 * Return 1 if the filter selects an instance, 0 if it does not or if the instance has no name, or a
 * transient error.  The filter is applied to the name up to the first blank.
 */
static int look_at(struct evaluation *ev, const struct shim_node *node, pmInDom indom, int inst)
{
	int err = indom == PM_INDOM_NULL ? PM_ERR_INDOM : 0;
	char *name = NULL;
	bool matches;

	if (!err)
		err = at_fetch(ev, indom, inst, NULL, &name);
	if (err < 0)
		return shim_derived__passes(err) ? err : 0;
	name[strcspn(name, " ")] = '\0';
	/* If glibc runs out of memory, it reports that nothing matches. */
	errno = 0;
	err = regexec(node->pattern, name, 0, NULL, 0);
	if (err && errno == ENOMEM)
		err = REG_ESPACE;
	free(name);
	if (err == REG_ESPACE)
		return -ENOMEM;
	matches = !err;
	return matches != node->inverted;
}

static int eval_pattern(struct evaluation *ev, const struct shim_node *node, struct shim_cell *cell)
{
	const struct shim_cell *operand = &ev->cells[node->left];
	int found = 0, err = shim_cell__room(&cell->now, operand->now.n);

	if (err)
		return err;
	if (cell->matches.n > (uint32_t)operand->now.n + MATCHES_KEPT)
		shim_pmidmap__fini(&cell->matches);
	for (int i = 0; i < operand->now.n; i++) {
		int inst = operand->now.all[i].inst;
		uint32_t matches = shim_pmidmap__get(&cell->matches, (uint32_t)inst);

		if (matches == SHIM_PMIDMAP_NONE) {
			int found_out = look_at(ev, node, operand->desc.indom, inst);

			if (found_out < 0)
				return found_out;
			matches = (uint32_t)found_out;
			err = shim_pmidmap__add(&cell->matches, (uint32_t)inst, matches);
			if (err)
				return err;
		}
		if (matches)
			cell->now.all[found++] = operand->now.all[i];
	}
	cell->now.n = found;
	return found;
}

static int eval_exact(struct evaluation *ev, const struct shim_node *node, struct shim_cell *cell)
{
	const struct shim_cell *operand = &ev->cells[node->left];
	int inst, err = shim_cell__room(&cell->now, 1);

	if (err)
		return err;
	if (!cell->inst_known) {
		if (operand->desc.indom == PM_INDOM_NULL)
			return 0;
		inst = at_fetch(ev, operand->desc.indom, 0, node->text, NULL);
		if (inst < 0)
			return shim_derived__passes(inst) ? inst : 0;
		cell->inst = inst;
		cell->inst_known = true;
	}
	for (int i = 0; i < operand->now.n && !cell->now.n; i++) {
		if (operand->now.all[i].inst != cell->inst)
			continue;
		cell->now.all[0] = operand->now.all[i];
		cell->now.n = 1;
	}
	return cell->now.n;
}

static int eval_filter(struct evaluation *ev, const struct shim_node *node, struct shim_cell *cell)
{
	cell->now.n = 0;
	if (ev->cells[node->left].now.n <= 0)
		return 0;
	return node->by_pattern ? eval_pattern(ev, node, cell) : eval_exact(ev, node, cell);
}

static int copy_values(struct shim_cell *cell, const struct shim_cell *operand)
{
	int n = shim_cell__like(cell, operand);

	if (n > 0)
		memcpy(cell->now.all, operand->now.all, (size_t)n * sizeof(*cell->now.all));
	return n;
}

static int eval_node(struct evaluation *ev, const struct shim_node *node, struct shim_cell *cell)
{
	const struct shim_cell *operand = node->left < 0 ? NULL : &ev->cells[node->left];

	switch (node->kind) {
	case SHIM_NODE_INTEGER:
	case SHIM_NODE_DOUBLE:
		return eval_constant(ev, node, cell);
	case SHIM_NODE_NAME:
		return cell->unused ? 0 : shim_cell__operand(cell, ev->result);
	case SHIM_NODE_DELTA:
	case SHIM_NODE_RATE:
		return eval_change(ev, node, cell);
	case SHIM_NODE_NOT:
		return shim_cell__not(operand, cell);
	case SHIM_NODE_NEG:
		return shim_cell__neg(operand, cell);
	case SHIM_NODE_COLON:
	case SHIM_NODE_ANON:
	case SHIM_NODE_NOVALUE:
		return 0;
	case SHIM_NODE_QUEST:
		return cell->taken ? copy_values(cell, &ev->cells[cell->taken]) :
				     eval_ternary(ev, node, cell);
	case SHIM_NODE_RESCALE:
		return shim_cell__rescale(node, operand, cell);
	case SHIM_NODE_INSTANT:
		return copy_values(cell, operand);
	case SHIM_NODE_AVG:
	case SHIM_NODE_SUM:
	case SHIM_NODE_MAX:
	case SHIM_NODE_MIN:
		return shim_cell__aggregate(node, operand, cell);
	case SHIM_NODE_COUNT:
		return shim_cell__count(operand, cell);
	case SHIM_NODE_SCALAR:
		return shim_cell__scalar(operand, cell);
	case SHIM_NODE_DEFINED:
		return shim_cell__defined(operand, cell);
	case SHIM_NODE_FILTER:
		return eval_filter(ev, node, cell);
	default:
		return eval_binary(ev, node, cell);
	}
}

/*
 * Return whether a failure does not end the evaluation: if the operand of count() fails, the count
 * is 0.
 */
static bool is_forgiven(const struct shim_expr *expr, int i)
{
	return i + 1 < expr->n && expr->nodes[i + 1].kind == SHIM_NODE_COUNT;
}

/*
 * After an error of the operand of delta() or rate(), the next evaluation also returns the error.
 * Changes that were not evaluated keep their previous values.
 */
static void keep_error(struct shim_bound *b, int operand, int err)
{
	const struct shim_node *node = &b->expr->nodes[operand + 1];

	if (operand + 1 < b->expr->n &&
	    (node->kind == SHIM_NODE_DELTA || node->kind == SHIM_NODE_RATE))
		b->cells[operand + 1].last.n = err;
}

int shim_bound__evaluate(struct shim_context *ctx, struct shim_bound *b, const pmResult *result,
			 struct shim_ts stamp)
{
	struct evaluation ev = { .ctx = ctx, .expr = b->expr, .cells = b->cells,
				 .result = result, .stamp = stamp, .round = ctx->derived.round };
	int n = 0;

	for (int i = 0; i < b->expr->n; i++) {
		if (b->cells[i].ruled_out)
			continue;
		n = eval_node(&ev, &b->expr->nodes[i], &b->cells[i]);
		/* The node will be evaluated again with the same values. */
		if (n == -ENOMEM)
			return n;
		if (n < 0 && !is_forgiven(b->expr, i)) {
			keep_error(b, i, n);
			return n;
		}
	}
	return n;
}
