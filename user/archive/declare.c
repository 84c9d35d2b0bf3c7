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
		struct shim_declared_metric *m =
			shim_hnode__entry(node, struct shim_declared_metric, node);

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

/* Return a signed four-bit field at bit @shift. */
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

/*
 * Check that a name consists of dot-separated components of letters, digits and _, each starting
 * with a letter.
 */
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

#define DERIVED_DOMAIN	511

/*
 * Return whether a metric may have its instance domain.  Both must have the same domain number,
 * unless the metric is derived: it then has the instance domain of its operands.
 */
static bool indom_ok(const struct shim_desc *desc)
{
	uint32_t domain = desc->pmid >> 22;

	if (desc->indom == SHIM_INDOM_NULL || desc->indom >> 22 == domain)
		return true;
	return domain == DERIVED_DOMAIN && !(desc->indom >> 31);
}

static bool desc_ok(const struct shim_desc *desc)
{
	bool sem_ok = desc->sem == SHIM_SEM_COUNTER || desc->sem == SHIM_SEM_INSTANT ||
		      desc->sem == SHIM_SEM_DISCRETE;

	/* The top bit of pmid and indom must be 0; the next nine bits are the domain. */
	if (desc->pmid >> 31 || !sem_ok || !units_ok(desc->units) || !desc->nnames)
		return false;
	if (desc->type < SHIM_TYPE_32 || desc->type > SHIM_TYPE_AGGREGATE_STATIC)
		return false;
	if (!indom_ok(desc))
		return false;
	for (unsigned int i = 0; i < desc->nnames; i++)
		if (!name_ok(desc->names[i]))
			return false;
	return true;
}

/* Return whether a name is unused and no node above it is the name of a metric. */
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

/* Return whether @desc repeats the declared metric.  It may omit names but not add any. */
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
 * @out: the metric's record is appended here
 *
 * Return: 0, -EINVAL if PCP would not accept the description, -EEXIST if the pmid or a name is
 * already used, or -ENOMEM.
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
 * @out: the metric's record is appended here
 *
 * Return: 0, -EEXIST if the pmid or a name is already used, or -ENOMEM.
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

/* Declare instance domains: find the changes, and write a full record or a delta */

struct shim_declared_indom *shim_declared__group(const struct shim_declared *d, uint32_t indom)
{
	struct shim_hnode *node = shim_hash__first(&d->groups, shim_hash__u32(&d->groups, indom));

	for (; node; node = shim_hash__next(node)) {
		struct shim_declared_indom *g =
			shim_hnode__entry(node, struct shim_declared_indom, node);

		if (g->now.indom == indom)
			return g;
	}
	return NULL;
}

static struct shim_declared_indom *new_group(struct shim_declared *d, uint32_t indom)
{
	struct shim_declared_indom *g = shim_arena__alloc(&d->arena, sizeof(*g));

	if (!g)
		return NULL;
	g->now.indom = indom;
	if (shim_hash__add(&d->groups, &g->node, shim_hash__u32(&d->groups, indom)))
		return NULL;
	g->next = d->group_list;
	d->group_list = g;
	return g;
}

bool shim_declared_indom__search(const struct shim_declared_indom *g, int32_t inst,
				 unsigned int *at)
{
	unsigned int lo = 0, hi = g->now.n;

	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (g->now.inst[mid] < inst)
			lo = mid + 1;
		else
			hi = mid;
	}
	*at = lo;
	return lo < g->now.n && g->now.inst[lo] == inst;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Return 0, -EINVAL if two instances have the same name, or -ENOMEM. */
static int check_names(const struct shim_indom *indom)
{
	const char **names = malloc((indom->n + 1) * sizeof(*names));
	int err = 0;

	if (!names)
		return -ENOMEM;
	for (unsigned int i = 0; i < indom->n; i++)
		names[i] = indom->name[i];
	qsort(names, indom->n, sizeof(*names), by_text);
	for (unsigned int i = 1; i < indom->n && !err; i++)
		if (!strcmp(names[i - 1], names[i]))
			err = -EINVAL;
	free(names);
	return err;
}

static int check_indom(const struct shim_indom *indom)
{
	if (indom->indom >> 31 || (uint32_t)indom->stamp.nsec > 999999999)
		return -EINVAL;
	for (unsigned int i = 0; i < indom->n; i++) {
		if (indom->inst[i] < 0 || (i && indom->inst[i] <= indom->inst[i - 1]))
			return -EINVAL;
		if (!indom->name[i] || !*indom->name[i])
			return -EINVAL;
	}
	return check_names(indom);
}

/*
 * struct changes - the difference between two states
 * @entries: new instances, and deleted ones with a NULL name; in ascending order of IDs
 * @renamed: an instance in both states has different names
 */
struct changes {
	struct shim_indom entries;
	int32_t *inst;
	const char **name;
	bool renamed;
};

static void add_change(struct changes *c, int32_t inst, const char *name)
{
	c->inst[c->entries.n] = inst;
	c->name[c->entries.n++] = name;
}

static void indom_compare(const struct shim_indom *old, const struct shim_indom *new,
			  struct changes *c)
{
	unsigned int i = 0, j = 0;

	while (i < old->n || j < new->n) {
		if (j == new->n || (i < old->n && old->inst[i] < new->inst[j])) {
			add_change(c, old->inst[i++], NULL);
		} else if (i == old->n || new->inst[j] < old->inst[i]) {
			add_change(c, new->inst[j], new->name[j]);
			j++;
		} else {
			if (strcmp(old->name[i++], new->name[j++]))
				c->renamed = true;
		}
	}
}

