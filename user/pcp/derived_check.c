// SPDX-License-Identifier: LGPL-2.1-or-later
/* Check a bound expression, and set the type, semantics, units and instance domain of each node. */
#include <errno.h>
#include <string.h>

#include "derived.h"

/*
 * struct check - a check of an expression whose names have been bound
 * @why: the error in the current node
 */
struct check {
	const struct shim_expr *expr;
	struct shim_cell *cells;
	const char *why;
};

static const pmUnits no_units;

static bool is_arithmetic(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE;
}

static bool has_dimension(const pmUnits *u)
{
	return u->dimSpace || u->dimTime || u->dimCount || u->extraUnit;
}

/*
 * Return whether units can be compared.  A dimensionless number can be compared with a count, as in
 * pmConvScale().
 */
static bool are_comparable(const pmUnits *a, const pmUnits *b)
{
	if (a->dimSpace != b->dimSpace || a->dimTime != b->dimTime || a->extraUnit != b->extraUnit)
		return false;
	if (a->dimCount == b->dimCount)
		return true;
	return !a->dimSpace && !a->dimTime && !a->extraUnit &&
	       ((!a->dimCount && b->dimCount == 1) || (a->dimCount == 1 && !b->dimCount));
}

static bool fails(struct check *c, const char *why)
{
	c->why = why;
	return false;
}

/* Check whether an operator is valid for two counters, or for a counter and a non-counter. */
static bool check_semantics(struct check *c, enum shim_node_kind kind, const pmDesc *l,
			    const pmDesc *r)
{
	bool left = l->sem == PM_SEM_COUNTER, right = r->sem == PM_SEM_COUNTER;

	if (left && right && kind != SHIM_NODE_PLUS && kind != SHIM_NODE_MINUS)
		return fails(c, "Illegal operator for counters");
	if (left && !right && kind != SHIM_NODE_STAR && kind != SHIM_NODE_SLASH)
		return fails(c, "Illegal operator for counter and non-counter");
	if (!left && right && kind != SHIM_NODE_STAR)
		return fails(c, "Illegal operator for non-counter and counter");
	return true;
}

static bool check_types(struct check *c, const pmDesc *l, const pmDesc *r)
{
	if (!is_arithmetic(l->type))
		return fails(c, "Non-arithmetic type for left operand");
	if (!is_arithmetic(r->type))
		return fails(c, "Non-arithmetic type for right operand");
	return true;
}

/*
 * Check an operator's dimensions.  As in the original, a relational operator accepts any dimensions
 * if one operand is PM_TYPE_U32, which is the type of integers in expressions.
 */
static bool check_dimensions(struct check *c, enum shim_node_kind kind, const pmDesc *l,
			     const pmDesc *r)
{
	static const char why[] = "Dimensions are not the same";

	switch (shim_node__form(kind)->class) {
	case SHIM_CLASS_ARITHMETIC:
		if (kind == SHIM_NODE_STAR || kind == SHIM_NODE_SLASH ||
		    are_comparable(&l->units, &r->units))
			return true;
		return fails(c, why);
	case SHIM_CLASS_RELATIONAL:
		if (l->type == PM_TYPE_U32 || r->type == PM_TYPE_U32 ||
		    are_comparable(&l->units, &r->units))
			return true;
		return fails(c, why);
	default:
		if (!has_dimension(&l->units) && !has_dimension(&r->units))
			return true;
		return fails(c, why);
	}
}

/* Check extra units: no operator converts them, and no product has two of them. */
static bool check_extra(struct check *c, enum shim_node_kind kind, const pmUnits *l,
			const pmUnits *r)
{
	bool same = l->extraUnit == r->extraUnit && l->extraScale == r->extraScale;

	if (!l->extraUnit || !r->extraUnit)
		return true;
	if (kind == SHIM_NODE_STAR)
		return fails(c, "Extra units not allowed for both operands of *");
	if (kind == SHIM_NODE_SLASH && !same)
		return fails(c, "Different extra units not allowed for both operands of /");
	return same || fails(c, "Operands have incompatible extra units or scale");
}

