/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file that grows by complete pieces: after an error it has its former length.
 *
 * Nothing is buffered in memory, so data that was written is not lost if the process is killed.
 */
#ifndef SHIM_ARCHIVE_SINK_H
#define SHIM_ARCHIVE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * struct shim_sink - an output file
 * @size: bytes in complete pieces
 * @broken: truncating it failed; nothing more may be written to it
 */
struct shim_sink {
	int fd;
	uint64_t size;
	bool broken;
};

/* Create a file; -EEXIST if one of that name exists. */
int shim_sink__create(struct shim_sink *sink, const char *base, int volume);
int shim_sink__write(struct shim_sink *sink, const void *data, size_t len);
/* Make the file durable, and close it. */
int shim_sink__close(struct shim_sink *sink);
/* Close the file, and remove it. */
void shim_sink__discard(struct shim_sink *sink, const char *base, int volume);

#endif /* SHIM_ARCHIVE_SINK_H */
