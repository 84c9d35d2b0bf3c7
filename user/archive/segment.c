// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find the archives to which a name refers, and read the label of each. */
#define _GNU_SOURCE	/* for asprintf */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "segment.h"
#include "unpack.h"

struct names {
	char **all;
	size_t n;
	size_t cap;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Take ownership of @name. */
static int segment_add(struct names *names, char *name)
{
	if (!name || shim_vec__room(names->all, &names->cap, names->n)) {
		free(name);
		return -ENOMEM;
	}
	names->all[names->n++] = name;
	return 0;
}

/* Return the length of "NAME" in "NAME.meta", with or without a compression suffix, or 0. */
static size_t stem_of_meta(const char *file)
{
	const char *meta = strstr(file, ".meta");
	const char *next;

	while (meta && (next = strstr(meta + 1, ".meta")))
		meta = next;
	if (!meta || !meta[5])
		return meta ? (size_t)(meta - file) : 0;
	for (size_t i = 0; shim_unpack_suffixes[i]; i++)
		if (!strcmp(meta + 5, shim_unpack_suffixes[i]))
			return (size_t)(meta - file);
	return 0;
}

static int add_folder(struct names *names, const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	size_t first = names->n;
	int err = dir ? 0 : -errno;

	while (errno = 0, !err && (entry = readdir(dir))) {
		size_t len = stem_of_meta(entry->d_name);
		char *name;

		if (!len)
			continue;
		if (asprintf(&name, "%s/%.*s", path, (int)len, entry->d_name) < 0)
			name = NULL;
		err = segment_add(names, name);
	}
	if (!err && errno)
		err = -errno;
	if (dir)
		closedir(dir);
	if (names->n > first)
		qsort(names->all + first, names->n - first, sizeof(*names->all), by_name);
	return err;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int add_any(struct names *names, const char *name)
{
	struct stat st;
	int err = stat(name, &st) ? -errno : 0;

	/* An archive's base name need not be the name of a file. */
	if (err && !shim_volume_record__is_damage(err))
		return err;
	return !err && S_ISDIR(st.st_mode) ? add_folder(names, name) :
					     segment_add(names, strdup(name));
}

static int add_list(struct names *names, const char *list)
{
	char *copy = strdup(list), *rest = copy, *name;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (name = strsep(&rest, ",")))
		if (*name)
			err = add_any(names, name);
	free(copy);
	return err;
}

/*
 * Return 1 if a name is a comma-separated list; 0 if not, or if an archive with exactly that name
 * exists; or an error.
 */
static int is_list(const char *name)
{
	struct shim_files files;
	int err;

	if (!strchr(name, ',') || is_folder(name))
		return 0;
	err = shim_files__find(name, NULL, &files);
	if (!err)
		shim_files__free(&files);
	/* A directory that cannot be read may permit searches. */
	if (err == -EACCES) {
		err = shim_files__exists(name, SHIM_VOLUME_META);
		err = err > 0 ? 0 : err ?: -ENOENT;
	}
	/* The directory's name may be part of a list, as in "a/x,b/y". */
	return err == -ENOENT || err == -ENOTDIR || err == -ENAMETOOLONG ? 1 : err;
}

/* A name and its position */
struct placed {
	char *name;
	size_t place;
};

static int by_name_then_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int differ = strcmp(x->name, y->name);

	return differ ? differ : (x->place > y->place) - (x->place < y->place);
}

/*
 * Keep only the first occurrence of each name, so that archives are opened and rejected in the
 * order of the list.
 */
static int drop_twins(struct names *names)
{
	struct placed *sorted = calloc(names->n + 1, sizeof(*sorted));
	size_t n = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < names->n; i++)
		sorted[i] = (struct placed){ names->all[i], i };
	qsort(sorted, names->n, sizeof(*sorted), by_name_then_place);
	for (size_t i = 1; i < names->n; i++)
		if (!strcmp(sorted[i].name, names->all[sorted[n].place]))
			names->all[sorted[i].place] = NULL;
		else
			n = i;
	for (size_t i = 0; i < names->n; i++)
		if (!names->all[sorted[i].place])
			free(sorted[i].name);
	n = 0;
	for (size_t i = 0; i < names->n; i++)
		if (names->all[i])
			names->all[n++] = names->all[i];
	names->n = n;
	free(sorted);
	return 0;
}

int shim_segment__names(const char *name, char ***out, size_t *n)
{
	struct names names = { 0 };
	int err = is_list(name);

	if (err >= 0)
		err = err ? add_list(&names, name) : add_any(&names, name);
	if (!err)
		err = drop_twins(&names);
	/* The name is a list without names, or a directory without archives. */
	if (!err && !names.n)
		err = strspn(name, ",") == strlen(name) ? -ENOENT : -ENXIO;
	if (err) {
		for (size_t i = 0; i < names.n; i++)
			free(names.all[i]);
		free(names.all);
		return err;
	}
	*out = names.all;
	*n = names.n;
	return 0;
}

