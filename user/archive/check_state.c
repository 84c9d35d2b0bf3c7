// SPDX-License-Identifier: LGPL-2.1-or-later
/* Code shared by the parts of an archive's check: reporting, labels, volumes */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "archive.h"
#include "base/vec.h"
#include "check_state.h"
#include "record.h"

#define RELEASE_BYTES	(4u << 20)	/* a multiple of any page size */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void __attribute__((format(printf, 4, 5)))
shim_check__say(struct shim_check_state *s, const struct shim_check_file *file, uint64_t offset,
		const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (s->problems < INT_MAX)
		s->problems++;
	s->check->problem(s->check->arg, base_of(file->path), offset, text);
}

void __attribute__((format(printf, 5, 6)))
shim_check__note(struct shim_check_state *s, enum shim_check_note kind,
		 const struct shim_check_file *file, uint64_t offset, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (s->check->note)
		s->check->note(s->check->arg, kind, base_of(file->path), offset, text);
}

bool shim_check__unpacked(struct shim_check_state *s, const struct shim_check_file *file,
			  uint64_t offset, int err)
{
	if (err == -EBADMSG)
		shim_check__say(s, file, offset, "the compressed data is damaged");
	else if (err)
		s->err = err;
	return !err;
}

int shim_check__first_label(struct shim_check_state *s, const struct shim_check_file *file)
{
	int err = shim_rec_label__decode(file->data, file->size, file->volume, &s->first);

	if (err == -EOPNOTSUPP) {
		shim_check__note(s, SHIM_CHECK_UNKNOWN, file, 0,
				 "features %#x unknown to this library", s->first.features);
		err = 0;
	}
	if (!err)
		s->f = shim_format__of(s->first.version);
	return err;
}

/*
 * Report a file that is only a label.  No version of PCP opens an archive whose first volume, index
 * or metadata is only a label.
 */
static void only_label(struct shim_check_state *s, const struct shim_check_file *file)
{
	bool later = file->volume >= 0 && s->names.nvolumes && file != &s->volumes[0];

	if (later)
		shim_check__note(s, SHIM_CHECK_INCOMPLETE, file, file->size,
				 "the volume contains no records");
	else
		shim_check__say(s, file, file->size, "the file contains only a label");
}

bool shim_check__label(struct shim_check_state *s, const struct shim_check_file *file)
{
	int err;

	if (!file->data)
		return false;
	err = s->f ? shim_rec_label__agree(&s->first, file->data, file->size, file->volume) :
		     shim_check__first_label(s, file);
	if (err)
		shim_check__say(s, file, 0, "the label is invalid, or differs from that of the first volume");
	else if (file->size == s->f->label_len)
		only_label(s, file);
	return !err;
}

struct shim_check_file *shim_check__volume(const struct shim_check_state *s, int32_t volume)
{
	for (size_t i = 0; i < s->names.nvolumes; i++)
		if (s->volumes[i].volume == volume)
			return &s->volumes[i];
	return NULL;
}

void shim_check__release(struct shim_check_file *file, uint64_t offset)
{
	uint64_t upto = (offset < file->size ? offset : file->size) / RELEASE_BYTES * RELEASE_BYTES;

	if (upto > file->released)
		madvise(file->data + file->released, upto - file->released, MADV_DONTNEED);
	file->released = upto;
}

/* Check an archive's index: entries must be in order and refer to records. */

/*
 * Handle the result of unpacking a record.  Return false if that failed.  If its compressed form is
 * damaged, the check of its file has reported that.
 */
static bool can_read(struct shim_check_state *s, int err)
{
	if (err && err != -EBADMSG)
		s->err = err;
	return !err;
}

/*
 * Return whether @offset is the start of a record or the end of the file, as determined from the
 * record before it; true if that cannot be unpacked.
 */
