// SPDX-License-Identifier: LGPL-2.1-or-later
/* Declare metrics: check that a description is valid and that its names are unused. */
#include <ctype.h>
#include <stdlib.h>

#include "declare.h"

/* The name of a metric, or of an inner node of the metric name space */
struct name {
	struct shim_hnode node;
	bool inner;
	uint32_t pmid;	/* valid unless @inner */
	const char *s;
	size_t len;
};

void shim_declared__init(struct shim_declared *d)
{
	*d = (struct shim_declared){ 0 };
	shim_hash__init(&d->metrics);
	shim_hash__init(&d->names);
	shim_hash__init(&d->groups);
}

void shim_declared__free(struct shim_declared *d)
{
	for (struct shim_declared_indom *g = d->group_list; g; g = g->next)
		free(g->memory);
	shim_hash__free(&d->metrics);
	shim_hash__free(&d->names);
	shim_hash__free(&d->groups);
	shim_arena__free(&d->arena);
}

struct shim_declared_metric *shim_declared__metric(const struct shim_declared *d, uint32_t pmid)
{
	struct shim_hnode *node = shim_hash__first(&d->metrics, shim_hash__u32(&d->metrics, pmid));

	for (; node; node = shim_hash__next(node)) {
		struct shim_declared_metric *m = shim_hnode__entry(node, struct shim_declared_metric, node);

		if (m->pmid == pmid)
			return m;
	}
	return NULL;
}

static struct name *find_name(const struct shim_declared *d, const char *s, size_t len)
{
	struct shim_hnode *node = shim_hash__first(&d->names, shim_hash__bytes(&d->names, s, len));

	for (; node; node = shim_hash__next(node)) {
		struct name *name = shim_hnode__entry(node, struct name, node);

		if (name->len == len && !memcmp(name->s, s, len))
			return name;
	}
	return NULL;
}

/* A signed four-bit field at bit @shift */
static int nibble(uint32_t units, int shift)
{
	return (int32_t)(units << (28 - shift)) >> 28;
}

#define SPACE_SCALE_MAX	6
#define TIME_SCALE_MAX	5

/*
 * Check that dimensions are from -2 to 2 and that no scale is set without its dimension.  The
 * lowest eight bits, an extra unit and its scale, may have any value: newer PCP versions add units,
 * and values are correct even if their unit has no known name.
 */
static bool units_ok(uint32_t units)
{
	int space = nibble(units, 28), time = nibble(units, 24), count = nibble(units, 20);
	uint32_t space_scale = units >> 16 & 15, time_scale = units >> 12 & 15;

	if (abs(space) > 2 || abs(time) > 2 || abs(count) > 2)
		return false;
	if (space_scale > (space ? SPACE_SCALE_MAX : 0) || time_scale > (time ? TIME_SCALE_MAX : 0))
		return false;
	return count || !nibble(units, 8);
}

/* Check for dot-separated components of letters, digits and _, each starting with a letter. */
static bool name_ok(const char *name)
{
	size_t len = name ? strlen(name) : 0;
	bool first = true;

	if (!len || len > SHIM_NAME_MAX)
		return false;
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;

		if (first ? !isalpha(c) : !isalnum(c) && c != '_' && c != '.')
			return false;
		first = c == '.';
	}
	return !first;
}

static bool desc_ok(const struct shim_desc *desc)
{
	bool sem_ok = desc->sem == SHIM_SEM_COUNTER || desc->sem == SHIM_SEM_INSTANT ||
		      desc->sem == SHIM_SEM_DISCRETE;

	/* the top bit of pmid and indom must be 0; the next nine, the domain, must match */
	if (desc->pmid >> 31 || !sem_ok || !units_ok(desc->units) || !desc->nnames)
		return false;
	if (desc->type < SHIM_TYPE_32 || desc->type > SHIM_TYPE_AGGREGATE_STATIC)
		return false;
	if (desc->indom != SHIM_INDOM_NULL && desc->indom >> 22 != desc->pmid >> 22)
		return false;
	for (unsigned int i = 0; i < desc->nnames; i++)
		if (!name_ok(desc->names[i]))
			return false;
	return true;
}

