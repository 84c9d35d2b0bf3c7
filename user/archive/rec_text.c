// SPDX-License-Identifier: LGPL-2.1-or-later
/* The record of a text: one-line or long help about a metric or an instance domain. */
#include "record.h"

bool shim_rec_text__type_ok(uint32_t type)
{
	uint32_t level = type & (SHIM_TEXT_ONELINE | SHIM_TEXT_HELP);
	uint32_t about = type & (SHIM_TEXT_PMID | SHIM_TEXT_INDOM);

	return level && about && (level & (level - 1)) == 0 && (about & (about - 1)) == 0 &&
	       type == (level | about);
}

/**
 * shim_rec_text__decode() - read a text
 * @p: the whole record, whose frame shim_frame__len() has checked
 * @len: its length
 * @out: the text, which points into @p
 *
 * Return: 0 or -EBADMSG.
 */
int shim_rec_text__decode(const uint8_t *p, uint32_t len, struct shim_rec_text *out)
{
	struct shim_rec_text rec;
	struct shim_in in;

	if (len < SHIM_META_MIN)
		return -EBADMSG;
	in = shim_in__of(p + 8, len - SHIM_META_MIN);
	rec.type = shim_in__u32(&in);
	rec.ident = shim_in__u32(&in);
	if (in.bad || !shim_rec_text__type_ok(rec.type) || !memchr(in.p, 0, shim_in__left(&in)))
		return -EBADMSG;
	rec.text = (const char *)in.p;
	*out = rec;
	return 0;
}

void shim_rec_text__encode(struct shim_buf *buf, const struct shim_rec_text *text)
{
	size_t start = buf->len;

	shim_buf__put32(buf, 0);
	shim_buf__put32(buf, SHIM_META_TEXT);
	shim_buf__put32(buf, text->type);
	shim_buf__put32(buf, text->ident);
	shim_buf__put(buf, text->text, strlen(text->text) + 1);
	shim_frame__close(buf, start);
}
