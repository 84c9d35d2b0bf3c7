/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An archive's help texts, and its labels, which may change over time.
 *
 * Filled while the metadata is loaded, and not changed afterwards.  Texts and labels are used in
 * place in the loaded file.  Only labels of several records with the same stamp are copied into one
 * set.
 */
#ifndef SHIM_ARCHIVE_TEXTS_LABELS_H
#define SHIM_ARCHIVE_TEXTS_LABELS_H

#include "base/buf.h"
#include "base/hash.h"
#include "record.h"

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

/* 0 or -ENOMEM */
int shim_texts_labels__add_text(struct shim_texts_labels *all, struct shim_arena *arena,
				const struct shim_rec_text *rec);
int shim_texts_labels__add_labels(struct shim_texts_labels *all, struct shim_arena *arena,
				  const struct shim_rec_labels *rec);
/* Sort the labels by time; called once, after all were added. */
int shim_texts_labels__sort(struct shim_texts_labels *all, struct shim_arena *arena);

const char *shim_texts_labels__text(const struct shim_texts_labels *all, uint32_t type,
				    uint32_t ident);
bool shim_texts_labels__labels(const struct shim_texts_labels *all, uint32_t level, uint32_t ident,
			       struct shim_ts when, struct shim_labels_iter *out);
bool shim_texts_labels__any_labels(const struct shim_texts_labels *all, uint32_t level,
				   uint32_t ident);

#endif /* SHIM_ARCHIVE_TEXTS_LABELS_H */
