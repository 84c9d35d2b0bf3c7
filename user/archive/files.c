// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find an archive's files by scanning a directory, and read them. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "files.h"
#include "format.h"
#include "unpack.h"
#include "unpacked.h"

#define HUGE_PAGE	((size_t)2 << 20)
#define LARGE_FILE	((size_t)32 << 20)	/* malloc() always maps memory of this size */

/* The names in a directory, used to find the files of many archives in it */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int folder_add(struct shim_folder *folder, const char *name)
{
	if (shim_vec__room(folder->names, &folder->cap, folder->n))
		return -ENOMEM;
	folder->names[folder->n] = strdup(name);
	return folder->names[folder->n++] ? 0 : -ENOMEM;
}

static int add_all(struct shim_folder *folder)
{
	const struct dirent *entry;
	DIR *dir = opendir(folder->path);
	int err = dir ? 0 : -errno;

	while (errno = 0, !err && (entry = readdir(dir)))
		err = folder_add(folder, entry->d_name);
	if (!err && errno)
		err = -errno;
	if (dir)
		closedir(dir);
	return err;
}

/*
 * Read a directory, unless it is the one read last.  Return 0 or an error.  After an error, @folder
 * has no names.
 */
static int folder_read(struct shim_folder *folder, const char *path)
{
	int err;

	if (folder->path && !strcmp(folder->path, path))
		return 0;
	shim_folder__free(folder);
	folder->path = strdup(path);
	err = folder->path ? add_all(folder) : -ENOMEM;
	if (err)
		shim_folder__free(folder);
	else if (folder->n)
		qsort(folder->names, folder->n, sizeof(*folder->names), by_name);
	return err;
}

/* Return the index of the first name that is not less than @prefix. */
static size_t folder_first(const struct shim_folder *folder, const char *prefix)
{
	size_t lo = 0, hi = folder->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(folder->names[mid], prefix) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void shim_folder__free(struct shim_folder *folder)
{
	for (size_t i = 0; i < folder->n; i++)
		free(folder->names[i]);
	free(folder->names);
	free(folder->path);
	*folder = (struct shim_folder){ 0 };
}

#define VOLUME_NONE	(-3)

/* Return the length of @name without the suffix of a compression format. */
static size_t plain_len(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; shim_unpack_suffixes[i]; i++) {
		size_t n = strlen(shim_unpack_suffixes[i]);

		if (len > n && !strcmp(name + len - n, shim_unpack_suffixes[i]))
			return len - n;
	}
	return len;
}

/* Return the volume number in the @len bytes after "BASE.", or VOLUME_NONE. */
static int component(const char *s, size_t len)
{
	long number = 0;

	if (len == 4 && !memcmp(s, "meta", 4))
		return SHIM_VOLUME_META;
	if (len == 5 && !memcmp(s, "index", 5))
		return SHIM_VOLUME_INDEX;
	if (!len || len > 10 || (len > 1 && s[0] == '0'))
		return VOLUME_NONE;
	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return VOLUME_NONE;
		number = 10 * number + (s[i] - '0');
	}
	return number <= INT32_MAX ? (int)number : VOLUME_NONE;
}

