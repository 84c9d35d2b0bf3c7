// SPDX-License-Identifier: LGPL-2.1-or-later
/* Check an archive's index: entries must be in order and refer to records. */
#include "check_state.h"
#include "record.h"

/*
 * Whether @offset is the start of a record or the end of the file, judged by the record before it
 */
static bool is_boundary(const struct shim_check_state *s, const struct shim_check_file *file,
			uint64_t offset)
{
	uint32_t len, before;

	if (offset == s->f->label_len)
		return true;
	if (offset < s->f->label_len + SHIM_FRAME_LEN || offset > file->size)
		return false;
	before = shim_be32__get(file->data + offset - 4);
	if (before < SHIM_META_MIN || before > offset - s->f->label_len)
		return false;
	return !shim_frame__len(file->data + offset - before, before, SHIM_META_MIN, &len) &&
	       len == before;
}

static const char *check_entry(const struct shim_check_state *s, const struct shim_entry *e,
			       const struct shim_entry *before)
{
	struct shim_check_file *volume = shim_check__volume(s, e->volume);
	struct shim_record rec;

	if (before && shim_ts__cmp(e->stamp, before->stamp) < 0)
		return "is older than the one before it";
	if (before && (e->volume < before->volume || e->off_meta < before->off_meta ||
		       (e->volume == before->volume && e->off_data < before->off_data)))
		return "leads back";
	if (s->meta.data && !is_boundary(s, &s->meta, e->off_meta))
		return "refers to a place in .meta where no record begins";
	/* an old volume may have been removed, but no volume follows the last one */
	if (!volume || !volume->data)
		return e->volume < 0 || (s->names.nvolumes &&
					 e->volume > s->names.volumes[s->names.nvolumes - 1]) ?
		       "refers to a volume that does not exist" : NULL;
	if (s->partial && (e->off_data < volume->from || e->off_data > volume->to))
		return NULL;
	if (!is_boundary(s, volume, e->off_data))
		return "refers to a place in its volume where no record begins";
	shim_check__release(volume, e->off_data);
	/* loggers take the time of an entry slightly after the time of its record */
	if (before && e->off_data < volume->size &&
	    !shim_rec_result__decode(s->f, volume->data + e->off_data, volume->size - e->off_data,
				     &rec) && shim_ts__cmp(rec.stamp, before->stamp) < 0)
		return "leads to a record older than the entry before it";
	return NULL;
}

void shim_check__index(struct shim_check_state *s)
{
	struct shim_entry entry, before;
	bool has_before = false;
	uint64_t offset;

	if (!s->names.index || !shim_check__label(s, &s->index))
		return;
	for (offset = s->f->label_len; offset < s->index.size; offset += s->f->entry_len) {
		const char *text;

		if (s->index.size - offset < s->f->entry_len) {
			shim_check__say(s, &s->index, offset, "the file ends within an entry");
			return;
		}
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
