/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plain data types for the content of an archive, shared by reader and writer.
 *
 * Types, semantics, units and value formats use PCP's numbers, which are also those on disk; static
 * asserts in user/pcp compare them with <pcp/pmapi.h>.
 *
 * Errors that functions of this directory return, all negated: ENOENT (no file of that name), ENXIO
 * (some files exist, but no .meta or no volume), ENODATA (a file is empty or has only its label),
 * EILSEQ (invalid label), EBADMSG (corrupt record), EPROTO (unknown metadata record type),
 * EOPNOTSUPP (unknown feature bits, or files compressed by compress(1)), ERANGE (before the start
 * or after the end), SHIM_E* (below), EINVAL, ENOMEM, EEXIST, EBUSY, and errors from open, read,
 * mmap and write.
 */
#ifndef SHIM_ARCHIVE_TYPES_H
#define SHIM_ARCHIVE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tstamp.h"

/*
 * A metric's second description differs from its first.  These numbers are greater than any errno.
 */
#define SHIM_ECHANGE_TYPE	5001
#define SHIM_ECHANGE_SEM	5002
#define SHIM_ECHANGE_INDOM	5003
#define SHIM_ECHANGE_UNITS	5004
/* Archives that cannot be opened together, because their hosts differ or their times overlap */
#define SHIM_EHOST		5005
#define SHIM_EOVERLAP		5006
/* An unusable volume was skipped, because it is damaged or its file was removed */
#define SHIM_EVOLUME		5007

enum shim_type {
	SHIM_TYPE_NOSUPPORT = -1,
	SHIM_TYPE_32 = 0,
	SHIM_TYPE_U32,
	SHIM_TYPE_64,
	SHIM_TYPE_U64,
	SHIM_TYPE_FLOAT,
	SHIM_TYPE_DOUBLE,
	SHIM_TYPE_STRING,
	SHIM_TYPE_AGGREGATE,
	SHIM_TYPE_AGGREGATE_STATIC,
	SHIM_TYPE_EVENT,
	SHIM_TYPE_HIGHRES_EVENT,
};

enum shim_sem {
	SHIM_SEM_COUNTER = 1,
	SHIM_SEM_INSTANT = 3,
	SHIM_SEM_DISCRETE = 4,
};

enum shim_valfmt {
	SHIM_VAL_INSITU = 0,
	SHIM_VAL_DPTR = 1,
	SHIM_VAL_SPTR = 2,
};

/* The kind of a text, and the kind of object that it describes */
#define SHIM_TEXT_ONELINE	1u
#define SHIM_TEXT_HELP		2u
#define SHIM_TEXT_PMID		4u
#define SHIM_TEXT_INDOM		8u

/* The kind of object that labels describe; also the low bits of a label's flags */
enum shim_level {
	SHIM_LEVEL_CONTEXT = 1,
	SHIM_LEVEL_DOMAIN = 2,
	SHIM_LEVEL_INDOM = 4,
	SHIM_LEVEL_CLUSTER = 8,
	SHIM_LEVEL_ITEM = 16,
	SHIM_LEVEL_INSTANCES = 32,
};

#define SHIM_LABELS_MAX		255	/* labels in a set */
#define SHIM_LABELS_JSON_MAX	65535	/* bytes of a set's text */

#define SHIM_INDOM_NULL	0xffffffffu
#define SHIM_IN_NULL	(-1)

/*
 * struct shim_label - the label at the start of every file of an archive
 * @version: 2 or 3
 * @pid: process ID of the writer
 * @start: no record is earlier
 * @host: NUL-terminated, as are @tz (TZ syntax) and @zoneinfo (":Area/City" or empty)
 */
struct shim_label {
	int version;
	int32_t pid;
	struct shim_ts start;
	uint32_t features;
	char host[256];
	char tz[256];
	char zoneinfo[256];
};

/*
 * struct shim_desc - one metric
 * @names: @nnames names; a reader returns none if all names belong to other metrics
 * @units: PCP's 32 bits, dimSpace in the most significant nibble
 */
struct shim_desc {
	uint32_t pmid;
	int32_t type;
	uint32_t indom;
	int32_t sem;
	uint32_t units;
	unsigned int nnames;
	const char *const *names;
};

/*
 * struct shim_indom - the whole instance domain as of a time
 * @inst: @n IDs, ascending
 * @name: @n names
 * @one_record: all names are in one record, which is contiguous in memory
 */
struct shim_indom {
	struct shim_ts stamp;
	uint32_t indom;
	unsigned int n;
	const int32_t *inst;
	const char *const *name;
	bool one_record;
};

/*
 * struct shim_value - one value of a metric, in host byte order
 * @type: enum shim_type; determines the valid member of the union
 * @bytes: strings (with their NUL) and aggregates; @len bytes.  In values from a reader, this
 *	points into the mapped file, and a string may lack its NUL.
 */
struct shim_value {
	int32_t inst;
	int32_t type;
	uint32_t len;
	union {
		int32_t l;
		uint32_t ul;
		int64_t ll;
		uint64_t ull;
		float f;
		double d;
		const void *bytes;
	};
};

/*
 * struct shim_labels - names and values that annotate an object, starting at a time
 * @ident: a domain's number, a pmid (with item 0 for a cluster), or an instance domain;
 *	SHIM_INDOM_NULL for the context
 * @n: number of sets; more than one only for instances
 * @inst: the instance that each set describes; for instances only
 * @json: for each set, a JSON object whose members are not objects themselves
 */
struct shim_labels {
	struct shim_ts stamp;
	enum shim_level level;
	uint32_t ident;
	unsigned int n;
	const int32_t *inst;
	const char *const *json;
};

#endif /* SHIM_ARCHIVE_TYPES_H */