/* Read the archive's label from its first volume. */
static int read_label(struct shim_segment *segment, const struct shim_file *file)
{
	int number = segment->files.volumes[0];
	uint8_t head[SHIM_LABEL_MAX];
	size_t got;
	int err;

	segment->seen.volume = file->st;
	err = shim_file__copy(file, head, sizeof(head), 0, &got);
	if (!err)
		err = shim_rec_label__decode(head, got, number, &segment->label);
	if (err == -EOPNOTSUPP && segment->any_feature)
		err = 0;
	if (err)
		return err;
	segment->format = shim_format__of(segment->label.version);
	return segment->seen.volume.st_size == segment->format->label_len ? -ENODATA : 0;
}

/*
 * Ignore a last volume that is shorter than its label, because its writer has only just started it.
 * A reader that follows the archive finds it later.
 */
static int leave_begun(const struct shim_format *f, struct shim_files *files)
{
	const int *last = &files->volumes[files->nvolumes - 1];
	uint64_t size;
	int err;

	if (files->nvolumes < 2 || last[-1] != *last - 1)
		return 0;
	err = shim_files__plain_size(files->base, *last, &size);
	if (!err && size < f->label_len)
		files->nvolumes--;
	return err == -ENOENT ? 0 : err;
}

/* Volumes are opened when they are first needed, possibly in another current directory. */
static int anchor(struct shim_files *files)
{
	char *base = shim_files__absolute(files->base);

	if (!base)
		return -ENOMEM;
	free(files->base);
	files->base = base;
	return 0;
}

int shim_segment__open(struct shim_segment *segment, const char *name, struct shim_folder *folder)
{
	struct shim_file file;
	int err;

	err = shim_files__find(name, folder, &segment->files);
	if (err)
		return err;
	if (!segment->files.meta || !segment->files.nvolumes)
		err = -ENXIO;
	if (!err)
		err = anchor(&segment->files);
	if (!err)
		err = shim_files__open(segment->files.base, segment->files.volumes[0], &file);
	if (!err) {
		err = read_label(segment, &file);
		segment->volume = shim_unpacked__share(file.unpacked);
		shim_file__close(&file);
	}
	if (!err)
		err = leave_begun(segment->format, &segment->files);
	if (err)
		shim_segment__close(segment);
	return err;
}

/* Assume a metadata file, an index and volume 0.  Opening them shows whether they exist. */
static int assume_files(struct shim_files *files, const char *name)
{
	int err = shim_files__base(name, &files->base);

	files->meta = true;
	files->index = true;
	return err ? err : shim_files__add(files, 0);
}

int shim_segment__open_plain(struct shim_segment *segment, const char *name)
{
	struct shim_file file = { 0 };
	char *path = NULL;
	int err;

	err = assume_files(&segment->files, name);
	if (!err)
		err = anchor(&segment->files);
	if (!err)
		path = shim_files__path(segment->files.base, 0);
	if (!err && !path)
		err = -ENOMEM;
	if (!err)
		err = shim_file__open(path, &file.fd, &file.st);
	if (!err) {
		err = read_label(segment, &file);
		shim_fd__own(file.fd, &segment->kept);
	}
	free(path);
	if (err)
		shim_segment__close(segment);
	return err;
}

/* Add the existing volumes from @number up to the first gap, unless @number is in @found. */
static int add_row(struct shim_files *found, int number)
{
	int err = 0;

	if (found->nvolumes && number <= found->volumes[found->nvolumes - 1])
		return 0;
	for (; number < INT32_MAX; number++) {
		err = shim_files__exists(found->base, number);
		if (err <= 0)
			break;
		err = shim_files__add(found, number);
		if (err)
			break;
	}
	return err;
}

/*
 * If the directory may be searched but not read, try the names of volumes, starting at the first
 * one and, because there may be gaps, at each volume to which the index refers.
 */
static int probe(const struct shim_segment *segment, struct shim_files *out)
{
	struct shim_files found = { .base = strdup(segment->files.base) }, named = { 0 };
	int err = found.base ? add_row(&found, segment->files.volumes[0]) : -ENOMEM;

	if (!err)
		err = shim_index__volumes(segment, &named);
	/* Without a valid index, there are no more names to try. */
	if (err == -ENOENT || err == -EBADMSG)
		err = 0;
	for (size_t i = 0; i < named.nvolumes && !err; i++)
		err = add_row(&found, named.volumes[i]);
	shim_files__free(&named);
	if (err)
		shim_files__free(&found);
	else
		*out = found;
	return err;
}

int shim_segment__list(const struct shim_segment *segment, struct shim_files *out)
{
	int err = shim_files__scan(segment->files.base, out);

	if (err == -EACCES)
		err = probe(segment, out);
	if (!err && out->nvolumes) {
		err = leave_begun(segment->format, out);
		if (err)
			shim_files__free(out);
	}
	return err;
}

void shim_segment__close(struct shim_segment *segment)
{
	shim_files__free(&segment->files);
	shim_unpacked__put(segment->volume);
	shim_unpacked__put(segment->index);
	shim_fd__release(&segment->kept);
	segment->volume = segment->index = NULL;
}
