/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unpacked files that are in use, so that no file is unpacked twice at the same time */
#ifndef SHIM_ARCHIVE_UNPACKED_H
#define SHIM_ARCHIVE_UNPACKED_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/process.h"

/*
 * struct shim_unit - a part of a compressed file that can be unpacked alone
 * @packed, @len: its packed bytes
 * @from, @size: its range of the content; @size is not 0
 * @check: the kind of checksum of a block of xz
 * @state: 0: packed; 1: unpacked; -EBADMSG: damaged
 */
struct shim_unit {
	const uint8_t *packed;
	uint64_t len;
	uint64_t from, size;
	int check;
	atomic_int state;
};

/*
 * struct shim_unpacked - the content of a compressed file
 * @data: @size bytes, mapped; NULL if there are none.  Call shim_unpacked__need() before reading.
 * @packed: the state of the compressed file when it was opened
 * @file: the unnamed file, or -1
 * @bytes: the compressed file, @len bytes, mapped until everything is unpacked
 * @head: number of bytes at the start that were unpacked first
 * @units: @nunits units in order; none if everything was unpacked at once
 * @left: number of units that are not unpacked
 * @lock: held while a unit is unpacked
 * @generation: the process in which @lock is valid
 */
struct shim_unpacked {
	uint8_t *data;
	uint64_t size;
	struct stat packed;
	struct shim_fd file;
	const uint8_t *bytes;
	size_t len;
	const struct shim_codec *codec;
	uint32_t head;
	struct shim_unit *units;
	size_t nunits;
	atomic_size_t left;
	struct shim_lock lock;
	unsigned int generation;
	unsigned int refs;
	struct shim_unpacked *next;
};

/*
 * Get the content of the file at @fd, which has the status @packed and whose name ends in @suffix.
 * It is opened, unless another archive, context or check of this process uses it.  Return 0 or the
 * errors from shim_unpack__open().
 */
int shim_unpacked__get(int fd, const struct stat *packed, const char *suffix,
		       struct shim_unpacked **out);
/* Add one more user of the same content.  NULL stays NULL. */
struct shim_unpacked *shim_unpacked__share(struct shim_unpacked *u);
/*
 * Unpack all units with any of @len bytes at @from, unless that was already done.  Return 0,
 * -EBADMSG if one of them is damaged, or the error that prevented unpacking.  NULL is ignored.
 */
int shim_unpacked__need(struct shim_unpacked *u, uint64_t from, uint64_t len);
/* Like shim_unpacked__need(), for the record that begins at @at. */
int shim_unpacked__need_record(struct shim_unpacked *u, uint64_t at);
/* Unmap the content after its last user; NULL is ignored. */
void shim_unpacked__put(struct shim_unpacked *u);

#endif /* SHIM_ARCHIVE_UNPACKED_H */