static bool check_counters(struct check *c, enum shim_node_kind kind, const pmDesc *l,
			   const pmDesc *r)
{
	bool left = l->sem == PM_SEM_COUNTER, right = r->sem == PM_SEM_COUNTER;

	if (kind != SHIM_NODE_STAR && kind != SHIM_NODE_SLASH &&
	    shim_node__form(kind)->class != SHIM_CLASS_RELATIONAL)
		return true;
	if (left && !right && has_dimension(&r->units))
		return fails(c, "Non-counter and not dimensionless for right operand");
	if (!left && right && has_dimension(&l->units))
		return fails(c, "Non-counter and not dimensionless for left operand");
	return true;
}

/*
 * Return the number of units of scale @from in one unit of the larger scale @to, as time_steps()
 * and space_steps() do.
 */
static double count_steps(int from, int to)
{
	double factor = 1;

	for (; from < to; from++)
		factor *= 10;
	return factor;
}

static double time_steps(int from, int to)
{
	double factor = 1;

	for (; from < to; from++)
		factor *= from < PM_TIME_SEC ? 1000 : 60;
	return factor;
}

static double space_steps(int from, int to)
{
	double factor = 1;

	for (; from < to; from++)
		factor *= 1024;
	return factor;
}

/*
 * If both operands have the dimension, but in different scales, set the factor that converts the
 * operand with the smaller scale.  The factor divides if the dimension is positive.  If @by_left is
 * set, use the sign of the converted operand's dimension, otherwise always the sign of the right
 * operand's.  Return true if an operand is converted.
 */
static bool align(struct shim_cell *left, struct shim_cell *right, int lscale, int rscale,
		  int ldim, int rdim, bool by_left, double (*steps)(int from, int to))
{
	struct shim_cell *small = lscale > rscale ? right : left;
	int dim = small == left && by_left ? ldim : rdim;

	if (!ldim || !rdim || lscale == rscale)
		return false;
	if (dim > 0)
		small->div *= lscale > rscale ? steps(rscale, lscale) : steps(lscale, rscale);
	else
		small->mul *= lscale > rscale ? steps(rscale, lscale) : steps(lscale, rscale);
	return true;
}

/*
 * The scale of a dimension in the result is 0 if the result does not have the dimension; otherwise
 * the scale of the only operand that has it, or the larger of both scales.
 */
#define RESULT_SCALE(out, l, r, dim, scale)						\
	((out)->dim == 0 ? 0 :								\
	 (l)->dim == 0 ? (r)->scale :							\
	 (r)->dim == 0 || (l)->scale > (r)->scale ? (l)->scale : (r)->scale)

static int dimension(enum shim_node_kind kind, int left, int right, int both)
{
	if (kind == SHIM_NODE_STAR)
		return left + right;
	return kind == SHIM_NODE_SLASH ? left - right : both;
}

static void map_units(enum shim_node_kind kind, pmDesc *out, struct shim_cell *left,
		      struct shim_cell *right)
{
	const pmUnits *l = &left->desc.units, *r = &right->desc.units;
	pmUnits base = out->units, *u = &out->units;
	bool scaled;

	scaled = align(left, right, l->scaleCount, r->scaleCount, l->dimCount, r->dimCount, true,
		       count_steps);
	scaled |= align(left, right, l->scaleTime, r->scaleTime, l->dimTime, r->dimTime, false,
			time_steps);
	scaled |= align(left, right, l->scaleSpace, r->scaleSpace, l->dimSpace, r->dimSpace, false,
			space_steps);
	if (scaled)
		out->type = PM_TYPE_DOUBLE;
	u->dimCount = dimension(kind, l->dimCount, r->dimCount, base.dimCount);
	u->dimTime = dimension(kind, l->dimTime, r->dimTime, base.dimTime);
	u->dimSpace = dimension(kind, l->dimSpace, r->dimSpace, base.dimSpace);
	u->scaleCount = RESULT_SCALE(u, l, r, dimCount, scaleCount);
	u->scaleTime = RESULT_SCALE(u, l, r, dimTime, scaleTime);
	u->scaleSpace = RESULT_SCALE(u, l, r, dimSpace, scaleSpace);
	u->extraUnit = dimension(kind, l->extraUnit, r->extraUnit, base.extraUnit);
	u->extraScale = RESULT_SCALE(u, l, r, extraUnit, extraScale);
}

