/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading an archive: its label, metadata, and records in both directions.
 *
 * Threads: an open archive does not change, except for its end, which has its own lock.  Any number
 * of threads and cursors may use it.  Only one thread at a time may use a cursor.
 */
#ifndef SHIM_ARCHIVE_READER_H
#define SHIM_ARCHIVE_READER_H

#include <stdbool.h>

#include "types.h"

struct shim_archive;
struct shim_readbuf;

/*
 * Open an archive, given its base name or the name of any of its files; or several archives, given
 * a comma-separated list or a directory.
 */
int shim_archive__open(const char *name, struct shim_archive **out);
int shim_archive__open_any(const char *name, struct shim_archive **out);
/* Also report the archives that are skipped because of an error. */
typedef void shim_archive_skipped_fn(const char *name, int err);
int shim_archive__open_all(const char *name, bool any_feature, shim_archive_skipped_fn *skipped,
			   struct shim_archive **out);
void shim_archive__leave(struct shim_archive *ar, unsigned int volume);
const char *shim_archive__next_left(struct shim_archive *ar);
/* Return whether several archives were opened as one. */
bool shim_archive__is_several(const struct shim_archive *ar);
/* Return whether this is a single archive that was opened under this name. */
bool shim_archive__has_name(const struct shim_archive *ar, const char *name);
bool shim_archive__is_lost(struct shim_archive *ar);
/*
 * Return whether opening this archive again would have the same result; false if that is costly to
 * check.
 */
bool shim_archive__is_current(const struct shim_archive *ar);
struct shim_archive *shim_archive__get(struct shim_archive *ar);
void shim_archive__put(struct shim_archive *ar);

const struct shim_label *shim_archive__label(const struct shim_archive *ar);
int shim_archive__end(struct shim_archive *ar, struct shim_ts *end);
/* Detect additions to the files.  Return 1 if there are any, 0 if not, or an error. */
int shim_archive__follow(struct shim_archive *ar);
/*
 * Wait for a writer to complete a half-written record.  Return true if the caller should try again.
 */
struct shim_cursor;
bool shim_archive__await(const struct shim_cursor *cur, struct shim_ts *since);
struct shim_record;
/*
 * Return 1 if the record is the mark between two archives that were opened as one, 0 if not, or
 * -SHIM_EOVERLAP.
 */
int shim_archive__joint(const struct shim_archive *ar, const struct shim_record *rec,
			struct shim_ts *back);

/* Metrics, in the order of their first record */
unsigned int shim_archive__ndescs(const struct shim_archive *ar);
const struct shim_desc *shim_archive__desc_at(const struct shim_archive *ar, unsigned int i);
const struct shim_desc *shim_archive__desc(const struct shim_archive *ar, uint32_t pmid);
/* Store the metric that has the name @name in *@pmid.  Return whether a metric has this name. */
bool shim_archive__named(const struct shim_archive *ar, const char *name, uint32_t *pmid);

/* Instance domains: the state at a time, or all states, newest first */
const struct shim_indom *shim_archive__indom(const struct shim_archive *ar, uint32_t indom,
					     struct shim_ts when);
bool shim_archive__has_indom(const struct shim_archive *ar, uint32_t indom, struct shim_ts when);
unsigned int shim_archive__nindoms(const struct shim_archive *ar, uint32_t indom);
const struct shim_indom *shim_archive__indom_at(const struct shim_archive *ar, uint32_t indom,
						unsigned int i);
struct shim_instances;
/*
 * Return all instances of a domain (indom.h), or NULL if the domain has no state or memory runs
 * out.
 */
const struct shim_instances *shim_archive__instances(const struct shim_archive *ar, uint32_t indom);
/* Return the index of the instance to which a name refers, as in PCP, or -1. */
int shim_archive__find_inst(const struct shim_archive *ar, const struct shim_indom *state,
			    const char *name);

/*
 * Return the text with a type (two of SHIM_TEXT_*) about a metric or an instance domain, or NULL.
 */
const char *shim_archive__text(const struct shim_archive *ar, uint32_t type, uint32_t ident);
/* Return whether there is any text of that type. */
bool shim_archive__has_text(const struct shim_archive *ar, uint32_t type);

/*
 * struct shim_labels_iter - an iterator over sets of labels in the loaded file
 * @n: number of sets left
 */
struct shim_labels_iter {
	uint32_t n;
	const uint8_t *at;
	const uint8_t *end;
};

/*
 * struct shim_labelset - one set of labels
 * @inst: the instance that it annotates, or SHIM_IN_NULL
 * @nlabels: number of labels, or a negative PCP error code
 * @json: @jsonlen bytes without a NUL
 */
struct shim_labelset {
	int32_t inst;
	int32_t nlabels;
	uint32_t jsonlen;
	const char *json;
	const uint8_t *labels;
};

