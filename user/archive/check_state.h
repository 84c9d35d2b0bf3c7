/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of an archive's check, shared by its parts. */
#ifndef SHIM_ARCHIVE_CHECK_STATE_H
#define SHIM_ARCHIVE_CHECK_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "check.h"
#include "declare.h"
#include "files.h"
#include "pmidmap.h"
#include "reader.h"
#include "record.h"

/* Find values of instances for which no record contains a name, and count them per metric. */

/*
 * struct shim_nameless_metric - a metric with values of instances that have no name
 * @volume, @offset: the record of the first of these values
 * @values: number of these values
 */
struct shim_nameless_metric {
	uint32_t pmid;
	int volume;
	uint64_t offset;
	uint64_t values;
};

/*
 * struct shim_nameless - zero-initialized
 * @domains: position of each instance domain in @named
 * @named: the named instances of each domain, at any time
 * @metrics: position of each metric in @all
 * @all: the metrics found, in the order of their first value without an instance name
 * @found: number of values without an instance name
 */
struct shim_nameless {
	struct shim_pmidmap domains;
	struct shim_pmidmap *named;
	size_t ndomains, named_room;
	struct shim_pmidmap metrics;
	struct shim_nameless_metric *all;
	size_t n, room;
	uint64_t found;
};

/* Record the instances that a record names.  Return 0 or -ENOMEM. */
int shim_nameless__name(struct shim_nameless *nameless, const struct shim_rec_indom *rec);
/* Count a value of the metric @at, unless its instance has a name.  Return 0 or -ENOMEM. */
int shim_nameless__value(struct shim_nameless *nameless, uint32_t indom, int32_t inst,
			 const struct shim_nameless_metric *at);
void shim_nameless__fini(struct shim_nameless *nameless);

/*
 * Recognize records with the same layout as a record in which no problem was found.  They need no
 * check.
 */

#define SHIM_CHECK_KINDS	8

/*
 * struct shim_check_kinds - zero-initialized
 * @layout: the layout of a record without problems, or empty
 * @failures: number of layouts replaced since a layout was last recognized
 * @rest: number of records of other layouts to skip before the next one replaces @layout
 */
struct shim_check_kinds {
	struct shim_check_kind {
		struct shim_record_layout layout;
		unsigned int failures, rest;
	} all[SHIM_CHECK_KINDS];
};

/* Return whether a record has the same layout as one that was added. */
bool shim_check_kinds__has(struct shim_check_kinds *kinds, const struct shim_record *rec);
/*
 * Add the layout of a record without problems.  It may be added by a later call instead, or not at
 * all if memory is short.
 */
void shim_check_kinds__add(struct shim_check_kinds *kinds, const struct shim_record *rec);
void shim_check_kinds__fini(struct shim_check_kinds *kinds);

/*
 * struct shim_check_file - one of the archive's files
 * @data: NULL if the file does not exist or is not checked
 * @from, @to: the range of bytes to check
 * @released: pages before this offset have been released
 * @unpacked: if set, @data is its mapping; call shim_unpacked__need() before reading
 */
struct shim_check_file {
	int volume;
	char *path;
	uint8_t *data;
	uint64_t size;
	uint64_t from, to;
	uint64_t released;
	struct shim_unpacked *unpacked;
};

/* A place in a volume, which is identified by the number in the file's name */
struct shim_check_place {
	int volume;
	uint64_t offset;
};

/*
 * struct shim_check_state - what the check has found so far
 * @first: the label that all other labels must match
 * @ar: the archive as a reader sees it, or NULL
 * @partial: only the records from @from to @to are checked
 * @declared: the metrics found so far, to detect contradictions
 * @nameless: the instances found so far, and values of unnamed instances
 * @kinds: layouts of records without problems
 * @meta, @index, @volumes: the archive's files
 * @err: the error that ends the check, or 0
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
	struct shim_check_kinds kinds;
	struct shim_buf scratch;
	struct shim_files names;
	struct shim_check_file meta, index, *volumes;
	unsigned int problems;
	uint64_t done, total, reported;
	struct shim_ts last;
	bool has_last;
	int err;
};

void __attribute__((format(printf, 4, 5)))
shim_check__say(struct shim_check_state *s, const struct shim_check_file *file, uint64_t offset,
		const char *fmt, ...);
void __attribute__((format(printf, 5, 6)))
shim_check__note(struct shim_check_state *s, enum shim_check_note kind,
		 const struct shim_check_file *file, uint64_t offset, const char *fmt, ...);

/*
 * Handle the result of unpacking bytes at @offset.  Return false if their compressed form is
 * damaged, which is reported, or cannot be unpacked, which ends the check.
 */
bool shim_check__unpacked(struct shim_check_state *s, const struct shim_check_file *file,
			  uint64_t offset, int err);
/* Use the label of a file as the archive's.  Return 0, or the error in the label. */
int shim_check__first_label(struct shim_check_state *s, const struct shim_check_file *file);
/* Check a file's label.  Return false if the records after it cannot be checked. */
bool shim_check__label(struct shim_check_state *s, const struct shim_check_file *file);
/* Return the file of a volume, or NULL. */
struct shim_check_file *shim_check__volume(const struct shim_check_state *s, int32_t volume);
/* Periodically release the pages before @offset, so that a large file does not fill memory. */
void shim_check__release(struct shim_check_file *file, uint64_t offset);
void shim_check__index(struct shim_check_state *s);

/* Find the part to check.  If that fails, everything is checked.  Return 0 or -ENOMEM. */
int shim_check_part__find(struct shim_check_state *s, const struct shim_check_span *span);
/* Return whether the @i-th volume must be checked. */
bool shim_check_part__has(const struct shim_check_state *s, size_t i);
/* Set the range of bytes of a volume to check. */
void shim_check_part__limit(const struct shim_check_state *s, struct shim_check_file *file);
/* Check that a volume ends with a record, unless the check of its records covers that. */
void shim_check_part__end(struct shim_check_state *s, const struct shim_check_file *file);

#endif /* SHIM_ARCHIVE_CHECK_STATE_H */