/* Whether a name is unused and no node above it is the name of a metric */
static bool name_free(const struct shim_declared *d, const char *name)
{
	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
		const struct name *above = find_name(d, name, dot - name);

		if (above && !above->inner)
			return false;
	}
	return !find_name(d, name, strlen(name));
}

static int enter_node(struct shim_declared *d, const char *s, size_t len, bool inner,
		      uint32_t pmid)
{
	struct name *name;

	if (find_name(d, s, len))
		return 0;
	name = shim_arena__alloc(&d->arena, sizeof(*name));
	if (!name)
		return -ENOMEM;
	name->inner = inner;
	name->pmid = pmid;
	name->len = len;
	name->s = shim_arena__string(&d->arena, s, len);
	if (!name->s)
		return -ENOMEM;
	return shim_hash__add(&d->names, &name->node, shim_hash__bytes(&d->names, s, len));
}

static int enter_name(struct shim_declared *d, const char *name, uint32_t pmid)
{
	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
		if (enter_node(d, name, dot - name, true, 0))
			return -ENOMEM;
	return enter_node(d, name, strlen(name), false, pmid);
}

/* Release the names of a metric that could not be declared. */
static void leave_names(struct shim_declared *d, const struct shim_desc *desc)
{
	for (unsigned int i = 0; i < desc->nnames; i++) {
		struct name *name = find_name(d, desc->names[i], strlen(desc->names[i]));

		if (name && !name->inner && name->pmid == desc->pmid)
			shim_hash__del(&d->names, &name->node);
	}
}

static int new_metric(struct shim_declared *d, const struct shim_desc *desc)
{
	struct shim_declared_metric *m = shim_arena__alloc(&d->arena, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->pmid = desc->pmid;
	m->type = desc->type;
	m->indom = desc->indom;
	m->sem = desc->sem;
	m->units = desc->units;
	return shim_hash__add(&d->metrics, &m->node, shim_hash__u32(&d->metrics, desc->pmid));
}

/* Whether @desc repeats the declared metric; it may omit names but not add any */
static bool is_same(const struct shim_declared *d, const struct shim_declared_metric *m,
		    const struct shim_desc *desc)
{
	for (unsigned int i = 0; i < desc->nnames; i++) {
		const struct name *name = find_name(d, desc->names[i], strlen(desc->names[i]));

		if (!name || name->inner || name->pmid != m->pmid)
			return false;
	}
	return m->type == desc->type && m->indom == desc->indom && m->sem == desc->sem &&
	       m->units == desc->units;
}

bool shim_declared__units_ok(uint32_t units)
{
	return units_ok(units);
}

/**
 * shim_declared__desc() - declare a metric
 * @d: the declarations so far
 * @desc: the metric
 * @out: its record is appended here
 *
 * Return: 0, -EINVAL if PCP would not accept the description, -EEXIST if the pmid or a name is
 * already used, -ENOMEM.
 */
int shim_declared__desc(struct shim_declared *d, const struct shim_desc *desc,
			struct shim_buf *out)
{
	return desc_ok(desc) ? shim_declared__any(d, desc, out) : -EINVAL;
}

/**
 * shim_declared__any() - declare a metric that another writer has described
 * @d: the declarations so far
 * @desc: the metric, whose fields are not validated
 * @out: its record is appended here
 *
 * Return: 0, -EEXIST if the pmid or a name is already used, -ENOMEM.
 */
int shim_declared__any(struct shim_declared *d, const struct shim_desc *desc, struct shim_buf *out)
{
	const struct shim_declared_metric *m = shim_declared__metric(d, desc->pmid);
	size_t start = out->len;
	int err;

	if (m)
		return is_same(d, m, desc) ? 0 : -EEXIST;
	for (unsigned int i = 0; i < desc->nnames; i++)
		if (!name_free(d, desc->names[i]))
			return -EEXIST;
	shim_rec_desc__encode(out, desc);
	err = out->err;
	for (unsigned int i = 0; i < desc->nnames && !err; i++)
		err = enter_name(d, desc->names[i], desc->pmid);
	if (!err)
		err = new_metric(d, desc);
	if (err) {
		leave_names(d, desc);
		out->len = start;
		out->err = 0;
	}
	return err;
}
