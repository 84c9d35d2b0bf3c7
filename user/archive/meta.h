/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An archive's metadata: metrics, their names, instance domains, texts and labels.
 *
 * Locking: after loading, the only change is the expansion of instance domain states under @lock,
 * which guards @arena and @budget.
 */
#ifndef SHIM_ARCHIVE_META_H
#define SHIM_ARCHIVE_META_H

#include <sys/stat.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/process.h"
#include "record.h"

/*
 * An archive's help texts, and its labels, which may change over time.
 *
 * They are filled in while the metadata is loaded and do not change afterwards.  Texts and labels
 * are used in place in the loaded file.  Only labels of several records with the same stamp are
 * copied into one set.
 */

/*
 * struct shim_texts_labels - texts and labels, by the object that they describe
 * @text_types: a bit for each type of text that exists
 * @annotated: all objects that have labels, for sorting and freeing
 */
struct shim_texts_labels {
	struct shim_hash texts;
	uint32_t text_types;
	struct shim_hash labels;
	struct shim_annotated *annotated;
};

void shim_texts_labels__init(struct shim_texts_labels *all);
void shim_texts_labels__free(struct shim_texts_labels *all);

/* Return 0 or -ENOMEM. */
int shim_texts_labels__add_text(struct shim_texts_labels *all, struct shim_arena *arena,
				const struct shim_rec_text *rec);
int shim_texts_labels__add_labels(struct shim_texts_labels *all, struct shim_arena *arena,
				  const struct shim_rec_labels *rec);
/* Sort the labels by time.  Call this once, after all labels have been added. */
int shim_texts_labels__sort(struct shim_texts_labels *all, struct shim_arena *arena);

const char *shim_texts_labels__text(const struct shim_texts_labels *all, uint32_t type,
				    uint32_t ident);
bool shim_texts_labels__labels(const struct shim_texts_labels *all, uint32_t level, uint32_t ident,
			       struct shim_ts when, struct shim_labels_iter *out);
bool shim_texts_labels__any_labels(const struct shim_texts_labels *all, uint32_t level,
				   uint32_t ident);

/*
 * struct shim_meta - the content of the metadata files
 * @files: contents of the @nfiles files; instance names point into them.  @unpacked: if set, it
 *	owns the content
 * @budget: number of entries of instance domains that may still be expanded
 * @memory: number of bytes that metadata may still use
 * @texts_labels: texts and labels
 * @descs: metrics in file order
 */
struct shim_meta {
	struct shim_meta_file {
		uint8_t *data;
		size_t size;
		struct shim_unpacked *unpacked;
	} *files;
	size_t nfiles;
	size_t files_cap;
	struct shim_arena arena;
	uint64_t budget;
	uint64_t memory;
	struct shim_fork_lock lock;
	struct shim_hash metrics;
	struct shim_hash names;
	struct shim_hash domains;
	struct shim_texts_labels texts_labels;
	struct shim_domain **domain_list;
	size_t ndomains;
	size_t domains_cap;
	const struct shim_desc **descs;
	size_t ndescs;
	size_t descs_cap;
};

void shim_meta__init(struct shim_meta *meta);
/*
 * Load a metadata file, whose label must match @label.  @known is its size according to the index,
 * or 0.
 */
int shim_meta__load(struct shim_meta *meta, const char *base, const struct shim_label *label,
		    uint64_t known, struct stat *st);
/* Sort states and labels by time.  Call this once, after all files have been loaded. */
int shim_meta__sort(struct shim_meta *meta);
void shim_meta__free(struct shim_meta *meta);

const struct shim_desc *shim_meta__desc(const struct shim_meta *meta, uint32_t pmid);
/* Store the metric that has the name @s in *@pmid.  Return whether a metric has this name. */
bool shim_meta__named(const struct shim_meta *meta, const char *s, uint32_t *pmid);
struct shim_domain *shim_meta__domain(const struct shim_meta *meta, uint32_t indom);
/* Return all instances of a domain, in any state, or NULL if memory runs out. */
const struct shim_instances *shim_meta__instances(struct shim_meta *meta, struct shim_domain *d);
/* Return the @i-th state of a domain, oldest first, or NULL if memory runs out. */
const struct shim_indom *shim_meta__state(struct shim_meta *meta, struct shim_domain *d, size_t i);
/* Return the index of an instance in one of these states, see shim_inst_names__find(). */
int shim_meta__find_inst(struct shim_meta *meta, const struct shim_indom *state, const char *name);

#endif /* SHIM_ARCHIVE_META_H */