/*
 * struct shim_labelref - offsets and lengths of a label's name and value in the set's text
 * @flags: enum shim_level, and other flags of PCP
 */
struct shim_labelref {
	uint16_t name;
	uint8_t namelen;
	uint8_t flags;
	uint16_t value;
	uint16_t valuelen;
};

/* Get the newest labels at or before a time.  Return false if there are none. */
bool shim_archive__labels(const struct shim_archive *ar, uint32_t level, uint32_t ident,
			  struct shim_ts when, struct shim_labels_iter *out);
/* Return whether the object has labels at any time. */
bool shim_archive__has_labels(const struct shim_archive *ar, uint32_t level, uint32_t ident);
/* Get the next of @n sets, or the @i-th of a set's @nlabels labels. */
void shim_labels__next(struct shim_labels_iter *iter, struct shim_labelset *out);
struct shim_labelref shim_labelset__at(const struct shim_labelset *set, unsigned int i);

/*
 * struct shim_record - one data record in the mapped file; its frame and stamp have been checked
 * @stamp: its time
 * @npmids: number of value sets; 0 for a mark
 */
struct shim_record {
	struct shim_ts stamp;
	unsigned int npmids;
	unsigned int volume;
	uint64_t offset;	/* offset of the record in its volume */
	const uint8_t *sets;	/* first value set */
	const uint8_t *data;	/* the whole record, including its frame */
	uint32_t len;		/* bytes at @data */
};

#define SHIM_VALUE_LEN	8	/* bytes of an instance and its value in a record */

/*
 * struct shim_vset - one metric's values in a record
 * @numval: number of values, 0, or a negative PCP error code
 * @valfmt: enum shim_valfmt; meaningful if @numval is positive
 */
struct shim_vset {
	uint32_t pmid;
	int32_t numval;
	int32_t valfmt;
	const uint8_t *vlist;
	const uint8_t *next;	/* the next set, if there is one */
	unsigned int left;	/* number of sets after this one */
};

/* Check all of a record.  Return 0 or -EBADMSG.  The functions below check only what they read. */
int shim_record__check(const struct shim_record *rec);
/* Return 0, -ENOENT if there is no such set, or -EBADMSG. */
int shim_record__find(const struct shim_record *rec, uint32_t pmid, struct shim_vset *out);
int shim_record__first(const struct shim_record *rec, struct shim_vset *out);
int shim_record__next(const struct shim_record *rec, struct shim_vset *vset);
/*
 * Get the @i-th value.  Return -EBADMSG if it is not of the metric's @type, or -EINVAL if there is
 * no such value.
 */
int shim_vset__value(const struct shim_record *rec, const struct shim_vset *vset,
		     unsigned int i, int32_t type, struct shim_value *out);
/* Get @n values starting at @from, which the set must have.  After -EBADMSG @out is undefined. */
int shim_vset__values(const struct shim_record *rec, const struct shim_vset *vset,
		      unsigned int from, unsigned int n, int32_t type, struct shim_value *out);
/*
 * Get a value as stored: a word in place (type U32, .ul), or a block's type and bytes in file
 * order.
 */
int shim_vset__raw(const struct shim_record *rec, const struct shim_vset *vset, unsigned int i,
		   struct shim_value *out);

/*
 * A cursor is between two records.  next and prev return 0 and the record that they passed; -ERANGE
 * at the ends; -EBADMSG before a corrupt record, repeatedly, because the cursor does not move;
 * -SHIM_EVOLUME if they have skipped an unusable volume; or the error that prevented reading a
 * volume, in which case the cursor has not moved.
 */
struct shim_cursor {
	struct shim_archive *ar;
	unsigned int volume;	/* index into the archive's volumes */
	uint64_t offset;
	uint64_t window;	/* the volume and window of the cursor's last step */
	struct shim_readbuf *readbuf;	/* for records near a seek target, or NULL */
};

void shim_cursor__init(struct shim_cursor *cur, struct shim_archive *ar);
int shim_cursor__next(struct shim_cursor *cur, struct shim_record *rec);
int shim_cursor__prev(struct shim_cursor *cur, struct shim_record *rec);
/* Move before the first record with a stamp >= @when. */
int shim_cursor__seek_before(struct shim_cursor *cur, struct shim_ts when);
/* Move after the last record with a stamp <= @when. */
int shim_cursor__seek_after(struct shim_cursor *cur, struct shim_ts when);
void shim_cursor__enter_later(struct shim_cursor *cur, struct shim_ts when, bool back);
/* Leave a damaged one of several archives.  Return false if none follows in that direction. */
bool shim_cursor__leave(struct shim_cursor *cur, unsigned int volume, bool back);

#endif /* SHIM_ARCHIVE_READER_H */
