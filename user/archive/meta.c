// SPDX-License-Identifier: LGPL-2.1-or-later
/* Load the metadata files into tables. */
#include "base/vec.h"
#include "files.h"
#include "indom.h"
#include "meta.h"
#include "unpack.h"
#include "unpacked.h"

/*
 * Limit on the entries of instance domain states when deltas are expanded.  Without it, a forged
 * file with many small deltas could consume any amount of memory.  Genuine files stay well below
 * this many entries per byte.
 */
#define BUDGET_BASE	(1u << 20)
#define BUDGET_PER_BYTE	8
#define BUDGET_ENTRY	(sizeof(int32_t) + sizeof(char *))	/* memory per entry */
#define SMALL_RECORD	64	/* bytes needed to keep a text or labels, in addition to the file */

/* A metric; later records of the same pmid may add names */
struct metric {
	struct shim_hnode node;
	struct shim_desc desc;
	const char **names;
	size_t names_cap;
};

struct name {
	struct shim_hnode node;
	const char *name;
	uint32_t pmid;
};

void shim_meta__init(struct shim_meta *meta)
{
	*meta = (struct shim_meta){ .memory = shim_archive_memory__limit() };
	shim_fork_lock__init(&meta->lock);
	shim_hash__init(&meta->metrics);
	shim_hash__init(&meta->names);
	shim_hash__init(&meta->domains);
	shim_texts_labels__init(&meta->texts_labels);
}

void shim_meta__free(struct shim_meta *meta)
{
	for (size_t i = 0; i < meta->ndomains; i++) {
		free(meta->domain_list[i]->states);
		shim_instances__free(meta->domain_list[i]->ever);
	}
	free(meta->domain_list);
	free(meta->descs);
	shim_hash__free(&meta->metrics);
	shim_hash__free(&meta->names);
	shim_hash__free(&meta->domains);
	shim_texts_labels__free(&meta->texts_labels);
	shim_arena__free(&meta->arena);
	shim_fork_lock__fini(&meta->lock);
	for (size_t i = 0; i < meta->nfiles; i++) {
		if (!meta->files[i].unpacked)
			free(meta->files[i].data);
		shim_unpacked__put(meta->files[i].unpacked);
	}
	free(meta->files);
}

static struct metric *find_metric(const struct shim_meta *meta, uint32_t pmid)
{
	struct shim_hnode *node = shim_hash__first(&meta->metrics,
						   shim_hash__u32(&meta->metrics, pmid));

	for (; node; node = shim_hash__next(node)) {
		struct metric *m = shim_hnode__entry(node, struct metric, node);

		if (m->desc.pmid == pmid)
			return m;
	}
	return NULL;
}

const struct shim_desc *shim_meta__desc(const struct shim_meta *meta, uint32_t pmid)
{
	struct metric *m = find_metric(meta, pmid);

	return m ? &m->desc : NULL;
}

/* Return 0, or the error for the field in which a metric's second description differs. */
static int desc_compare(const struct shim_desc *desc, const struct shim_rec_desc *rec)
{
	if (desc->type != rec->type)
		return -SHIM_ECHANGE_TYPE;
	if (desc->sem != rec->sem)
		return -SHIM_ECHANGE_SEM;
	if (desc->indom != rec->indom)
		return -SHIM_ECHANGE_INDOM;
	if (desc->units != rec->units)
		return -SHIM_ECHANGE_UNITS;
	return 0;
}

static int new_metric(struct shim_meta *meta, const struct shim_rec_desc *rec, struct metric **out)
{
	struct metric *m = shim_arena__alloc(&meta->arena, sizeof(*m));

	if (!m || shim_vec__room(meta->descs, &meta->descs_cap, meta->ndescs))
		return -ENOMEM;
	m->desc.pmid = rec->pmid;
	m->desc.type = rec->type;
	m->desc.indom = rec->indom;
	m->desc.sem = rec->sem;
	m->desc.units = rec->units;
	if (shim_hash__add(&meta->metrics, &m->node, shim_hash__u32(&meta->metrics, rec->pmid)))
		return -ENOMEM;
	meta->descs[meta->ndescs++] = &m->desc;
	*out = m;
	return 0;
}