static bool map_indom(struct check *c, pmDesc *out, const pmDesc *l, const pmDesc *r)
{
	if (l->indom != PM_INDOM_NULL && r->indom != PM_INDOM_NULL && l->indom != r->indom)
		return fails(c, "Operands should have the same instance domain");
	out->indom = l->indom != PM_INDOM_NULL ? l->indom : r->indom;
	return true;
}

static int semantics_of(const pmDesc *base, const pmDesc *l, const pmDesc *r)
{
	if (l->sem == PM_SEM_COUNTER || r->sem == PM_SEM_COUNTER)
		return base->sem;
	return l->sem == PM_SEM_DISCRETE && r->sem == PM_SEM_DISCRETE ? PM_SEM_DISCRETE :
									PM_SEM_INSTANT;
}

/*
 * Return the type that can represent both: PM_TYPE_* are in the order of promotion, so it is the
 * larger one.
 */
static int common_type(int a, int b)
{
	return a > b ? a : b;
}

static bool is_constant(const struct shim_node *node)
{
	return node->kind == SHIM_NODE_INTEGER || node->kind == SHIM_NODE_DOUBLE;
}

/* Set the descriptor of an arithmetic, relational or boolean operator. */
static bool check_binary(struct check *c, const struct shim_node *node, struct shim_cell *cell)
{
	struct shim_cell *left = &c->cells[node->left], *right = &c->cells[node->right];
	const pmDesc *l = &left->desc, *r = &right->desc;
	bool arithmetic = shim_node__form(node->kind)->class == SHIM_CLASS_ARITHMETIC;

	if (arithmetic && !check_semantics(c, node->kind, l, r))
		return false;
	cell->desc = is_constant(&c->expr->nodes[node->left]) ? *r : *l;
	cell->desc.sem = semantics_of(&cell->desc, l, r);
	if (!check_types(c, l, r) || !check_dimensions(c, node->kind, l, r) ||
	    !check_extra(c, node->kind, &l->units, &r->units) || !check_counters(c, node->kind, l, r))
		return false;
	if (!arithmetic) {
		cell->desc.type = PM_TYPE_U32;
		cell->desc.units = no_units;
	} else {
		cell->desc.type = node->kind == SHIM_NODE_SLASH ? PM_TYPE_DOUBLE :
								  common_type(l->type, r->type);
		map_units(node->kind, &cell->desc, left, right);
	}
	return map_indom(c, &cell->desc, l, r);
}

static bool is_novalue(const struct check *c, int i)
{
	return shim_bound__is_novalue(&c->expr->nodes[i], &c->cells[i]);
}

static bool check_colon(struct check *c, const struct shim_node *node, struct shim_cell *cell)
{
	const pmDesc *l = &c->cells[node->left].desc, *r = &c->cells[node->right].desc;
	const pmUnits *lu = &l->units, *ru = &r->units;
	bool left_empty = is_novalue(c, node->left);

	/* novalue() gets the descriptor of the other side. */
	cell->desc = left_empty ? *r : *l;
	if (left_empty || is_novalue(c, node->right))
		return true;
	if (l->type != r->type)
		return fails(c, "Different types for ternary operands");
	if (l->indom != r->indom && l->indom != PM_INDOM_NULL && r->indom != PM_INDOM_NULL)
		return fails(c, "Different instance domains for ternary operands");
	cell->desc.indom = l->indom != PM_INDOM_NULL ? l->indom : r->indom;
	if (l->sem != r->sem)
		return fails(c, "Different semantics for ternary operands");
	if (lu->dimSpace != ru->dimSpace || lu->scaleSpace != ru->scaleSpace)
		return fails(c, "Different units or scale (space) for ternary operands");
	if (lu->dimTime != ru->dimTime || lu->scaleTime != ru->scaleTime)
		return fails(c, "Different units or scale (time) for ternary operands");
	if (lu->dimCount != ru->dimCount || lu->scaleCount != ru->scaleCount)
		return fails(c, "Different units or scale (count) for ternary operands");
	if (lu->extraUnit != ru->extraUnit || lu->extraScale != ru->extraScale)
		return fails(c, "Different units or scale (extra) for ternary operands");
	return true;
}

