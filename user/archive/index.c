// SPDX-License-Identifier: LGPL-2.1-or-later
/* Load the index files, skipping entries that are invalid or out of order. */
#include <stdlib.h>
#include <unistd.h>

#include "archive.h"
#include "base/vec.h"
#include "index.h"
#include "volume.h"

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

/* Return whether @b may follow @a: neither time nor volume nor offset may decrease. */
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
	/*
	 * Add a place at the segment's start, so that a search in this segment never begins in an
	 * earlier one.
	 */
	int err = segment->first ? add_place(index, &start) : 0;

	return err || !segment->files.index ? err : load_file(index, segment);
}

/* Get the last complete entry, unless it is invalid. */
static int last_entry(const struct shim_segment *segment, const struct shim_file *file,
		      uint64_t size, struct shim_entry *last)
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
		*last = entry;
	return err;
}

int shim_index__check(struct shim_segment *segment, struct shim_entry *last)
{
	const struct stat *st = &segment->seen.index;
	uint8_t head[SHIM_LABEL_MAX];
	struct shim_file file;
	size_t got;
	int err;

	*last = (struct shim_entry){ 0 };
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
		err = last_entry(segment, &file, (uint64_t)st->st_size, last);
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

/*
 * Interpolation search for a time in a range of records.
 *
 * The position is estimated from the times at both ends, and a window there is searched for several
 * consecutive records.  Each must have the same length at both ends and a stamp that is not earlier
 * than the previous one.  Their stamps narrow the range.  If no records are recognized, or their
 * stamps are out of order, the search ends with the best position found so far.
 */

#define ROUNDS		12
#define BY_TIME		5	/* rounds; later ones halve the range, in case the clock jumped */
#define WINDOW		SHIM_READBUF_SIZE
#define WORTH		(2 * WINDOW)	/* a shorter range is searched linearly */
#define IN_A_ROW	2	/* records that must be valid before a window is trusted */

/*
 * struct bound - an end of the range
 * @stamp: stamp of the record there, if @known
 */
struct bound {
	uint64_t offset;
	struct shim_ts stamp;
	bool known;
};

/*
 * struct search - the state of a search
 * @lo: a place before @when, according to the record read there if @found, otherwise according to
 *   the index
 * @hi: a place at or after @when, or the end of the volume
 */
struct search {
	struct shim_cursor *cur;
	struct shim_volume_view view;
	unsigned int volume;
	struct shim_ts when;
	bool or_equal;
	bool found;
	struct bound lo, hi;
};

/*
 * struct row - consecutive records of a window
 * @first: the first record
 * @last: the last record before the time; valid if @any
 * @beyond: at least one record is at or after the time
 */
struct row {
	struct bound first, last;
	bool any, beyond;
};

struct window {
	const uint8_t *data;
	uint64_t offset;
	uint32_t len;
};

static bool is_before(const struct search *s, struct shim_ts stamp)
{
	return shim_ts__cmp(stamp, s->when) < (s->or_equal ? 1 : 0);
}

static bool is_within(const struct search *s, struct shim_ts stamp)
{
	return (!s->lo.known || shim_ts__cmp(s->lo.stamp, stamp) <= 0) &&
	       (!s->hi.known || shim_ts__cmp(stamp, s->hi.stamp) <= 0);
}

static bool window_look(const struct search *s, uint64_t offset, struct window *w)
{
	struct shim_readbuf *readbuf = s->cur->readbuf;

	w->offset = offset;
	if (readbuf && shim_readbuf__read(readbuf, s->cur->ar, s->volume, offset)) {
		w->data = readbuf->bytes;
		w->len = readbuf->len;
		return true;
	}
	if (offset >= s->view.size)
		return false;
	shim_cursor__look_at(s->cur, s->volume, offset);
	w->data = s->view.data + offset;
	w->len = s->view.size - offset < WINDOW ? (uint32_t)(s->view.size - offset) : WINDOW;
	/* If that fails, the linear search that follows returns the error. */
	return !shim_unpacked__need(s->view.unpacked, offset, w->len);
}

/* Decode the records from @at to the window's end.  Return false if other data is found there. */
static bool row_at(const struct search *s, const struct window *w, uint32_t at, struct row *out)
{
	struct row row = { 0 };
	struct shim_ts former;
	struct shim_record rec;
	unsigned int n = 0;
	int err;

	while (!(err = shim_rec_result__decode(s->view.format, w->data + at, w->len - at, &rec))) {
		const struct bound here = { w->offset + at, rec.stamp, true };

		if (!is_within(s, rec.stamp) || (n && shim_ts__cmp(rec.stamp, former) < 0))
			return false;
		if (!n++)
			row.first = here;
		if (is_before(s, rec.stamp)) {
			row.last = here;
			row.any = true;
		} else {
			row.beyond = true;
		}
		former = rec.stamp;
		at += rec.len;
	}
	*out = row;
	return err == -ENODATA && n >= IN_A_ROW;
}

static bool find_row(const struct search *s, const struct window *w, struct row *out)
{
	for (uint32_t at = 0; at + s->view.format->record_min <= w->len; at += 4) {
		uint32_t len;

		if (!shim_frame__len(w->data + at, w->len - at, s->view.format->record_min, &len) &&
		    row_at(s, w, at, out))
			return true;
	}
	return false;
}

/* Return the fraction of the range at which the time is expected. */
static double share(const struct search *s, unsigned int round)
{
	double all, part;

	if (round >= BY_TIME || !s->lo.known || !s->hi.known)
		return 0.5;
	all = shim_ts__seconds(shim_ts__sub(s->hi.stamp, s->lo.stamp));
	part = shim_ts__seconds(shim_ts__sub(s->when, s->lo.stamp));
	return all > 0 && part > 0 ? part < all ? part / all : 1 : 0;
}

/*
 * Return the offset of a window around the estimated position.  Like the offsets of records, it is
 * a multiple of four.
 */
static uint64_t guess(const struct search *s, unsigned int round)
{
	uint64_t room = s->hi.offset - s->lo.offset;
	uint64_t at = (uint64_t)((double)room * share(s, round));

	at = at > WINDOW / 2 ? at - WINDOW / 2 : 0;
	if (at + WINDOW > room)
		at = room > WINDOW ? room - WINDOW : 0;
	return s->lo.offset + (at & ~(uint64_t)3);
}

static void narrow(struct search *s)
{
	for (unsigned int round = 0; round < ROUNDS && s->lo.offset < s->hi.offset; round++) {
		struct window w;
		struct row row;

		if (!window_look(s, guess(s, round), &w) || !find_row(s, &w, &row))
			return;
		if (!row.any) {
			if (row.first.offset <= s->lo.offset || row.first.offset >= s->hi.offset)
				return;
			s->hi = row.first;
			continue;
		}
		if (row.last.offset <= s->lo.offset && s->found)
			return;
		s->lo = row.last;
		s->found = true;
		if (row.beyond)
			return;
	}
}

/* Skip each volume if the next one also begins before the time. */
static int skip_volumes(struct search *s, unsigned int last)
{
	struct shim_archive *ar = s->cur->ar;
	int err;

	while (s->volume < last) {
		struct shim_record rec;
		struct shim_volume_view next;

		err = shim_archive__view(ar, s->volume + 1, &next);
		if (err)
			return err == -SHIM_EVOLUME ? 0 : err;
		if (shim_volume_record__at(&next, next.head, &rec) || !is_before(s, rec.stamp))
			return 0;
		s->volume++;
		s->lo = (struct bound){ next.head, rec.stamp, true };
		s->found = true;
	}
	return 0;
}

/* Set the bounds to the last index place before the time and the first one after it. */
static int begin(struct search *s, const struct shim_index *index, size_t n)
{
	struct shim_archive *ar = s->cur->ar;
	const struct shim_place *from = n ? &index->places[n - 1] : NULL;
	const struct shim_place *to = n < index->n ? &index->places[n] : NULL;
	int err;

	s->volume = from ? from->volume : 0;
	if (from)
		s->lo = (struct bound){ from->offset, from->stamp, true };
	else
		s->lo = (struct bound){ shim_archive__head(ar, 0), shim_archive__label(ar)->start,
					true };
	err = skip_volumes(s, to ? to->volume : shim_archive__nvolumes(ar) - 1);
	if (!err)
		err = shim_archive__view(ar, s->volume, &s->view);
	if (err)
		return err;
	s->hi = (struct bound){ s->view.size, { 0, 0 }, false };
	if (to) {
		s->hi.stamp = to->stamp;
		s->hi.known = true;
		if (to->volume == s->volume && to->offset < s->view.size)
			s->hi.offset = to->offset;
	}
	return 0;
}

int shim_bisect__place(struct shim_cursor *cur, const struct shim_index *index, size_t n,
			struct shim_ts when, bool or_equal)
{
	struct search s = { .cur = cur, .when = when, .or_equal = or_equal };

	int err = begin(&s, index, n);

	if (err)
		return err == -SHIM_EVOLUME ? 0 : err;
	if (s.hi.offset > s.lo.offset && s.hi.offset - s.lo.offset >= WORTH)
		narrow(&s);
	if (!s.found)
		return 0;
	cur->volume = s.volume;
	cur->offset = s.lo.offset;
	return 1;
}