static struct name *name_find(const struct shim_meta *meta, const void *s, size_t len, uint64_t hash)
{
	struct shim_hnode *node = shim_hash__first(&meta->names, hash);

	for (; node; node = shim_hash__next(node)) {
		struct name *name = shim_hnode__entry(node, struct name, node);

		if (!strncmp(name->name, s, len) && !name->name[len])
			return name;
	}
	return NULL;
}

bool shim_meta__named(const struct shim_meta *meta, const char *s, uint32_t *pmid)
{
	size_t len = strlen(s);
	const struct name *name = name_find(meta, s, len, shim_hash__bytes(&meta->names, s, len));

	if (name)
		*pmid = name->pmid;
	return name;
}

/*
 * Enter a name.  Return 1 if it is new; return 0 if a metric already has the name and therefore
 * keeps it.
 */
static int enter_name(struct shim_meta *meta, uint32_t pmid, const uint8_t *s, uint32_t len,
		      const char **out)
{
	uint64_t hash = shim_hash__bytes(&meta->names, s, len);
	struct name *name = name_find(meta, s, len, hash);

	if (name)
		return 0;
	name = shim_arena__alloc(&meta->arena, sizeof(*name));
	if (!name)
		return -ENOMEM;
	name->pmid = pmid;
	name->name = shim_arena__string(&meta->arena, s, len);
	if (!name->name || shim_hash__add(&meta->names, &name->node, hash))
		return -ENOMEM;
	*out = name->name;
	return 1;
}

/* Grow by doubling, because a metric may have any number of names, each in its own record. */
static int names_room(struct shim_meta *meta, struct metric *m, size_t n)
{
	size_t cap = m->names_cap ? m->names_cap : 1;
	const char **names;

	if (n <= m->names_cap)
		return 0;
	while (cap < n)
		cap *= 2;
	names = shim_arena__array(&meta->arena, cap, sizeof(*names));
	if (!names)
		return -ENOMEM;
	if (m->desc.nnames)
		memcpy(names, m->names, m->desc.nnames * sizeof(*names));
	m->names = names;
	m->names_cap = cap;
	m->desc.names = names;
	return 0;
}

static int add_names(struct shim_meta *meta, struct metric *m, struct shim_rec_desc *rec)
{
	for (uint32_t i = 0; i < rec->nnames; i++) {
		const char *name;
		uint32_t len;
		const uint8_t *s = shim_rec_desc__name(&rec->names, &len);
		int is_new = enter_name(meta, m->desc.pmid, s, len, &name);

		if (is_new < 0 || (is_new && names_room(meta, m, m->desc.nnames + 1)))
			return -ENOMEM;
		if (is_new)
			m->names[m->desc.nnames++] = name;
	}
	return 0;
}

/* Charge the memory for a record.  Return 0, or -EFBIG if the limit is exceeded. */
static int charge(struct shim_meta *meta, uint64_t bytes)
{
	if (bytes > meta->memory)
		return -EFBIG;
	meta->memory -= bytes;
	return 0;
}

static int load_desc(struct shim_meta *meta, const uint8_t *p, uint32_t len)
{
	struct shim_rec_desc rec;
	struct metric *m;
	int err;

	err = charge(meta, sizeof(*m) + sizeof(struct name) + 2 * (uint64_t)len);
	if (!err)
		err = shim_rec_desc__decode(p, len, &rec);
	if (err)
		return err;
	m = find_metric(meta, rec.pmid);
	err = m ? desc_compare(&m->desc, &rec) : new_metric(meta, &rec, &m);
	return err ? err : add_names(meta, m, &rec);
}