static bool check_guard(struct check *c, const struct shim_node *node, struct shim_cell *cell)
{
	const pmDesc *guard = &c->cells[node->left].desc, *both = &c->cells[node->right].desc;

	cell->desc = *both;
	if (!is_arithmetic(guard->type))
		return fails(c, "Non-arithmetic operand for ternary guard");
	if (both->indom == PM_INDOM_NULL && guard->indom != PM_INDOM_NULL)
		return fails(c, "Non-scalar ternary guard with scalar expressions");
	return true;
}

static bool check_rescale(struct check *c, const struct shim_node *node, struct shim_cell *cell)
{
	const pmDesc *operand = &c->cells[node->left].desc;
	pmAtomValue one = { 0 }, other;

	cell->desc = *operand;
	if (!is_arithmetic(operand->type))
		return fails(c, "Non-arithmetic operand for function");
	if (pmConvScale(operand->type, &one, &operand->units, &other, &node->desc.units) < 0)
		return fails(c, "Incompatible dimensions");
	cell->desc.units = node->desc.units;
	return true;
}

static bool check_rate(struct check *c, pmDesc *desc)
{
	if (desc->units.dimTime != 0 && desc->units.dimTime != 1)
		return fails(c, "Incorrect time dimension for operand");
	desc->type = PM_TYPE_DOUBLE;
	desc->units.dimTime--;
	desc->units.scaleTime = desc->units.dimTime ? PM_TIME_SEC : 0;
	return true;
}

/*
 * Return the type of a result that can be negative.  If the operand of delta() is unsigned, the
 * type is also wider.
 */
static int signed_type(enum shim_node_kind kind, int type)
{
	if (type == PM_TYPE_U32)
		return kind == SHIM_NODE_DELTA ? PM_TYPE_64 : PM_TYPE_32;
	if (type == PM_TYPE_U64)
		return kind == SHIM_NODE_DELTA ? PM_TYPE_DOUBLE : PM_TYPE_64;
	return type;
}

static bool check_unary(struct check *c, enum shim_node_kind kind, pmDesc *desc)
{
	if (!is_arithmetic(desc->type))
		return fails(c, kind == SHIM_NODE_NEG ? "Non-arithmetic operand for unary negation" :
							"Non-arithmetic operand for function");
	if (kind != SHIM_NODE_SUM)
		desc->sem = PM_SEM_INSTANT;
	switch (kind) {
	case SHIM_NODE_RATE:
		return check_rate(c, desc);
	case SHIM_NODE_DELTA:
	case SHIM_NODE_NEG:
		desc->type = signed_type(kind, desc->type);
		return true;
	case SHIM_NODE_AVG:
		desc->type = PM_TYPE_FLOAT;
		break;
	default:
		break;
	}
	desc->indom = PM_INDOM_NULL;
	return true;
}

static void describe_count(pmDesc *desc)
{
	desc->type = PM_TYPE_U32;
	desc->units = no_units;
	desc->units.dimCount = 1;
	desc->sem = PM_SEM_INSTANT;
	desc->indom = PM_INDOM_NULL;
}

static void describe_defined(pmDesc *desc)
{
	*desc = (pmDesc){ .pmid = PM_ID_NULL, .type = PM_TYPE_U32, .indom = PM_INDOM_NULL,
			  .sem = PM_SEM_DISCRETE };
}

/* Check a constant, which may have a metric's type. */
static bool check_leaf(struct check *c, const struct shim_node *node, const struct shim_cell *cell)
{
	if (node->kind == SHIM_NODE_NAME || node->kind == SHIM_NODE_NOVALUE ||
	    is_arithmetic(cell->desc.type))
		return true;
	return fails(c, "Non-arithmetic type for constant");
}