int shim_files__add(struct shim_files *files, int number)
{
	if (shim_vec__room(files->volumes, &files->cap, files->nvolumes))
		return -ENOMEM;
	files->volumes[files->nvolumes++] = number;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

/* Sort the volumes and drop duplicates, because a volume may exist in several compressed forms. */
static void sort_volumes(struct shim_files *files)
{
	size_t n = 0;

	if (!files->nvolumes)
		return;
	qsort(files->volumes, files->nvolumes, sizeof(*files->volumes), by_number);
	for (size_t i = 1; i < files->nvolumes; i++)
		if (files->volumes[i] != files->volumes[n])
			files->volumes[++n] = files->volumes[i];
	files->nvolumes = n + 1;
}

/* Record a directory entry if it is one of the archive's files. */
static int consider(struct shim_files *files, const char *stem, size_t stem_len, const char *name)
{
	size_t len;
	int what;

	/* Most names in a directory with many archives belong to other archives. */
	if (strncmp(name, stem, stem_len) || name[stem_len] != '.')
		return 0;
	len = plain_len(name);
	if (len <= stem_len + 1)
		return 0;
	what = component(name + stem_len + 1, len - stem_len - 1);
	if (what < SHIM_VOLUME_INDEX)
		return 0;
	if (what == SHIM_VOLUME_META)
		files->meta = true;
	else if (what == SHIM_VOLUME_INDEX)
		files->index = true;
	else
		return shim_files__add(files, what);
	return 0;
}

static int scan_dir(DIR *dir, const char *stem, struct shim_files *files)
{
	size_t stem_len = strlen(stem);
	struct dirent *entry;
	int err;

	while (errno = 0, (entry = readdir(dir))) {
		err = consider(files, stem, stem_len, entry->d_name);
		if (err)
			return err;
	}
	return errno ? -errno : 0;
}

static int scan_path(const char *path, const char *stem, struct shim_files *files)
{
	DIR *dir = opendir(path);
	int err = dir ? scan_dir(dir, stem, files) : -errno;

	if (dir)
		closedir(dir);
	return err;
}

static int scan_folder(struct shim_folder *folder, const char *path, const char *stem,
		       struct shim_files *files)
{
	int err = folder_read(folder, path);
	char *prefix;
	int len;

	if (err)
		return err;
	len = asprintf(&prefix, "%s.", stem);
	if (len < 0)
		return -ENOMEM;
	for (size_t i = folder_first(folder, prefix);
	     !err && i < folder->n && !strncmp(folder->names[i], prefix, (size_t)len); i++)
		err = consider(files, stem, (size_t)len - 1, folder->names[i]);
	free(prefix);
	return err;
}

static int folder_scan(const char *base, struct shim_folder *folder, struct shim_files *out)
{
	const char *slash = strrchr(base, '/'), *stem = slash ? slash + 1 : base;
	struct shim_files files = { .base = strdup(base) };
	char *path = slash ? strndup(base, slash - base + 1) : strdup(".");
	int err;

	if (!files.base || !path)
		err = -ENOMEM;
	else if (folder)
		err = scan_folder(folder, path, stem, &files);
	else
		err = scan_path(path, stem, &files);
	free(path);
	if (err) {
		shim_files__free(&files);
		return err;
	}
	sort_volumes(&files);
	*out = files;
	return 0;
}

int shim_files__scan(const char *base, struct shim_files *out)
{
	return folder_scan(base, NULL, out);
}

static int is_there(const char *path)
{
	if (!access(path, F_OK))
		return 1;
	return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
}

/*
 * Return 1 if the file exists, plain or compressed, 0 if not, or an error if that cannot be
 * determined.
 */
static int exists(const char *name)
{
	char *path;
	int found = is_there(name);

	for (size_t i = 0; !found && shim_unpack_suffixes[i]; i++) {
		if (asprintf(&path, "%s%s", name, shim_unpack_suffixes[i]) < 0)
			return -ENOMEM;
		found = is_there(path);
		free(path);
	}
	return found;
}

/*
 * Copy @name without its last component if it is the name of an existing file of an archive,
 * otherwise copy all of it.
 */
int shim_files__base(const char *name, char **base)
{
	size_t len = plain_len(name), dot = len;
	int part = 0;

	while (dot && name[dot - 1] != '.' && name[dot - 1] != '/')
		dot--;
	if (dot > 1 && name[dot - 1] == '.' && name[dot - 2] != '/' &&
	    component(name + dot, len - dot) >= SHIM_VOLUME_INDEX)
		part = exists(name);
	if (part < 0)
		return part;
	*base = part ? strndup(name, dot - 1) : strdup(name);
	return *base ? 0 : -ENOMEM;
}

#define SUFFIX_ROOM	32	/* for the longest suffix of an archive's file */

/**
 * shim_files__absolute() - make a path independent of the current directory
 * @path: the path
 *
 * A program may change its directory while an archive is open, as daemon(3) does.
 *
 * Return: an absolute path; a copy of @path if the path would be too long, or if the current
 * directory is unknown or cannot be reached from the root; or NULL.
 */
char *shim_files__absolute(const char *path)
{
	char *dir = *path == '/' ? NULL : getcwd(NULL, 0), *absolute;

	if (!dir || *dir != '/' || strlen(dir) + strlen(path) + SUFFIX_ROOM > PATH_MAX ||
	    faccessat(AT_FDCWD, dir, X_OK, AT_EACCESS))
		absolute = strdup(path);
	else if (asprintf(&absolute, "%s/%s", dir, path) < 0)
		absolute = NULL;
	free(dir);
	return absolute;
}

int shim_files__find(const char *name, struct shim_folder *folder, struct shim_files *out)
{
	struct shim_files files;
	char *base;
	int err;

	if (!*name)
		return -ENOENT;
	err = shim_files__base(name, &base);
	if (err)
		return err;
	err = folder_scan(base, folder, &files);
	free(base);
	if (err)
		return err;
	if (!files.meta && !files.index && !files.nvolumes) {
		shim_files__free(&files);
		return -ENOENT;
	}
	*out = files;
	return 0;
}

void shim_files__free(struct shim_files *files)
{
	free(files->base);
	free(files->volumes);
	*files = (struct shim_files){ 0 };
}

char *shim_files__path(const char *base, int volume)
{
	char *path;
	int n;

	if (volume == SHIM_VOLUME_META)
		n = asprintf(&path, "%s.meta", base);
	else if (volume == SHIM_VOLUME_INDEX)
		n = asprintf(&path, "%s.index", base);
	else
		n = asprintf(&path, "%s.%d", base, volume);
	return n < 0 ? NULL : path;
}

int shim_files__exists(const char *base, int volume)
{
	char *path = shim_files__path(base, volume);
	int found = path ? exists(path) : -ENOMEM;

	free(path);
	return found;
}

int shim_files__plain_size(const char *base, int volume, uint64_t *size)
{
	char *path = shim_files__path(base, volume);
	struct stat st;
	int err = 0;

	if (!path)
		return -ENOMEM;
	if (stat(path, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -ENOENT;
	free(path);
	if (!err)
		*size = (uint64_t)st.st_size;
	return err;
}

int shim_file__open(const char *path, int *out, struct stat *st)
{
	/* O_NONBLOCK: opening must not block if the name refers to a FIFO. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, st))
		err = -errno;
	else if (!S_ISREG(st->st_mode))
		err = S_ISDIR(st->st_mode) ? -EISDIR : -EINVAL;
	if (err) {
		close(fd);
		return err;
	}
	*out = fd;
	return 0;
}

int shim_file__read(int fd, void *data, size_t len, uint64_t offset, size_t *got)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)data + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	*got = done;
	return 0;
}

/* Open the first existing compressed form of a file. Return -ENOENT if there is none. */
static int open_packed(const char *plain, struct shim_file *out)
{
	int err = -ENOENT;
	struct stat packed;

	for (size_t i = 0; err == -ENOENT && shim_unpack_suffixes[i]; i++) {
		char *path;
		int fd;

		if (asprintf(&path, "%s%s", plain, shim_unpack_suffixes[i]) < 0)
			return -ENOMEM;
		err = shim_file__open(path, &fd, &packed);
		free(path);
		if (err)
			continue;
		err = shim_unpacked__get(fd, &packed, shim_unpack_suffixes[i], &out->unpacked);
		close(fd);
	}
	if (err)
		return err;
	out->st = packed;
	out->st.st_size = (off_t)out->unpacked->size;
	return 0;
}

int shim_files__open(const char *base, int volume, struct shim_file *out)
{
	struct shim_file file = { .fd = -1 };
	char *path = shim_files__path(base, volume);
	int err;

	if (!path)
		return -ENOMEM;
	err = shim_file__open(path, &file.fd, &file.st);
	if (err == -ENOENT)
		err = open_packed(path, &file);
	free(path);
	if (!err)
		*out = file;
	return err;
}

bool shim_files__look(const char *base, int volume, off_t size, struct stat *out)
{
	char *plain = shim_files__path(base, volume), *path;
	bool there = plain && !stat(plain, out);

	for (size_t i = 0; plain && !there && shim_unpack_suffixes[i]; i++) {
		if (asprintf(&path, "%s%s", plain, shim_unpack_suffixes[i]) < 0)
			break;
		there = !stat(path, out);
		free(path);
		out->st_size = size;
	}
	free(plain);
	return there;
}

void shim_file__close(struct shim_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	shim_unpacked__put(file->unpacked);
	*file = (struct shim_file){ .fd = -1 };
}

int shim_file__copy(const struct shim_file *file, void *data, size_t len, uint64_t offset,
		    size_t *got)
{
	uint64_t left;
	int err;

	if (!file->unpacked)
		return shim_file__read(file->fd, data, len, offset, got);
	left = offset < file->unpacked->size ? file->unpacked->size - offset : 0;
	*got = len < left ? len : left;
	err = shim_unpacked__need(file->unpacked, offset, *got);
	if (!err && *got)
		memcpy(data, file->unpacked->data + offset, *got);
	return err;
}

/*
 * Allocate memory for a file.  A large one gets huge pages, because otherwise reading it spends most
 * of the time in page faults.
 */
static void *file_room(size_t len)
{
	void *room;

	if (len < LARGE_FILE)
		return malloc(len ? len : 1);
	if (posix_memalign(&room, HUGE_PAGE, len))
		return NULL;
	madvise(room, len & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
	return room;
}

int shim_file__load(const struct shim_file *file, uint8_t **data, size_t *size)
{
	uint64_t len = (uint64_t)file->st.st_size;
	uint8_t *bytes;
	size_t got;
	int err;

	if (len > SIZE_MAX / 2 || len > shim_archive_memory__limit())
		return -EFBIG;
	bytes = file_room(len);
	if (!bytes)
		return -ENOMEM;
	err = shim_file__copy(file, bytes, len, 0, &got);
	if (err) {
		free(bytes);
		return err;
	}
	*data = bytes;
	*size = got;
	return 0;
}

int shim_files__load(const char *base, int volume, uint8_t **data, size_t *size)
{
	struct shim_file file;
	int err = shim_files__open(base, volume, &file);

	if (err)
		return err;
	err = shim_file__load(&file, data, size);
	shim_file__close(&file);
	return err;
}
