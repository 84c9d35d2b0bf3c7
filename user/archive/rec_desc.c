// SPDX-License-Identifier: LGPL-2.1-or-later
/* The record of a metric: its descriptor and its names. */
#include "record.h"

#define DESC_MIN	36	/* length for a metric without a name */

/* The next name and its length; a name that was shortened in place ends at a NUL */
const uint8_t *shim_rec_desc__name(struct shim_in *names, uint32_t *len)
{
	uint32_t room = shim_in__u32(names);
	const uint8_t *name = shim_in__bytes(names, room);

	*len = name ? (uint32_t)strnlen((const char *)name, room) : 0;
	return name;
}

static int check_names(struct shim_in names, uint32_t n)
{
	while (n--) {
		uint32_t len;
		const uint8_t *name = shim_rec_desc__name(&names, &len);

		if (!name || !len || len > SHIM_NAME_MAX)
			return -EBADMSG;
	}
	return names.p == names.end ? 0 : -EBADMSG;
}

/**
 * shim_rec_desc__decode() - read a metric
 * @p: the whole record, whose frame shim_frame__len() has checked
 * @len: its length
 * @out: the metric, its names checked
 *
 * Return: 0 or -EBADMSG.
 */
int shim_rec_desc__decode(const uint8_t *p, uint32_t len, struct shim_rec_desc *out)
{
	struct shim_rec_desc rec;
	struct shim_in in;

	if (len < DESC_MIN)
		return -EBADMSG;
	in = shim_in__of(p + 8, len - 12);
	rec.pmid = shim_in__u32(&in);
	rec.type = (int32_t)shim_in__u32(&in);
	rec.indom = shim_in__u32(&in);
	rec.sem = (int32_t)shim_in__u32(&in);
	rec.units = shim_in__u32(&in);
	rec.nnames = shim_in__u32(&in);
	rec.names = in;
	if (check_names(in, rec.nnames))
		return -EBADMSG;
	*out = rec;
	return 0;
}

void shim_rec_desc__encode(struct shim_buf *buf, const struct shim_desc *desc)
{
	size_t start = buf->len;

	shim_buf__put32(buf, 0);
	shim_buf__put32(buf, SHIM_META_DESC);
	shim_buf__put32(buf, desc->pmid);
	shim_buf__put32(buf, (uint32_t)desc->type);
	shim_buf__put32(buf, desc->indom);
	shim_buf__put32(buf, (uint32_t)desc->sem);
	shim_buf__put32(buf, desc->units);
	shim_buf__put32(buf, desc->nnames);
	for (unsigned int i = 0; i < desc->nnames; i++) {
		size_t len = strlen(desc->names[i]);

		shim_buf__put32(buf, (uint32_t)len);
		shim_buf__put(buf, desc->names[i], len);
	}
	shim_frame__close(buf, start);
}