static int find_changes(const struct shim_indom *old, const struct shim_indom *new,
			struct changes *c)
{
	size_t room = (size_t)old->n + new->n + 1;

	*c = (struct changes){ 0 };
	c->inst = malloc(room * sizeof(*c->inst));
	c->name = malloc(room * sizeof(*c->name));
	if (!c->inst || !c->name) {
		free(c->inst);
		free(c->name);
		return -ENOMEM;
	}
	indom_compare(old, new, c);
	c->entries.stamp = new->stamp;
	c->entries.indom = new->indom;
	c->entries.inst = c->inst;
	c->entries.name = c->name;
	return 0;
}

/* Replace the group's state with a copy of @indom in a single allocation. */
static int take_over(struct shim_declared_indom *g, const struct shim_indom *indom)
{
	size_t n = indom->n, bytes = n * (sizeof(uint64_t) + sizeof(char *) + sizeof(int32_t)) + 1;
	const char **name;
	uint64_t *used;
	int32_t *inst;
	char *s;

	for (size_t i = 0; i < n; i++)
		bytes += strlen(indom->name[i]) + 1;
	used = calloc(1, bytes);
	if (!used)
		return -ENOMEM;
	name = (const char **)(used + n);
	inst = (int32_t *)(name + n);
	s = (char *)(inst + n);
	for (size_t i = 0; i < n; i++) {
		inst[i] = indom->inst[i];
		name[i] = s;
		s = stpcpy(s, indom->name[i]) + 1;
	}
	free(g->memory);
	g->memory = used;
	g->used = used;
	g->now = (struct shim_indom){ indom->stamp, indom->indom, indom->n, inst, name, false };
	return 0;
}

/*
 * Maximum number of entries that a reader must expand for deltas, per byte of the previous full
 * record
 */
#define ENTRIES_PER_BYTE	4
/* The limit is at least this number, because small domains may change often. */
#define LEAST_ENTRIES		32768

static uint64_t bytes_of(const struct shim_indom *indom)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < indom->n; i++)
		bytes += sizeof(indom->inst[i]) + sizeof(uint32_t) + strlen(indom->name[i]) + 1;
	return bytes;
}

/* Return how many additional entries a reader must expand to get the state after a delta. */
static uint64_t entries_of(const struct shim_declared_indom *g, const struct changes *c)
{
	return (uint64_t)g->now.n + c->entries.n;
}

/*
 * Return whether a delta may follow.  Readers treat too many deltas of a large domain as an attack.
 */
static bool is_short(const struct shim_declared_indom *g, const struct shim_indom *indom,
		     const struct changes *c)
{
	uint64_t entries = g->entries + entries_of(g, c);

	return entries <= LEAST_ENTRIES || entries <= ENTRIES_PER_BYTE * bytes_of(indom);
}

/*
 * Write a delta if it has no more entries than the full record and not too many deltas have
 * followed the last full record.  If no instance is left, always write a delta, because readers
 * ignore a full record that has no instances.  A delta cannot rename an instance, and version 2
 * has no deltas.
 *
 * Return: the group's new value of @entries.
 */
static uint64_t encode(const struct shim_format *f, const struct shim_declared_indom *g,
		       const struct shim_indom *indom, const struct changes *c,
		       struct shim_buf *out)
{
	bool delta = f->version > 2 && g->recorded && !c->renamed &&
		     (!indom->n || (c->entries.n <= indom->n && is_short(g, indom, c)));

	if (delta)
		shim_rec_indom__encode(f, out, &c->entries, true);
	else if (indom->n)
		shim_rec_indom__encode(f, out, indom, false);
	return delta ? g->entries + entries_of(g, c) : 0;
}

static int change(struct shim_declared_indom *g, const struct shim_format *f,
		  const struct shim_indom *indom, struct shim_buf *out)
{
	size_t start = out->len;
	uint64_t entries = 0;
	struct changes c;
	bool changed;
	int err;

	err = find_changes(&g->now, indom, &c);
	if (err)
		return err;
	changed = c.entries.n || c.renamed;
	if (changed)
		entries = encode(f, g, indom, &c, out);
	free(c.inst);
	free(c.name);
	if (!changed)
		return 0;
	err = out->err ? out->err : take_over(g, indom);
	if (err) {
		out->len = start;
		out->err = 0;
	} else if (out->len > start) {
		g->recorded = true;
		g->entries = entries;
	}
	return err;
}

/**
 * shim_declared__indom() - declare an instance domain, starting at a time
 * @d: the declarations so far
 * @f: format of the archive
 * @indom: the whole domain
 * @out: the record of the changes, if any, is appended here
 *
 * Return: 0; -EINVAL if the IDs are not ascending, a name is empty or occurs twice, or the time is
 * earlier than the last one; or -ENOMEM.
 */
int shim_declared__indom(struct shim_declared *d, const struct shim_format *f,
			 const struct shim_indom *indom, struct shim_buf *out)
{
	struct shim_declared_indom *g;
	int err;

	err = check_indom(indom);
	if (err)
		return err;
	g = shim_declared__group(d, indom->indom);
	if (g && shim_ts__cmp(indom->stamp, g->now.stamp) < 0)
		return -EINVAL;
	if (!g)
		g = new_group(d, indom->indom);
	return g ? change(g, f, indom, out) : -ENOMEM;
}
