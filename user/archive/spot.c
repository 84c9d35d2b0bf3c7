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

bool shim_spot__read(struct shim_spot *spot, struct shim_archive *ar, unsigned int volume,
		     uint64_t offset)
{
	const struct shim_volume *v = shim_archive__volume(ar, volume);
	struct shim_view view;
	size_t len = SHIM_SPOT_SIZE;

	if (!shim_archive__view(ar, volume, &view) || v->joint || v->look < 0 ||
	    offset >= view.size)
		return false;
	if (!spot->bytes)
		spot->bytes = malloc(SHIM_SPOT_SIZE);
	if (!spot->bytes)
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

static const struct shim_format *format_of(const struct shim_archive *ar, unsigned int volume)
{
	return shim_archive__volume(ar, volume)->part->format;
}

bool shim_spot__at(const struct shim_spot *spot, const struct shim_archive *ar,
		   unsigned int volume, uint64_t offset, struct shim_record *rec)
{
	uint64_t from = offset - spot->offset;

	if (volume != spot->volume || offset < spot->offset || from >= spot->len ||
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