static bool check_operator(struct check *c, const struct shim_node *node, struct shim_cell *cell)
{
	cell->desc = c->cells[node->left].desc;
	switch (node->kind) {
	case SHIM_NODE_COLON:
		return check_colon(c, node, cell);
	case SHIM_NODE_QUEST:
		return check_guard(c, node, cell);
	case SHIM_NODE_RESCALE:
		return check_rescale(c, node, cell);
	case SHIM_NODE_COUNT:
		describe_count(&cell->desc);
		return true;
	case SHIM_NODE_DEFINED:
		describe_defined(&cell->desc);
		return true;
	case SHIM_NODE_INSTANT:
		if (cell->desc.sem == PM_SEM_COUNTER)
			cell->desc.sem = PM_SEM_INSTANT;
		return true;
	case SHIM_NODE_SCALAR:
		cell->desc.indom = PM_INDOM_NULL;
		return true;
	case SHIM_NODE_NOT:
		return is_arithmetic(cell->desc.type) ||
		       fails(c, "Non-arithmetic operand for boolean negation");
	case SHIM_NODE_ANON:
	case SHIM_NODE_FILTER:
		return true;
	case SHIM_NODE_AVG:
	case SHIM_NODE_SUM:
	case SHIM_NODE_MAX:
	case SHIM_NODE_MIN:
	case SHIM_NODE_DELTA:
	case SHIM_NODE_RATE:
	case SHIM_NODE_NEG:
		return check_unary(c, node->kind, &cell->desc);
	default:
		return check_binary(c, node, cell);
	}
}

static bool check_node(struct check *c, const struct shim_node *node, struct shim_cell *cell)
{
	if (cell->ruled_out)
		return true;
	if (shim_node__form(node->kind)->class == SHIM_CLASS_LEAF)
		return check_leaf(c, node, cell);
	if (!cell->taken)
		return check_operator(c, node, cell);
	cell->desc = c->cells[cell->taken].desc;
	return true;
}

static const char *text_of(const struct shim_expr *expr, int at)
{
	const struct shim_node *node = &expr->nodes[at];

	if (shim_node__form(node->kind)->class != SHIM_CLASS_LEAF || node->kind == SHIM_NODE_NOVALUE)
		return "<expr>";
	return node->text;
}

static void say_units(const pmUnits *units)
{
	char buf[80];

	pmUnitsStr_r(units, buf, sizeof(buf));
	pmprintf("%s", *buf ? buf : "none");
}

static void say_ternary(const struct shim_expr *expr, const struct shim_node *colon)
{
	pmprintf("%s : %s", text_of(expr, colon->left), text_of(expr, colon->right));
}

static void say_node(const struct shim_expr *expr, const struct shim_node *node)
{
	const struct shim_node_form *form = shim_node__form(node->kind);

	switch (node->kind) {
	case SHIM_NODE_QUEST:
		pmprintf("%s ? ", text_of(expr, node->left));
		say_ternary(expr, &expr->nodes[node->right]);
		return;
	case SHIM_NODE_COLON:
		say_ternary(expr, node);
		return;
	case SHIM_NODE_RESCALE:
		pmprintf("%s %s ", text_of(expr, node->left), form->name);
		say_units(&node->desc.units);
		return;
	case SHIM_NODE_NEG:
	case SHIM_NODE_NOT:
		pmprintf("%s %s", form->symbol, text_of(expr, node->left));
		return;
	default:
		break;
	}
	if (form->class == SHIM_CLASS_LEAF)
		pmprintf("%s", node->text);
	else if (form->class == SHIM_CLASS_METRIC || form->class == SHIM_CLASS_EXPR)
		pmprintf("%s(%s)", form->name, text_of(expr, node->left));
	else
		pmprintf("%s %s %s", text_of(expr, node->left), form->symbol,
			 text_of(expr, node->right));
}

int shim_bound__check(struct shim_bound *b, const char *name, bool say)
{
	struct check c = { .expr = b->expr, .cells = b->cells };

	for (int i = 0; i < b->expr->n; i++) {
		const struct shim_node *node = &b->expr->nodes[i];

		if (check_node(&c, node, &b->cells[i]))
			continue;
		if (say) {
			pmprintf("Semantic error: derived metric %s: ", name);
			say_node(b->expr, node);
			pmprintf(": %s\n", c.why);
			pmflush();
		}
		shim_derived__set_why(say ? NULL : c.why);
		return PM_ERR_BADDERIVE;
	}
	return 0;
}
