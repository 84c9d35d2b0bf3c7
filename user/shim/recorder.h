/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* struct shim_recorder, for the files that implement the recorder */
#ifndef SHIM_SHIM_RECORDER_H
#define SHIM_SHIM_RECORDER_H

#include "archive/writer.h"
#include "shim/shim.h"

struct shim_recorder {
	struct shim_writer *w;
	int64_t offset;		/* wall clock minus monotonic clock, in ns */
	struct shim_ts last;	/* the last record's stamp */
	struct shim_ts stamp;	/* timestamp of the current record */
	struct shim_label label;	/* written with the first record */
	char *labels;		/* members of a JSON object, each preceded by a comma; or NULL */
	uint64_t records;	/* number of written records */
	struct shim_rec_sets *sets;
	bool changes;		/* omit trace values that have not changed */
	struct shim_rec_trace *trace;	/* NULL if transactions are not recorded */
	struct shim_record_source source;	/* without functions if there is no source */
	void *source_arg;
	const struct shim_recorder *after;	/* the recorder that this one continues */
	char *archive;
	uint64_t missed;	/* number of intervals without a record */
	bool missed_known;	/* its metric is declared in the archive */
	int missing;		/* the reason why values are missing from the last record, or 0 */
};

#endif /* SHIM_SHIM_RECORDER_H */
