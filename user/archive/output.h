/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of an archive that is being written, and the order of writing.
 *
 * For each record, the metadata that it needs is written first, then the record, then an index
 * entry if one is due.  Each is written with a single write(2).  The metadata file is locked with
 * F_OFD_SETLK while the archive is being written.
 *
 * A forked child shares the files and the lock with its parent.  It can continue the archive when
 * the parent has ended, as daemon(3) ends it.  Until then put, next_volume and close return -EBUSY,
 * and the files are unchanged.
 */
#ifndef SHIM_ARCHIVE_OUTPUT_H
#define SHIM_ARCHIVE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "declare.h"
#include "reader.h"
#include "record.h"
#include "sink.h"

/*
 * struct shim_output - the files
 * @label: the label, complete except for its start, which the caller sets before the
 *   first record
 * @volume: number of the current volume
 * @entries: index entries that could not be written when they were due
 * @scratch: buffer for a file's first piece
 * @before: the index entry of the last record, with the file sizes before that record
 * @indexed: the last entry of the index
 * @since: bytes written since that entry
 * @has_record: a record has been written
 * @pid, @generation: the process that writes the archive; @refused: it had not ended when a forked
 *	child wrote
 */
struct shim_output {
	const struct shim_format *format;
	struct shim_label label;
	char *base;
	int volume;
	struct shim_sink meta;
	struct shim_sink index;
	struct shim_sink data;
	struct shim_buf entries;
	struct shim_buf scratch;
	struct shim_entry before;
	struct shim_entry indexed;
	uint64_t since;
	bool has_record;
	bool refused;
	unsigned int generation;
	pid_t pid;
};

/*
 * Create the files.  Return 0, -EEXIST, -EBUSY, -ENOMEM, or an error from a system call.  On error,
 * there is nothing to free.
 */
int shim_output__open(struct shim_output *out, const char *base, const struct shim_label *label);
/*
 * Write @meta and empty it, then write @record, and an index entry if one is @due or enough bytes
 * have been written since the last entry.
 */
int shim_output__put(struct shim_output *out, struct shim_buf *meta, const struct shim_buf *record,
		     struct shim_ts stamp, bool due);
int shim_output__next_volume(struct shim_output *out);
/*
 * Complete the files and make them durable.  If there is no record, remove them and return
 * -ENODATA.  @out is always freed.
 */
int shim_output__close(struct shim_output *out, struct shim_buf *meta);

/* Initialize what new and existing archives have in common. */
int shim_output__init(struct shim_output *out, const char *base);
int shim_output__lock(int fd);
/* Close the files without completing them. */
void shim_output__close_files(struct shim_output *out);
/*
 * Return 0 if this process may write the archive, or an error.  In a forked child, wait up to a
 * second for the end of the process that writes it.
 */
int shim_output__check_process(struct shim_output *out);

/* Append to an archive: its files, and the metrics and instance domains that it declares */

/*
 * Open and lock the files of an existing archive.  @ar: the archive, which the caller must release.
 * @last: the time of its last record.  Return -EBUSY if another writer has it open, -EBADMSG if a
 * file ends within a record, and -ENOENT if the metadata or the index exists only in compressed
 * form.  On error, there is nothing to free.
 */
int shim_output__append(struct shim_output *out, const char *base, struct shim_archive **ar,
			struct shim_ts *last);

/* Copy the metrics and the newest states of their instance domains; *@last is never decreased. */
int shim_declared__from(struct shim_declared *d, struct shim_archive *ar, struct shim_ts *last);

#endif /* SHIM_ARCHIVE_OUTPUT_H */
