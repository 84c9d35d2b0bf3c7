// SPDX-License-Identifier: LGPL-2.1-or-later
/* Look up the label and the metadata of an open archive. */
#include "archive.h"
#include "indom.h"

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

bool shim_archive__named(const struct shim_archive *ar, const char *name, uint32_t *pmid)
{
	return shim_meta__named(&ar->meta, name, pmid);
}

/* The cast is safe: expanding a state changes only data that the metadata's own lock guards. */
static const struct shim_indom *state(const struct shim_archive *ar, struct shim_domain *d,
				      size_t i)
{
	return shim_meta__state((struct shim_meta *)&ar->meta, d, i);
}

/**
 * shim_archive__indom() - get an instance domain as of a time
 * @ar: the archive
 * @indom: the domain
 * @when: the time
 *
 * Return: the domain's state; NULL if the archive has no state at or before @when, or if memory
 * runs out.
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

/* Return whether the archive has a state of an instance domain at or before @when. */
bool shim_archive__has_indom(const struct shim_archive *ar, uint32_t indom, struct shim_ts when)
{
	const struct shim_domain *d = shim_meta__domain(&ar->meta, indom);
	size_t i;

	return d && shim_domain__at(d, when, &i);
}

/* Return the number of states of an instance domain. */
unsigned int shim_archive__nindoms(const struct shim_archive *ar, uint32_t indom)
{
	const struct shim_domain *d = shim_meta__domain(&ar->meta, indom);

	return d ? (unsigned int)d->n : 0;
}

/*
 * Get the @i-th state of an instance domain, newest first.  Return NULL if there is none or memory
 * runs out.
 */
const struct shim_indom *shim_archive__indom_at(const struct shim_archive *ar, uint32_t indom,
						unsigned int i)
{
	struct shim_domain *d = shim_meta__domain(&ar->meta, indom);

	return d && i < d->n ? state(ar, d, d->n - 1 - i) : NULL;
}

/**
 * shim_archive__instances() - get all instances of an instance domain
 * @ar: the archive
 * @indom: the domain
 *
 * Return: the instances of all its states; NULL if the domain has no state, or if memory runs out.
 */
const struct shim_instances *shim_archive__instances(const struct shim_archive *ar, uint32_t indom)
{
	struct shim_domain *d = shim_meta__domain(&ar->meta, indom);

	return d ? shim_meta__instances((struct shim_meta *)&ar->meta, d) : NULL;
}

/**
 * shim_archive__find_inst() - find an instance by its name
 * @ar: the archive
 * @state: a state of one of its domains
 * @name: the name, or a name that begins with the instance name's part before the first blank
 *
 * Return: the instance's index in the state, or -1 if there is none.
 */
int shim_archive__find_inst(const struct shim_archive *ar, const struct shim_indom *state,
			    const char *name)
{
	/* This is safe, because the table of names is also made under the metadata's own lock. */
	return shim_meta__find_inst((struct shim_meta *)&ar->meta, state, name);
}

const char *shim_archive__text(const struct shim_archive *ar, uint32_t type, uint32_t ident)
{
	return shim_texts_labels__text(&ar->meta.texts_labels, type, ident);
}

bool shim_archive__has_text(const struct shim_archive *ar, uint32_t type)
{
	return type < 32 && ar->meta.texts_labels.text_types >> type & 1;
}

/**
 * shim_archive__labels() - get labels as of a time
 * @ar: the archive
 * @level: the kind of object
 * @ident: the object
 * @when: the time
 * @out: an iterator over the sets of labels
 *
 * Return: false if the archive has no labels at or before @when.
 */
bool shim_archive__labels(const struct shim_archive *ar, uint32_t level, uint32_t ident,
			  struct shim_ts when, struct shim_labels_iter *out)
{
	return shim_texts_labels__labels(&ar->meta.texts_labels, level, ident, when, out);
}

bool shim_archive__has_labels(const struct shim_archive *ar, uint32_t level, uint32_t ident)
{
	return shim_texts_labels__any_labels(&ar->meta.texts_labels, level, ident);
}
