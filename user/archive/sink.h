/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file that grows by whole pieces: after an error it is as long as before.
 *
 * Nothing is buffered in memory, so what was written stays written when the
 * process is killed.
 */
#ifndef SHIM_ARCHIVE_SINK_H
#define SHIM_ARCHIVE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * struct shim_sink - an output file
 * @size: bytes that are in it and complete
 * @broken: truncating it failed; nothing more may be written to it
 */
struct shim_sink {
	int fd;
	uint64_t size;
	bool broken;
};

/* A new file: -EEXIST if there is one of that name */
int shim_sink__create(struct shim_sink *sink, const char *base, int volume);
int shim_sink__write(struct shim_sink *sink, const void *data, size_t len);
/* Make it durable, and close it */
int shim_sink__close(struct shim_sink *sink);
/* Close it, and remove its file */
void shim_sink__discard(struct shim_sink *sink, const char *base, int volume);

#endif /* SHIM_ARCHIVE_SINK_H */
