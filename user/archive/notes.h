/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the metadata says in words: texts, and labels over time.
 *
 * Filled while the metadata is loaded, not changed afterwards.  Texts and
 * labels stay where the records hold them.
 */
#ifndef SHIM_ARCHIVE_NOTES_H
#define SHIM_ARCHIVE_NOTES_H

#include "base/arena.h"
#include "base/hash.h"
#include "record.h"

/*
 * struct shim_notes - texts and labels, each by what it is about
 * @text_types: a bit for each type of text there is
 * @annotated: all that has labels, for sorting and freeing
 */
struct shim_notes {
	struct shim_hash texts;
	uint32_t text_types;
	struct shim_hash labels;
	struct shim_annotated *annotated;
};

void shim_notes__init(struct shim_notes *notes);
void shim_notes__free(struct shim_notes *notes);

/* 0 or -ENOMEM */
int shim_notes__add_text(struct shim_notes *notes, struct shim_arena *arena,
			 const struct shim_rec_text *rec);
int shim_notes__add_labels(struct shim_notes *notes, struct shim_arena *arena,
			   const struct shim_rec_labels *rec);
/* Once all are there */
int shim_notes__sort(struct shim_notes *notes, struct shim_arena *arena);

const char *shim_notes__text(const struct shim_notes *notes, uint32_t type, uint32_t ident);
bool shim_notes__labels(const struct shim_notes *notes, uint32_t level, uint32_t ident,
			struct shim_ts when, struct shim_labels_iter *out);
bool shim_notes__any_labels(const struct shim_notes *notes, uint32_t level, uint32_t ident);

#endif /* SHIM_ARCHIVE_NOTES_H */
