// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Check a part of an archive: the range of its records, and the volumes that contain any.
 *
 * Other volumes are neither read nor unpacked.
 */
#include <errno.h>

#include "archive.h"
#include "check_state.h"

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
	/* checks how it ends, unless it would have to be unpacked */
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

	if (!s->partial || !is_last(s, file->volume) || file->to >= file->size)
		return;
	len = room < sizeof(len) ? 0 : shim_be32__get(file->data + file->size - sizeof(len));
	if (len > room || shim_frame__len(file->data + file->size - len, len, s->f->record_min, &again) ||
	    again != len)
		shim_check__say(s, file, file->size, "the file ends within a record");
}
