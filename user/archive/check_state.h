/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of an archive's check, for the parts of it. */
#ifndef SHIM_ARCHIVE_CHECK_STATE_H
#define SHIM_ARCHIVE_CHECK_STATE_H

#include "check.h"
#include "declare.h"
#include "files.h"
#include "nameless.h"
#include "reader.h"

/*
 * struct shim_check_file - one of the archive's files
 * @data: NULL if there is none, or it is not to be checked
 * @from, @to: which bytes are checked
 * @released: up to where pages were given back
 */
struct shim_check_file {
	int volume;
	char *path;
	uint8_t *data;
	uint64_t size;
	uint64_t from, to;
	uint64_t released;
};

/* A place in a volume, which is given by the number in its name */
struct shim_check_place {
	int volume;
	uint64_t offset;
};

/*
 * struct shim_check_state - what is known so far
 * @first: the label that the others must agree with
 * @ar: the archive as a reader sees it, or NULL
 * @partial: only the records from @from to @to are checked
 * @declared: the metrics found so far, to detect contradictions
 * @nameless: the instances found so far, and the values of others
 * @meta, @index, @volumes: the archive's files
 */
struct shim_check_state {
	const struct shim_check *check;
	const struct shim_format *f;
	struct shim_label first;
	struct shim_archive *ar;
	bool partial;
	struct shim_check_place from, to;
	struct shim_declared declared;
	struct shim_nameless nameless;
	struct shim_buf scratch;
	struct shim_files names;
	struct shim_check_file meta, index, *volumes;
	unsigned int problems;
	uint64_t done, total, reported;
	struct shim_ts last;
	bool has_last;
};

void __attribute__((format(printf, 4, 5)))
shim_check__say(struct shim_check_state *s, const struct shim_check_file *file, uint64_t offset,
		const char *fmt, ...);
void __attribute__((format(printf, 5, 6)))
shim_check__note(struct shim_check_state *s, enum shim_check_note kind,
		 const struct shim_check_file *file, uint64_t offset, const char *fmt, ...);

/* Make a file's label that of the archive; 0, or what is wrong with it */
int shim_check__first_label(struct shim_check_state *s, const struct shim_check_file *file);
/* Check a file's label; false if the records after it cannot be checked */
bool shim_check__label(struct shim_check_state *s, const struct shim_check_file *file);
/* The file of a volume, or NULL */
struct shim_check_file *shim_check__volume(const struct shim_check_state *s, int32_t volume);
/* Now and then give back the pages before @offset, so that a large file does not fill memory */
void shim_check__release(struct shim_check_file *file, uint64_t offset);
void shim_check__index(struct shim_check_state *s);

/* Find the part to be checked; if that fails, all is checked: 0 or -ENOMEM */
int shim_check_part__find(struct shim_check_state *s, const struct shim_check_span *span);
/* Whether the @i-th volume has something to be checked */
bool shim_check_part__has(const struct shim_check_state *s, size_t i);
/* Set which bytes of a volume are checked */
void shim_check_part__limit(const struct shim_check_state *s, struct shim_check_file *file);
/* Check that a volume ends with a record, if that is not seen otherwise */
void shim_check_part__end(struct shim_check_state *s, const struct shim_check_file *file);

#endif /* SHIM_ARCHIVE_CHECK_STATE_H */
