// SPDX-License-Identifier: LGPL-2.1-or-later
/* Opening an archive, and what it says about itself. */
#include <stdlib.h>
#include <sys/stat.h>

#include "archive.h"
#include "files.h"
#include "indom.h"

static void destroy(struct shim_archive *ar)
{
	for (unsigned int i = 0; i < ar->nvolumes; i++)
		shim_volume__free(&ar->volumes[i]);
	free(ar->volumes);
	shim_index__free(&ar->index);
	shim_meta__free(&ar->meta);
	pthread_mutex_destroy(&ar->lock);
	free(ar->base);
	free(ar);
}

static struct shim_archive *create(const struct shim_files *files)
{
	struct shim_archive *ar = calloc(1, sizeof(*ar));

	if (!ar)
		return NULL;
	atomic_init(&ar->refs, 1);
	shim_meta__init(&ar->meta);
	pthread_mutex_init(&ar->lock, NULL);
	ar->base = strdup(files->base);
	ar->volumes = calloc(files->nvolumes, sizeof(*ar->volumes));
	if (!ar->base || !ar->volumes) {
		destroy(ar);
		return NULL;
	}
	ar->copy = SHIM_VOLUME_COPY;
	ar->nvolumes = (unsigned int)files->nvolumes;
	for (unsigned int i = 0; i < ar->nvolumes; i++) {
		ar->volumes[i].number = files->volumes[i];
		ar->volumes[i].fd = -1;
		atomic_init(&ar->volumes[i].ready, false);
		atomic_init(&ar->volumes[i].extent, NULL);
	}
	return ar;
}

/* The first volume's label is the archive's */
static int load_first_volume(struct shim_archive *ar)
{
	struct shim_volume *v = &ar->volumes[0];
	struct shim_view view;
	int err;

	err = shim_volume__load(v, ar->base, ar->nvolumes == 1, &ar->copy);
	if (err)
		return err;
	shim_volume__view(v, &view);
	err = shim_rec_label__decode(view.data, view.size, v->number, &ar->label);
	if (err)
		return err;
	ar->format = shim_format__of(ar->label.version);
	atomic_store_explicit(&v->ready, true, memory_order_release);
	return view.size == ar->format->label_len ? -ENODATA : 0;
}

static int load(struct shim_archive *ar, const struct shim_files *files)
{
	int err;

	err = load_first_volume(ar);
	if (!err && files->index)
		err = shim_index__load(&ar->index, files, &ar->label);
	if (!err)
		err = shim_meta__load(&ar->meta, ar->base, &ar->label, ar->index.meta);
	return err;
}

/* Several archives, by list or by directory, where no single one was found */
static bool is_plural(const char *name)
{
	struct stat st;

	return strchr(name, ',') || (!stat(name, &st) && S_ISDIR(st.st_mode));
}

/**
 * shim_archive__open() - open an archive
 * @name: base name, or the name of one of its files
 * @out: the archive, to be given back by shim_archive__put()
 *
 * Return: 0 or one of the errors in types.h.
 */
int shim_archive__open(const char *name, struct shim_archive **out)
{
	struct shim_archive *ar;
	struct shim_files files;
	int err;

	err = shim_files__find(name, &files);
	if (err == -ENOENT && is_plural(name))
		return -EOPNOTSUPP;
	if (err)
		return err;
	if (!files.meta || !files.nvolumes)
		err = -ENXIO;
	if (err)
		goto out_files;
	ar = create(&files);
	err = ar ? load(ar, &files) : -ENOMEM;
	if (!err)
		*out = ar;
	else if (ar)
		destroy(ar);
out_files:
	shim_files__free(&files);
	return err;
}

struct shim_archive *shim_archive__get(struct shim_archive *ar)
{
	atomic_fetch_add_explicit(&ar->refs, 1, memory_order_relaxed);
	return ar;
}

/**
 * shim_archive__put() - give an archive back
 * @ar: an archive, or NULL
 *
 * All that came from it is gone with the last reference: labels, metrics, records, values.
 */
void shim_archive__put(struct shim_archive *ar)
{
	if (ar && atomic_fetch_sub_explicit(&ar->refs, 1, memory_order_acq_rel) == 1)
		destroy(ar);
}

const struct shim_label *shim_archive__label(const struct shim_archive *ar)
{
	return &ar->label;
}

unsigned int shim_archive__ndescs(const struct shim_archive *ar)
{
	return (unsigned int)ar->meta.ndescs;
}

const struct shim_desc *shim_archive__desc_at(const struct shim_archive *ar, unsigned int i)
{
	return i < ar->meta.ndescs ? ar->meta.descs[i] : NULL;
}

const struct shim_desc *shim_archive__desc(const struct shim_archive *ar, uint32_t pmid)
{
	return shim_meta__desc(&ar->meta, pmid);
}

/* Spelling a state out changes only what is behind the lock of the metadata */
static const struct shim_indom *state(const struct shim_archive *ar, struct shim_domain *d,
				      size_t i)
{
	return shim_meta__state((struct shim_meta *)&ar->meta, d, i);
}

/**
 * shim_archive__indom() - an instance domain as of a time
 * @ar: the archive
 * @indom: the domain
 * @when: the time
 *
 * Return: its state, NULL if the archive has none so early, or memory ran out.
 */
const struct shim_indom *shim_archive__indom(const struct shim_archive *ar, uint32_t indom,
					     struct shim_ts when)
{
	struct shim_domain *d = shim_meta__domain(&ar->meta, indom);
	size_t i;

	if (!d || !shim_domain__at(d, when, &i))
		return NULL;
	return state(ar, d, i);
}

/* Number of states that an instance domain ever had */
unsigned int shim_archive__nindoms(const struct shim_archive *ar, uint32_t indom)
{
	const struct shim_domain *d = shim_meta__domain(&ar->meta, indom);

	return d ? (unsigned int)d->n : 0;
}

/* Its @i-th state, newest first; NULL if there is none, or memory ran out */
const struct shim_indom *shim_archive__indom_at(const struct shim_archive *ar, uint32_t indom,
						unsigned int i)
{
	struct shim_domain *d = shim_meta__domain(&ar->meta, indom);

	return d && i < d->n ? state(ar, d, d->n - 1 - i) : NULL;
}

const char *shim_archive__text(const struct shim_archive *ar, uint32_t type, uint32_t ident)
{
	return shim_notes__text(&ar->meta.notes, type, ident);
}

bool shim_archive__has_text(const struct shim_archive *ar, uint32_t type)
{
	return type < 32 && ar->meta.notes.text_types >> type & 1;
}

/**
 * shim_archive__labels() - labels as of a time
 * @ar: the archive
 * @level: what they are about
 * @ident: which one
 * @when: the time
 * @out: their sets
 *
 * Return: false if the archive has none so early.
 */
bool shim_archive__labels(const struct shim_archive *ar, uint32_t level, uint32_t ident,
			  struct shim_ts when, struct shim_labels_iter *out)
{
	return shim_notes__labels(&ar->meta.notes, level, ident, when, out);
}

bool shim_archive__has_labels(const struct shim_archive *ar, uint32_t level, uint32_t ident)
{
	return shim_notes__any_labels(&ar->meta.notes, level, ident);
}