struct shim_domain *shim_meta__domain(const struct shim_meta *meta, uint32_t indom)
{
	struct shim_hnode *node = shim_hash__first(&meta->domains,
						   shim_hash__u32(&meta->domains, indom));

	for (; node; node = shim_hash__next(node)) {
		struct shim_domain *d = shim_hnode__entry(node, struct shim_domain, node);

		if (d->indom == indom)
			return d;
	}
	return NULL;
}

static struct shim_domain *new_domain(struct shim_meta *meta, uint32_t indom)
{
	struct shim_domain *d = shim_arena__alloc(&meta->arena, sizeof(*d));

	if (!d || shim_vec__room(meta->domain_list, &meta->domains_cap, meta->ndomains))
		return NULL;
	d->indom = indom;
	if (shim_hash__add(&meta->domains, &d->node, shim_hash__u32(&meta->domains, indom)))
		return NULL;
	meta->domain_list[meta->ndomains++] = d;
	return d;
}

static int load_indom(struct shim_meta *meta, const uint8_t *p, uint32_t len)
{
	struct shim_rec_indom rec;
	struct shim_domain *d;
	int err;

	err = shim_rec_indom__decode(p, len, &rec);
	/* An empty record is ignored: the previous state remains valid. */
	if (err || !rec.n)
		return err;
	d = shim_meta__domain(meta, rec.indom);
	if (!d)
		d = new_domain(meta, rec.indom);
	if (!d)
		return -ENOMEM;
	/* Ignore a repetition of the same state. */
	if (d->last && d->last_len == len && !memcmp(d->last, p, len))
		return 0;
	d->last = p;
	d->last_len = len;
	/* The array of states may be allocated with up to twice the required size. */
	err = charge(meta, 2 * sizeof(struct shim_state));
	return err ? err : shim_domain__add(d, &rec);
}

static int load_text(struct shim_meta *meta, const uint8_t *p, uint32_t len)
{
	struct shim_rec_text rec;
	int err = charge(meta, SMALL_RECORD);

	if (!err)
		err = shim_rec_text__decode(p, len, &rec);
	return err ? err : shim_texts_labels__add_text(&meta->texts_labels, &meta->arena, &rec);
}

static int load_labels(struct shim_meta *meta, const uint8_t *p, uint32_t len)
{
	struct shim_rec_labels rec;
	int err = charge(meta, 2 * SMALL_RECORD);

	if (!err)
		err = shim_rec_labels__decode(p, len, &rec);
	return err ? err : shim_texts_labels__add_labels(&meta->texts_labels, &meta->arena, &rec);
}

static int (*const loaders[])(struct shim_meta *meta, const uint8_t *p, uint32_t len) = {
	[SHIM_META_DESC] = load_desc,
	[SHIM_META_INDOM_V2] = load_indom,
	[SHIM_META_LABEL_V2] = load_labels,
	[SHIM_META_TEXT] = load_text,
	[SHIM_META_INDOM] = load_indom,
	[SHIM_META_INDOM_DELTA] = load_indom,
	[SHIM_META_LABEL] = load_labels,
};

static int load_record(struct shim_meta *meta, const uint8_t *p, uint32_t len)
{
	uint32_t type = shim_be32__get(p + 4);

	if (type >= sizeof(loaders) / sizeof(loaders[0]) || !loaders[type])
		return -EPROTO;
	return loaders[type](meta, p, len);
}

/*
 * If the file ends within a record, the writer was killed while writing that record, so no data can
 * refer to it.  Ignore it, unless the index shows that the file used to be longer.
 */
static int load_records(struct shim_meta *meta, const struct shim_meta_file *file, size_t at,
			uint64_t known)
{
	while (file->size - at >= SHIM_FRAME_LEN) {
		uint32_t len;
		int err = shim_frame__len(file->data + at, file->size - at, SHIM_META_MIN, &len);

		if (err == -ENODATA)
			return known > at ? -EBADMSG : 0;
		if (!err)
			err = load_record(meta, file->data + at, len);
		if (err)
			return err;
		at += len;
	}
	return 0;
}