static bool is_boundary(struct shim_check_state *s, const struct shim_check_file *file,
			uint64_t offset)
{
	uint32_t len, before;

	if (offset == s->f->label_len)
		return true;
	if (offset < s->f->label_len + SHIM_FRAME_LEN || offset > file->size)
		return false;
	if (!can_read(s, shim_unpacked__need(file->unpacked, offset - 4, 4)))
		return true;
	before = shim_be32__get(file->data + offset - 4);
	if (before < SHIM_META_MIN || before > offset - s->f->label_len)
		return false;
	if (!can_read(s, shim_unpacked__need(file->unpacked, offset - before, before)))
		return true;
	return !shim_frame__len(file->data + offset - before, before, SHIM_META_MIN, &len) &&
	       len == before;
}

static const char *check_entry(struct shim_check_state *s, const struct shim_entry *e,
			       const struct shim_entry *before)
{
	struct shim_check_file *volume = shim_check__volume(s, e->volume);
	struct shim_record rec;

	if (before && shim_ts__cmp(e->stamp, before->stamp) < 0)
		return "is older than the one before it";
	if (before && (e->volume < before->volume || e->off_meta < before->off_meta ||
		       (e->volume == before->volume && e->off_data < before->off_data)))
		return "refers to an earlier position than the one before it";
	if (s->meta.data && !is_boundary(s, &s->meta, e->off_meta))
		return "refers to a position in .meta at which no record begins";
	/* An old volume may have been removed, but no volume follows the last one. */
	if (!volume || !volume->data)
		return e->volume < 0 || (s->names.nvolumes &&
					 e->volume > s->names.volumes[s->names.nvolumes - 1]) ?
		       "refers to a volume that does not exist" : NULL;
	if (s->partial && (e->off_data < volume->from || e->off_data > volume->to))
		return NULL;
	if (!is_boundary(s, volume, e->off_data))
		return "refers to a position in its volume at which no record begins";
	shim_check__release(volume, e->off_data);
	/* Loggers take the time of an entry slightly after the time of its record. */
	if (before && e->off_data < volume->size &&
	    can_read(s, shim_unpacked__need_record(volume->unpacked, e->off_data)) &&
	    !shim_rec_result__decode(s->f, volume->data + e->off_data, volume->size - e->off_data,
				     &rec) && shim_ts__cmp(rec.stamp, before->stamp) < 0)
		return "refers to a record that is older than the previous entry";
	return NULL;
}

void shim_check__index(struct shim_check_state *s)
{
	struct shim_entry entry, before;
	bool has_before = false;
	uint64_t offset;
	int err;

	if (!s->names.index || !shim_check__label(s, &s->index))
		return;
	for (offset = s->f->label_len; offset < s->index.size; offset += s->f->entry_len) {
		const char *text;

		if (s->index.size - offset < s->f->entry_len) {
			shim_check__say(s, &s->index, offset, "the file ends within an entry");
			return;
		}
		err = shim_unpacked__need(s->index.unpacked, offset, s->f->entry_len);
		if (!shim_check__unpacked(s, &s->index, offset, err))
			return;
		if (shim_rec_index__decode(s->f, s->index.data + offset, &entry)) {
			shim_check__say(s, &s->index, offset, "an entry is damaged");
			continue;
		}
		text = check_entry(s, &entry, has_before ? &before : NULL);
		if (text)
			shim_check__say(s, &s->index, offset, "an entry %s", text);
		before = entry;
		has_before = true;
	}
}

/* Check a part of an archive.  Only volumes with records of that part are read or unpacked. */

static struct shim_check_place place_of(const struct shim_cursor *c)
{
	return (struct shim_check_place){
		shim_archive__volume(c->ar, c->volume)->number, c->offset
	};
}

/* Find the place before the first record of the span. */
static int find_from(struct shim_check_state *s, struct shim_ts when)
{
	struct shim_cursor c;
	int err;

	shim_cursor__init(&c, s->ar);
	err = shim_cursor__seek_before(&c, when);
	if (!err)
		s->from = place_of(&c);
	return err;
}

/*
 * Find the place after the last record of the span.  If the span reaches the archive's last record,
 * any data after that record belongs to the span.
 */
