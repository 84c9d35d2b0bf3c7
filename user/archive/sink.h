/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file to which only complete pieces are appended.  An error restores the previous length.
 *
 * Nothing is buffered in memory, so data that was written is not lost if the process is killed.
 */
#ifndef SHIM_ARCHIVE_SINK_H
#define SHIM_ARCHIVE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fd.h"

/*
 * struct shim_sink - an output file
 * @fd: has a high number, so the program needs some time to get that number for its own file
 * @size: bytes in complete pieces
 * @checked: when @fd was last known to be the file, in nanoseconds of CLOCK_MONOTONIC
 * @broken: truncating the file failed; nothing more may be written to it
 */
struct shim_sink {
	struct shim_fd fd;
	uint64_t size;
	int64_t checked;
	bool broken;
};

/* Create a file.  Return -EEXIST if a file with that name exists. */
int shim_sink__create(struct shim_sink *sink, const char *base, int volume);
/*
 * Open an existing file, or create it if @flags has O_CREAT.  The next piece is written at its end.
 */
int shim_sink__open(struct shim_sink *sink, const char *base, int volume, int flags);
/*
 * Append a piece.  Return 0, -EBADF if the program has closed the file, or an error, after which the
 * file is as before or @broken.
 */
int shim_sink__write(struct shim_sink *sink, const void *data, size_t len);
/* Make the file durable, and close it. */
int shim_sink__close(struct shim_sink *sink);
/* Close the file, and remove it. */
void shim_sink__discard(struct shim_sink *sink, const char *base, int volume);
bool shim_sink__is_unchanged(const struct shim_sink *sink);
bool shim_sink__are_one_file(const struct shim_sink *a, const struct shim_sink *b);

#endif /* SHIM_ARCHIVE_SINK_H */
