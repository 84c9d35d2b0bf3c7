// SPDX-License-Identifier: LGPL-2.1-or-later
/* An entry of the temporal index. */
#include "record.h"

/**
 * shim_rec_index__decode() - read an entry
 * @f: format of the archive
 * @p: @f->entry_len bytes
 * @out: the entry
 *
 * Return: 0, or -EBADMSG if its stamp is invalid.
 */
int shim_rec_index__decode(const struct shim_format *f, const uint8_t *p, struct shim_entry *out)
{
	struct shim_entry entry;

	if (shim_stamp__decode(f, p, &entry.stamp))
		return -EBADMSG;
	p += f->stamp_len;
	entry.volume = (int32_t)shim_be32__get(p);
	if (f->version == 2) {
		entry.off_meta = shim_be32__get(p + 4);
		entry.off_data = shim_be32__get(p + 8);
	} else {
		entry.off_meta = shim_be64__get(p + 4);
		entry.off_data = shim_be64__get(p + 12);
	}
	*out = entry;
	return 0;
}

void shim_rec_index__encode(const struct shim_format *f, struct shim_buf *buf,
			    const struct shim_entry *entry)
{
	shim_stamp__encode(f, buf, entry->stamp);
	shim_buf__put32(buf, (uint32_t)entry->volume);
	if (f->version == 2) {
		shim_buf__put32(buf, (uint32_t)entry->off_meta);
		shim_buf__put32(buf, (uint32_t)entry->off_data);
	} else {
		shim_buf__put64(buf, entry->off_meta);
		shim_buf__put64(buf, entry->off_data);
	}
}