static int find_to(struct shim_check_state *s, struct shim_ts when)
{
	struct shim_cursor c;
	struct shim_ts end;
	int err = shim_archive__end(s->ar, &end);

	if (!err && shim_ts__cmp(when, end) >= 0) {
		s->to.volume = s->names.volumes[s->names.nvolumes - 1];
		s->to.offset = UINT64_MAX;
		return 0;
	}
	shim_cursor__init(&c, s->ar);
	if (!err)
		err = shim_cursor__seek_after(&c, when);
	if (!err)
		s->to = place_of(&c);
	return err;
}

int shim_check_part__find(struct shim_check_state *s, const struct shim_check_span *span)
{
	int err;

	if (!s->ar || !s->names.nvolumes)
		return 0;
	err = find_from(s, span->from);
	if (!err)
		err = find_to(s, span->to);
	s->partial = !err;
	return err == -ENOMEM ? err : 0;
}

static bool is_last(const struct shim_check_state *s, int volume)
{
	return volume == s->names.volumes[s->names.nvolumes - 1];
}

bool shim_check_part__has(const struct shim_check_state *s, size_t i)
{
	int volume = s->names.volumes[i];
	uint64_t size;

	if (!s->partial ||
	    (!s->check->span->points && s->from.volume <= volume && volume <= s->to.volume))
		return true;
	/* Check how the volume ends, unless that requires unpacking it. */
	return is_last(s, volume) && !shim_files__plain_size(s->names.base, volume, &size);
}

void shim_check_part__limit(const struct shim_check_state *s, struct shim_check_file *file)
{
	bool has = !s->partial || (!s->check->span->points && s->from.volume <= file->volume &&
				   file->volume <= s->to.volume);

	file->from = s->f->label_len;
	file->to = has ? file->size : file->from;
	if (!s->partial || !has)
		return;
	if (file->volume == s->from.volume && s->from.offset > file->from)
		file->from = s->from.offset;
	if (file->volume == s->to.volume && s->to.offset < file->to)
		file->to = s->to.offset;
}

void shim_check_part__end(struct shim_check_state *s, const struct shim_check_file *file)
{
	uint64_t room = file->size - s->f->label_len;
	uint32_t len, again;
	int err;

	if (!s->partial || !is_last(s, file->volume) || file->to >= file->size)
		return;
	err = shim_unpacked__need(file->unpacked, file->size - sizeof(len), sizeof(len));
	len = room < sizeof(len) || err ? 0 :
	      shim_be32__get(file->data + file->size - sizeof(len));
	if (!err && len <= room)
		err = shim_unpacked__need(file->unpacked, file->size - len, len);
	if (!shim_check__unpacked(s, file, file->size, err))
		return;
	if (len > room ||
	    shim_frame__len(file->data + file->size - len, len, s->f->record_min, &again) ||
	    again != len)
		shim_check__say(s, file, file->size, "the file ends within a record");
}

/*
 * Find values of instances for which no record contains a name, and count them per metric.
 *
 * A logger fetches values first and names later, so an instance that ends before its name is
 * fetched never gets one.  Archives with per-process metrics nearly always have such instances.
 */

/*
 * Find @key, or append it to the @n elements of an array that has space for it.  Return 1 if it is
 * new.
 */
static int position(struct shim_pmidmap *map, uint32_t key, size_t *n, uint32_t *at)
{
	*at = shim_pmidmap__get(map, key);
	if (*at != SHIM_PMIDMAP_NONE)
		return 0;
	*at = (uint32_t)*n;
	if (shim_pmidmap__add(map, key, *at))
		return -ENOMEM;
	(*n)++;
	return 1;
}

static int named_of(struct shim_nameless *nameless, uint32_t indom, struct shim_pmidmap **out)
{
	uint32_t at;
	int is_new;

	if (shim_vec__room(nameless->named, &nameless->named_room, nameless->ndomains))
		return -ENOMEM;
	is_new = position(&nameless->domains, indom, &nameless->ndomains, &at);
	if (is_new < 0)
		return is_new;
	if (is_new)
		nameless->named[at] = (struct shim_pmidmap){ 0 };
	*out = &nameless->named[at];
	return 0;
}