/* Get the content of a metadata file: a copy, or the mapping of an unpacked file. */
static int read_file(const char *base, struct shim_meta_file *file, struct stat *st)
{
	struct shim_file in;
	int err = shim_files__open(base, SHIM_VOLUME_META, &in);

	if (err)
		return err;
	*st = in.st;
	file->unpacked = shim_unpacked__share(in.unpacked);
	if (in.unpacked) {
		file->data = in.unpacked->data;
		file->size = in.unpacked->size;
		err = shim_unpacked__need(in.unpacked, 0, file->size);
	} else {
		err = shim_file__load(&in, &file->data, &file->size);
	}
	shim_file__close(&in);
	return err;
}

static int add_file(struct shim_meta *meta, const char *base, struct shim_meta_file *file,
		    struct stat *st)
{
	int err;

	if (shim_vec__room(meta->files, &meta->files_cap, meta->nfiles))
		return -ENOMEM;
	err = read_file(base, file, st);
	if (err)
		return err;
	meta->files[meta->nfiles++] = *file;
	return charge(meta, file->size);
}

int shim_meta__load(struct shim_meta *meta, const char *base, const struct shim_label *label,
		    uint64_t known, struct stat *st)
{
	const struct shim_format *f = shim_format__of(label->version);
	size_t ndescs = meta->ndescs;
	struct shim_meta_file file;
	int err;

	err = add_file(meta, base, &file, st);
	if (err)
		return err;
	meta->budget += BUDGET_BASE + BUDGET_PER_BYTE * (uint64_t)file.size;
	err = shim_rec_label__agree(label, file.data, file.size, SHIM_VOLUME_META);
	if (!err && file.size == f->label_len)
		err = -ENODATA;
	if (!err)
		err = load_records(meta, &file, f->label_len, known);
	/* The first archive must describe a metric; the others need not. */
	if (!err && !ndescs && !meta->ndescs)
		err = -EBADMSG;
	return err;
}

int shim_meta__sort(struct shim_meta *meta)
{
	if (meta->budget > meta->memory / BUDGET_ENTRY)
		meta->budget = meta->memory / BUDGET_ENTRY;
	for (size_t i = 0; i < meta->ndomains; i++)
		shim_domain__sort(meta->domain_list[i]);
	return shim_texts_labels__sort(&meta->texts_labels, &meta->arena);
}

const struct shim_indom *shim_meta__state(struct shim_meta *meta, struct shim_domain *d, size_t i)
{
	struct shim_indom *whole = atomic_load_explicit(&d->states[i].whole, memory_order_acquire);

	if (whole)
		return whole;
	shim_fork_lock__enter(&meta->lock);
	shim_domain__spell(d, i, &meta->arena, &meta->budget);
	whole = atomic_load_explicit(&d->states[i].whole, memory_order_relaxed);
	shim_fork_lock__leave(&meta->lock);
	return whole;
}

const struct shim_instances *shim_meta__instances(struct shim_meta *meta, struct shim_domain *d)
{
	const struct shim_instances *set = atomic_load_explicit(&d->ever, memory_order_acquire);

	if (set)
		return set;
	shim_fork_lock__enter(&meta->lock);
	set = shim_domain__instances(d);
	shim_fork_lock__leave(&meta->lock);
	return set;
}

int shim_meta__find_inst(struct shim_meta *meta, const struct shim_indom *state, const char *name)
{
	uint64_t bytes;

	if (shim_inst_names__wants_table(state)) {
		shim_fork_lock__enter(&meta->lock);
		bytes = meta->budget * BUDGET_ENTRY;
		shim_inst_names__make_table(state, &meta->arena, meta->names.seed, &bytes);
		meta->budget = bytes / BUDGET_ENTRY;
		shim_fork_lock__leave(&meta->lock);
	}
	return shim_inst_names__find(state, name);
}
