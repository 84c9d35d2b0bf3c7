/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of an archive's check, for the parts of it. */
#ifndef SHIM_ARCHIVE_CHECK_STATE_H
#define SHIM_ARCHIVE_CHECK_STATE_H

#include "check.h"
#include "declare.h"
#include "files.h"
#include "nameless.h"
#include "reader.h"

/* One of the archive's files; @data is NULL if there is none */
struct shim_check_file {
	int volume;
	char *path;
	uint8_t *data;
	uint64_t size;
};

/*
 * struct shim_check_state - what is known so far
 * @first: the label that the others must agree with
 * @ar: the archive as a reader sees it, or NULL
 * @declared: the metrics found so far, to detect contradictions
 * @nameless: the instances found so far, and the values of others
 * @meta, @index, @volumes: the archive's files
 */
struct shim_check_state {
	const struct shim_check *check;
	const struct shim_format *f;
	struct shim_label first;
	struct shim_archive *ar;
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
const struct shim_check_file *shim_check__volume(const struct shim_check_state *s, int32_t volume);
void shim_check__index(struct shim_check_state *s);

#endif /* SHIM_ARCHIVE_CHECK_STATE_H */
