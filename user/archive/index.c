// SPDX-License-Identifier: LGPL-2.1-or-later
/* Loading the index file; entries that cannot be true are left out. */
#include <stdlib.h>

#include "base/vec.h"
#include "files.h"
#include "index.h"

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

/* Time, volume and offset never decrease */
static bool follows(const struct shim_place *a, const struct shim_place *b)
{
	if (shim_ts__cmp(a->stamp, b->stamp) > 0)
		return false;
	if (a->volume != b->volume)
		return a->volume < b->volume;
	return a->offset <= b->offset;
}

static int add_entry(struct shim_index *index, size_t *cap, const struct shim_files *files,
		     const struct shim_format *f, const struct shim_entry *entry)
{
	struct shim_place place = { .stamp = entry->stamp, .offset = entry->off_data };
	struct shim_place *places;

	if (entry->off_data < f->label_len || !find_volume(files, entry->volume, &place.volume))
		return 0;
	if (index->n && !follows(&index->places[index->n - 1], &place))
		return 0;
	places = shim_vec__room(index->places, cap, index->n, sizeof(*places));
	if (!places)
		return -ENOMEM;
	index->places = places;
	places[index->n++] = place;
	if (entry->off_meta > index->meta)
		index->meta = entry->off_meta;
	return 0;
}

static int load_entries(struct shim_index *index, const struct shim_files *files,
			const struct shim_format *f, const uint8_t *p, size_t left)
{
	struct shim_entry entry;
	size_t cap = 0;
	int err;

	for (; left >= f->entry_len; p += f->entry_len, left -= f->entry_len) {
		if (shim_rec_index__decode(f, p, &entry))
			continue;
		err = add_entry(index, &cap, files, f, &entry);
		if (err)
			return err;
	}
	return 0;
}

int shim_index__load(struct shim_index *index, const struct shim_files *files,
		     const struct shim_label *label)
{
	const struct shim_format *f = shim_format__of(label->version);
	uint8_t *data;
	size_t size;
	int err;

	err = shim_files__load(files->base, SHIM_VOLUME_INDEX, &data, &size);
	if (err)
		return err;
	err = shim_rec_label__agree(label, data, size, SHIM_VOLUME_INDEX);
	if (!err && size == f->label_len)
		err = -ENODATA;
	if (!err)
		err = load_entries(index, files, f, data + f->label_len, size - f->label_len);
	free(data);
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