int shim_nameless__name(struct shim_nameless *nameless, const struct shim_rec_indom *rec)
{
	struct shim_pmidmap *named;
	int err = named_of(nameless, rec->indom, &named);

	for (uint32_t i = 0; i < rec->n && !err; i++) {
		uint32_t inst = (uint32_t)shim_rec_indom__id(rec, i);

		if (shim_rec_indom__name(rec, i) &&
		    shim_pmidmap__get(named, inst) == SHIM_PMIDMAP_NONE)
			err = shim_pmidmap__add(named, inst, 0);
	}
	return err;
}

static int count(struct shim_nameless *nameless, const struct shim_nameless_metric *found)
{
	uint32_t at;
	int is_new;

	if (shim_vec__room(nameless->all, &nameless->room, nameless->n))
		return -ENOMEM;
	is_new = position(&nameless->metrics, found->pmid, &nameless->n, &at);
	if (is_new < 0)
		return is_new;
	if (is_new)
		nameless->all[at] = *found;
	nameless->all[at].values += !is_new;
	nameless->found++;
	return 0;
}

int shim_nameless__value(struct shim_nameless *nameless, uint32_t indom, int32_t inst,
			 const struct shim_nameless_metric *at)
{
	uint32_t domain = shim_pmidmap__get(&nameless->domains, indom);

	if (domain != SHIM_PMIDMAP_NONE &&
	    shim_pmidmap__get(&nameless->named[domain], (uint32_t)inst) != SHIM_PMIDMAP_NONE)
		return 0;
	return count(nameless, at);
}

void shim_nameless__fini(struct shim_nameless *nameless)
{
	for (size_t i = 0; i < nameless->ndomains; i++)
		shim_pmidmap__fini(&nameless->named[i]);
	free(nameless->named);
	free(nameless->all);
	shim_pmidmap__fini(&nameless->domains);
	shim_pmidmap__fini(&nameless->metrics);
}

/*
 * Recognize records with the same layout as a record in which no problem was found.
 *
 * Storing a layout costs as much as checking a few records.  Therefore, while layouts do not
 * repeat, most of them are not stored.
 */

#define LAYOUT_MAX	(1u << 20)	/* bytes of a record; its layout takes twice as many */
#define FAILURES_MAX	6		/* then only one of 64 records replaces a layout */

static struct shim_check_kind *kind_of(struct shim_check_kinds *kinds,
				       const struct shim_record *rec)
{
	return &kinds->all[(rec->len / 4 + rec->npmids * 5) % SHIM_CHECK_KINDS];
}

bool shim_check_kinds__has(struct shim_check_kinds *kinds, const struct shim_record *rec)
{
	struct shim_check_kind *kind = kind_of(kinds, rec);

	if (!shim_record_layout__fits(&kind->layout, rec))
		return false;
	/* If records of two layouts alternate here, keep one of the layouts. */
	kind->rest = 1;
	kind->failures = 0;
	return true;
}

void shim_check_kinds__add(struct shim_check_kinds *kinds, const struct shim_record *rec)
{
	struct shim_check_kind *kind = kind_of(kinds, rec);

	if (rec->len > LAYOUT_MAX)
		return;
	if (kind->rest) {
		kind->rest--;
		return;
	}
	kind->rest = (1u << kind->failures) - 1;
	if (kind->failures < FAILURES_MAX)
		kind->failures++;
	shim_record_layout__fini(&kind->layout);
	shim_record_layout__make(&kind->layout, rec);
}

void shim_check_kinds__fini(struct shim_check_kinds *kinds)
{
	for (unsigned int i = 0; i < SHIM_CHECK_KINDS; i++)
		shim_record_layout__fini(&kinds->all[i].layout);
}
