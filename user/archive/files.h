/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find the files of an archive by their names. */
#ifndef SHIM_ARCHIVE_FILES_H
#define SHIM_ARCHIVE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/*
 * struct shim_files - the existing files of one archive
 * @base: their common name
 * @volumes: @nvolumes numbers, ascending; allocated for @cap
 */
struct shim_files {
	char *base;
	bool meta;
	bool index;
	int *volumes;
	size_t nvolumes, cap;
};

struct shim_folder;
struct shim_unpacked;

/*
 * Find the files by base name, or by the name of any of them.  Return -ENOENT if none exists.
 * @folder is NULL, or caches the last directory's names for callers that look up many archives.
 */
int shim_files__find(const char *name, struct shim_folder *folder, struct shim_files *out);
/* Find the files only by base name.  It is not an error if none exists. */
int shim_files__scan(const char *base, struct shim_files *out);
void shim_files__free(struct shim_files *files);
/* Append a volume to the known ones.  Return 0 or -ENOMEM. */
int shim_files__add(struct shim_files *files, int number);
/*
 * Get the base name for @name, which may be one of the files.  The caller frees it.  Return 0 or an
 * error.
 */
int shim_files__base(const char *name, char **base);
char *shim_files__absolute(const char *path);

/*
 * Return BASE.meta, BASE.index or BASE.N for SHIM_VOLUME_META, SHIM_VOLUME_INDEX or N.  The caller
 * frees it.
 */
char *shim_files__path(const char *base, int volume);

/* Return 1 if one of the archive's files exists, plain or compressed, 0 if not, or an error. */
int shim_files__exists(const char *base, int volume);
/* Get the size of a volume's file.  Return -ENOENT if it does not exist in uncompressed form. */
int shim_files__plain_size(const char *base, int volume, uint64_t *size);

/* Open a regular file for reading, and stat it.  Return -EINVAL for any other type of file. */
int shim_file__open(const char *path, int *fd, struct stat *st);
/* Read @len bytes at @offset, or fewer at the end of the file. */
int shim_file__read(int fd, void *data, size_t len, uint64_t offset, size_t *got);

/*
 * struct shim_file - one of an archive's files, open for reading
 * @unpacked: the content if only a compressed form exists, otherwise NULL
 * @fd: the file's descriptor, or -1 if @unpacked is set
 * @st: its status; if it was unpacked, that of the compressed file, but with the unpacked size
 */
struct shim_file {
	struct shim_unpacked *unpacked;
	int fd;
	struct stat st;
};

/* Open one of the archive's files.  If only a compressed form exists, its content is used. */
int shim_files__open(const char *base, int volume, struct shim_file *out);
/*
 * Get the status that shim_files__open() would set.  @size is the unpacked size if only a compressed
 * form exists.  Return false if there is no such file.
 */
bool shim_files__look(const char *base, int volume, off_t size, struct stat *out);
void shim_file__close(struct shim_file *file);
/* Like shim_file__read(), for either form */
int shim_file__copy(const struct shim_file *file, void *data, size_t len, uint64_t offset,
		    size_t *got);
/* Load the whole file into memory allocated to its exact size. */
int shim_file__load(const struct shim_file *file, uint8_t **data, size_t *size);
int shim_files__load(const char *base, int volume, uint8_t **data, size_t *size);

/* The names in a directory, used to find the files of many archives in it */

/*
 * struct shim_folder - snapshot of a directory's names; zero-initialized
 * @path: the directory that was read last, or NULL
 * @names: @n names, sorted; allocated for @cap
 */
struct shim_folder {
	char *path;
	char **names;
	size_t n, cap;
};

void shim_folder__free(struct shim_folder *folder);

#endif /* SHIM_ARCHIVE_FILES_H */
