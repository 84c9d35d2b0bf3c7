/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which files make up an archive, and their names. */
#ifndef SHIM_ARCHIVE_FILES_H
#define SHIM_ARCHIVE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/*
 * struct shim_files - the files there are of one archive
 * @base: their common name
 * @volumes: @nvolumes numbers, ascending; room for @cap
 */
struct shim_files {
	char *base;
	bool meta;
	bool index;
	int *volumes;
	size_t nvolumes, cap;
};

/* By base name, or by the name of any of the files; -ENOENT if there is none at all */
int shim_files__find(const char *name, struct shim_files *out);
/* By base name alone; finding none is no error */
int shim_files__scan(const char *base, struct shim_files *out);
void shim_files__free(struct shim_files *files);
/* One more volume, behind those that are known: 0 or -ENOMEM */
int shim_files__add(struct shim_files *files, int number);
/* The base name, of which @name may be one of the files; to be freed */
char *shim_files__base(const char *name);

/* BASE.meta, BASE.index, BASE.N for SHIM_VOLUME_META, SHIM_VOLUME_INDEX, N; to be freed */
char *shim_files__path(const char *base, int volume);

/* Whether one of the archive's files is there, plain or compressed */
bool shim_files__exists(const char *base, int volume);
/* The size of a volume's file; false if there is none that is not compressed */
bool shim_files__plain_size(const char *base, int volume, uint64_t *size);

/* A regular file, opened to be read, and what it was then; -EINVAL if it is no regular file */
int shim_file__open(const char *path, int *fd, struct stat *st);
/* Up to @len bytes at @offset; fewer only at the end of the file */
int shim_file__read(int fd, void *data, size_t len, uint64_t offset, size_t *got);

/*
 * One of the archive's files, unpacked if there is only a compressed one: see unpack.h.
 * Of what was unpacked, *st says only the size; it has no inode.
 */
int shim_files__open(const char *base, int volume, int *fd, struct stat *st);
/* All of it, malloc'd to its exact size; @st as above, unless NULL */
int shim_files__load(const char *base, int volume, uint8_t **data, size_t *size, struct stat *st);

#endif /* SHIM_ARCHIVE_FILES_H */
