// SPDX-License-Identifier: LGPL-2.1-or-later
/* A read buffer for a few records around a place, used instead of the mapping. */
#include <stdlib.h>

#include "base/vec.h"
#include "archive.h"
#include "readbuf.h"

void shim_readbuf__fini(struct shim_readbuf *readbuf)
{
	free(readbuf->bytes);
	*readbuf = (struct shim_readbuf){ 0 };
}

static bool read_from(struct shim_readbuf *readbuf, struct shim_archive *ar, unsigned int volume,
		      uint64_t offset, uint32_t room)
{
	const struct shim_volume *v = shim_archive__volume(ar, volume);
	struct shim_volume_view view;
	size_t len = room;

	if (shim_archive__view(ar, volume, &view) || v->joint || v->look < 0 ||
	    offset >= view.size || shim_vec__reserve(readbuf->bytes, &readbuf->room, room))
		return false;
	/* do not read beyond the view, even if the file has grown */
	if (len > view.size - offset)
		len = view.size - offset;
	readbuf->len = 0;
	if (shim_file__read(v->look, readbuf->bytes, len, offset, &len))
		return false;
	readbuf->volume = volume;
	readbuf->offset = offset;
	readbuf->len = (uint32_t)len;
	return true;
}

bool shim_readbuf__read(struct shim_readbuf *readbuf, struct shim_archive *ar, unsigned int volume,
		     uint64_t offset)
{
	return read_from(readbuf, ar, volume, offset, SHIM_READBUF_SIZE);
}

static bool is_next_to(const struct shim_readbuf *readbuf, unsigned int volume, uint64_t offset)
{
	return readbuf->len >= SHIM_READBUF_SIZE && volume == readbuf->volume && offset >= readbuf->offset &&
	       offset - readbuf->offset <= readbuf->len;
}

bool shim_readbuf__go_on(struct shim_readbuf *readbuf, struct shim_archive *ar, unsigned int volume,
		      uint64_t offset, bool back)
{
	uint64_t reach;
	uint32_t room;

	if (offset == UINT64_MAX)
		return false;
	room = is_next_to(readbuf, volume, offset) ? 2 * readbuf->len : SHIM_READBUF_SIZE;
	if (room > SHIM_READBUF_MAX)
		room = SHIM_READBUF_MAX;
	/* also read some bytes on the other side, for a cursor that changes direction */
	reach = back ? room - room / 8 : room / 8;
	return read_from(readbuf, ar, volume, offset > reach ? offset - reach : 0, room);
}

static const struct shim_format *format_of(const struct shim_archive *ar, unsigned int volume)
{
	return shim_archive__volume(ar, volume)->segment->format;
}

bool shim_readbuf__at(const struct shim_readbuf *readbuf, const struct shim_archive *ar,
		   unsigned int volume, uint64_t offset, struct shim_record *rec)
{
	uint64_t from = offset - readbuf->offset;

	/* otherwise the label before the first record could be mistaken for a record */
	if (volume != readbuf->volume || offset < readbuf->offset || from >= readbuf->len ||
	    offset < shim_archive__head(ar, volume) ||
	    shim_rec_result__decode(format_of(ar, volume), readbuf->bytes + from, readbuf->len - from,
				    rec))
		return false;
	rec->offset = offset;
	return true;
}

bool shim_readbuf__before(const struct shim_readbuf *readbuf, const struct shim_archive *ar,
		       unsigned int volume, uint64_t offset, struct shim_record *rec)
{
	uint64_t to = offset - readbuf->offset;
	uint32_t len;

	if (volume != readbuf->volume || offset < readbuf->offset || to > readbuf->len || to < 4)
		return false;
	len = shim_be32__get(readbuf->bytes + to - 4);
	return len <= to && shim_readbuf__at(readbuf, ar, volume, offset - len, rec) && rec->len == len;
}

int shim_readbuf__keep(const struct shim_readbuf *readbuf, struct shim_archive *ar,
		    const struct shim_record *rec, struct shim_value *value)
{
	struct shim_volume_view view;
	int err;

	if (value->type < SHIM_TYPE_STRING || !readbuf->len || rec->data < readbuf->bytes ||
	    rec->data >= readbuf->bytes + readbuf->len)
		return 0;
	err = shim_archive__view(ar, rec->volume, &view);
	if (err)
		return err;
	if (view.size - rec->len < rec->offset)
		return -EBADMSG;
	value->bytes = view.data + rec->offset + ((const uint8_t *)value->bytes - rec->data);
	return 0;
}
