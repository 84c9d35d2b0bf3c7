// SPDX-License-Identifier: LGPL-2.1-or-later
/* Load the index files; skip entries that are invalid or out of order. */
#include <stdlib.h>
#include <unistd.h>

#include "base/vec.h"
#include "archive.h"

static bool find_volume(const struct shim_files *files, int number, unsigned int *out)
{
	size_t lo = 0, hi = files->nvolumes;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (files->volumes[mid] < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	*out = (unsigned int)lo;
	return lo < files->nvolumes && files->volumes[lo] == number;
}

/* Whether @b may follow @a: time, volume and offset must not decrease */
static bool follows(const struct shim_place *a, const struct shim_place *b)
{
	if (shim_ts__cmp(a->stamp, b->stamp) > 0)
		return false;
	if (a->volume != b->volume)
		return a->volume < b->volume;
	return a->offset <= b->offset;
}

static int add_place(struct shim_index *index, const struct shim_place *place)
{
	if (index->n && !follows(&index->places[index->n - 1], place))
		return 0;
	if (shim_vec__room(index->places, &index->cap, index->n))
		return -ENOMEM;
	index->places[index->n++] = *place;
	return 0;
}

static int add_entry(struct shim_index *index, const struct shim_segment *segment,
		     const struct shim_entry *entry)
{
	struct shim_place place = { .stamp = entry->stamp, .offset = entry->off_data };

	if (entry->off_data < segment->format->label_len ||
	    !find_volume(&segment->files, entry->volume, &place.volume))
		return 0;
	place.volume += segment->first;
	return add_place(index, &place);
}

static int load_entries(struct shim_index *index, const struct shim_segment *segment,
			const uint8_t *p, size_t left)
{
	const struct shim_format *f = segment->format;
	struct shim_entry entry;
	int err;

	for (; left >= f->entry_len; p += f->entry_len, left -= f->entry_len) {
		if (shim_rec_index__decode(f, p, &entry))
			continue;
		err = add_entry(index, segment, &entry);
		if (err)
			return err;
	}
	return 0;
}

static int load_file(struct shim_index *index, const struct shim_segment *segment)
{
	const struct shim_format *f = segment->format;
	uint8_t *data;
	size_t size;
	int err;

	err = shim_files__load(segment->files.base, SHIM_VOLUME_INDEX, &data, &size);
	if (err)
		return err;
	err = shim_rec_label__agree(&segment->label, data, size, SHIM_VOLUME_INDEX);
	if (!err)
		err = load_entries(index, segment, data + f->label_len, size - f->label_len);
	free(data);
	return err;
}

/* Append a volume's number, unless it is negative or not greater than the last one. */
static int add_number(struct shim_files *files, int number)
{
	if (number < 0 || (files->nvolumes && number <= files->volumes[files->nvolumes - 1]))
		return 0;
	return shim_files__add(files, number);
}

int shim_index__volumes(const struct shim_segment *segment, struct shim_files *out)
{
	const struct shim_format *f = segment->format;
	struct shim_entry entry;
	size_t size;
	uint8_t *data;
	int err;

	err = shim_files__load(segment->files.base, SHIM_VOLUME_INDEX, &data, &size);
	if (err)
		return err;
	for (size_t at = f->label_len; at + f->entry_len <= size && !err; at += f->entry_len)
		if (!shim_rec_index__decode(f, data + at, &entry))
			err = add_number(out, entry.volume);
	free(data);
	return err;
}

int shim_index__load(struct shim_index *index, const struct shim_segment *segment)
{
	const struct shim_place start = {
		.stamp = segment->label.start,
		.volume = segment->first,
		.offset = segment->format->label_len,
	};
	/* a place at the segment's start, so no search for the segment begins in an earlier one */
	int err = segment->first ? add_place(index, &start) : 0;

	return err || !segment->files.index ? err : load_file(index, segment);
}

/* Get the size of the metadata file according to the last complete entry. */
static int last_entry(const struct shim_segment *segment, const struct shim_file *file,
		      uint64_t size, uint64_t *meta)
{
	const struct shim_format *f = segment->format;
	uint64_t n = (size - f->label_len) / f->entry_len;
	uint8_t bytes[SHIM_ENTRY_MAX];
	struct shim_entry entry;
	size_t got;
	int err;

	if (!n)
		return 0;
	err = shim_file__copy(file, bytes, f->entry_len, f->label_len + (n - 1) * f->entry_len,
			      &got);
	if (!err && got == f->entry_len && !shim_rec_index__decode(f, bytes, &entry))
		*meta = entry.off_meta;
	return err;
}

int shim_index__check(struct shim_segment *segment, uint64_t *meta)
{
	const struct stat *st = &segment->seen.index;
	uint8_t head[SHIM_LABEL_MAX];
	struct shim_file file;
	size_t got;
	int err;

	*meta = 0;
	if (!segment->files.index)
		return 0;
	err = shim_files__open(segment->files.base, SHIM_VOLUME_INDEX, &file);
	if (err == -ENOENT) {
		segment->files.index = false;
		return 0;
	}
	if (err)
		return err;
	segment->seen.index = file.st;
	segment->index = shim_unpacked__share(file.unpacked);
	err = shim_file__copy(&file, head, sizeof(head), 0, &got);
	if (!err)
		err = shim_rec_label__agree(&segment->label, head, got, SHIM_VOLUME_INDEX);
	if (!err && st->st_size == segment->format->label_len)
		err = -ENODATA;
	if (!err)
		err = last_entry(segment, &file, (uint64_t)st->st_size, meta);
	shim_file__close(&file);
	return err;
}

void shim_index__free(struct shim_index *index)
{
	free(index->places);
	*index = (struct shim_index){ 0 };
}

size_t shim_index__before(const struct shim_index *index, struct shim_ts when, bool or_equal)
{
	size_t lo = 0, hi = index->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (shim_ts__cmp(index->places[mid].stamp, when) < (or_equal ? 1 : 0))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

size_t shim_index__upto(const struct shim_index *index, unsigned int volume)
{
	size_t lo = 0, hi = index->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (index->places[mid].volume <= volume)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
