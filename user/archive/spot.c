// SPDX-License-Identifier: LGPL-2.1-or-later
/* A few records around a place, read instead of mapped. */
#include <stdlib.h>

#include "archive.h"
#include "spot.h"

void shim_spot__fini(struct shim_spot *spot)
{
	free(spot->bytes);
	*spot = (struct shim_spot){ 0 };
}

static bool make_room(struct shim_spot *spot, uint32_t room)
{
	uint8_t *bytes;

	if (spot->room >= room)
		return true;
	bytes = realloc(spot->bytes, room);
	if (!bytes)
		return false;
	spot->bytes = bytes;
	spot->room = room;
	return true;
}

static bool read_from(struct shim_spot *spot, struct shim_archive *ar, unsigned int volume,
		      uint64_t offset, uint32_t room)
{
	const struct shim_volume *v = shim_archive__volume(ar, volume);
	struct shim_view view;
	size_t len = room;

	if (!shim_archive__view(ar, volume, &view) || v->joint || v->look < 0 ||
	    offset >= view.size || !make_room(spot, room))
		return false;
	/* nothing is seen here that the view does not have yet */
	if (len > view.size - offset)
		len = view.size - offset;
	spot->len = 0;
	if (shim_file__read(v->look, spot->bytes, len, offset, &len))
		return false;
	spot->volume = volume;
	spot->offset = offset;
	spot->len = (uint32_t)len;
	return true;
}

bool shim_spot__read(struct shim_spot *spot, struct shim_archive *ar, unsigned int volume,
		     uint64_t offset)
{
	return read_from(spot, ar, volume, offset, SHIM_SPOT_SIZE);
}

static bool is_next_to(const struct shim_spot *spot, unsigned int volume, uint64_t offset)
{
	return spot->len >= SHIM_SPOT_SIZE && volume == spot->volume && offset >= spot->offset &&
	       offset - spot->offset <= spot->len;
}

bool shim_spot__go_on(struct shim_spot *spot, struct shim_archive *ar, unsigned int volume,
		      uint64_t offset, bool back)
{
	uint64_t reach;
	uint32_t room;

	if (offset == UINT64_MAX)
		return false;
	room = is_next_to(spot, volume, offset) ? 2 * spot->len : SHIM_SPOT_SIZE;
	if (room > SHIM_SPOT_MAX)
		room = SHIM_SPOT_MAX;
	/* some is kept behind, for who turns round */
	reach = back ? room - room / 8 : room / 8;
	return read_from(spot, ar, volume, offset > reach ? offset - reach : 0, room);
}

static const struct shim_format *format_of(const struct shim_archive *ar, unsigned int volume)
{
	return shim_archive__volume(ar, volume)->part->format;
}

bool shim_spot__at(const struct shim_spot *spot, const struct shim_archive *ar,
		   unsigned int volume, uint64_t offset, struct shim_record *rec)
{
	uint64_t from = offset - spot->offset;

	/* what is before the records is the label, which may look like one */
	if (volume != spot->volume || offset < spot->offset || from >= spot->len ||
	    offset < shim_archive__head(ar, volume) ||
	    shim_rec_result__decode(format_of(ar, volume), spot->bytes + from, spot->len - from,
				    rec))
		return false;
	rec->offset = offset;
	return true;
}

bool shim_spot__before(const struct shim_spot *spot, const struct shim_archive *ar,
		       unsigned int volume, uint64_t offset, struct shim_record *rec)
{
	uint64_t to = offset - spot->offset;
	uint32_t len;

	if (volume != spot->volume || offset < spot->offset || to > spot->len || to < 4)
		return false;
	len = shim_be32__get(spot->bytes + to - 4);
	return len <= to && shim_spot__at(spot, ar, volume, offset - len, rec) && rec->len == len;
}

int shim_spot__keep(const struct shim_spot *spot, struct shim_archive *ar,
		    const struct shim_record *rec, struct shim_value *value)
{
	struct shim_view view;

	if (value->type < SHIM_TYPE_STRING || !spot->len || rec->data < spot->bytes ||
	    rec->data >= spot->bytes + spot->len)
		return 0;
	if (!shim_archive__view(ar, rec->volume, &view) || view.size - rec->len < rec->offset)
		return -EBADMSG;
	value->bytes = view.data + rec->offset + ((const uint8_t *)value->bytes - rec->data);
	return 0;
}
