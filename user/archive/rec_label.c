// SPDX-License-Identifier: LGPL-2.1-or-later
/* The label at the start of every file. */
#include "record.h"

static void take_string(struct shim_in *in, uint32_t len, char *out, size_t size)
{
	const uint8_t *p = shim_in__bytes(in, len);

	memset(out, 0, size);
	if (p)
		memcpy(out, p, len < size ? len : size - 1);
}

/* Decode the fields after the magic number, which determined @f. */
static int decode_body(const struct shim_format *f, struct shim_in *in, int volume,
		       struct shim_label *label)
{
	const uint8_t *stamp;
	uint32_t vol;

	label->pid = (int32_t)shim_in__u32(in);
	stamp = shim_in__bytes(in, f->stamp_len);
	vol = shim_in__u32(in);
	if (f->version == 3) {
		label->features = shim_in__u32(in);
		shim_in__bytes(in, 4);
	}
	take_string(in, f->host_len, label->host, sizeof(label->host));
	take_string(in, f->tz_len, label->tz, sizeof(label->tz));
	take_string(in, f->zoneinfo_len, label->zoneinfo, sizeof(label->zoneinfo));
	if (in->bad || (int32_t)vol != volume)
		return -EILSEQ;
	if (shim_stamp__decode(f, stamp, &label->start))
		return -EILSEQ;
	if (label->features & ~SHIM_FEATURE_QA)
		return -EOPNOTSUPP;
	return 0;
}

/**
 * shim_rec_label__decode() - read a label
 * @p: the beginning of a file
 * @len: bytes at @p
 * @volume: the number that this file's label must have
 * @out: the label, set on success and if it requires an unknown feature
 *
 * Return: 0, -ENODATA if there are too few bytes, -EILSEQ if it is not a valid label, -EOPNOTSUPP
 * if it requires an unknown feature.
 */
int shim_rec_label__decode(const uint8_t *p, size_t len, int volume, struct shim_label *out)
{
	struct shim_in in = shim_in__of(p, len);
	struct shim_label label = { 0 };
	const struct shim_format *f;
	uint32_t frame, magic;
	int err;

	if (len < SHIM_FRAME_LEN)
		return -ENODATA;
	frame = shim_in__u32(&in);
	magic = shim_in__u32(&in);
	f = shim_format__of(magic & 0xff);
	if (!f || (magic & ~0xffu) != SHIM_LABEL_MAGIC || frame != f->label_len || len < frame ||
	    shim_be32__get(p + frame - 4) != frame)
		return -EILSEQ;
	label.version = f->version;
	err = decode_body(f, &in, volume, &label);
	if (!err || err == -EOPNOTSUPP)
		*out = label;
	return err;
}

int shim_rec_label__agree(const struct shim_label *first, const uint8_t *p, size_t len, int volume)
{
	struct shim_label label;
	int err;

	err = shim_rec_label__decode(p, len, volume, &label);
	/* If the first label's unknown features were accepted, accept the same ones here. */
	if (err == -EOPNOTSUPP && label.features == first->features)
		err = 0;
	if (err)
		return err;
	if (label.version != first->version || label.pid != first->pid ||
	    strcmp(label.host, first->host))
		return -EILSEQ;
	return 0;
}

static void put_string(struct shim_buf *buf, const char *s, uint32_t len)
{
	size_t n;

	if (!len)
		return;
	n = strnlen(s, len - 1);
	shim_buf__put(buf, s, n);
	shim_buf__fill(buf, 0, len - n);
}

void shim_rec_label__encode(struct shim_buf *buf, const struct shim_label *label, int volume)
{
	const struct shim_format *f = shim_format__of(label->version);
	size_t start = buf->len;

	shim_buf__put32(buf, 0);
	shim_buf__put32(buf, SHIM_LABEL_MAGIC | (uint32_t)label->version);
	shim_buf__put32(buf, (uint32_t)label->pid);
	shim_stamp__encode(f, buf, label->start);
	shim_buf__put32(buf, (uint32_t)volume);
	if (f->version == 3) {
		shim_buf__put32(buf, label->features);
		shim_buf__put32(buf, 0);
	}
	put_string(buf, label->host, f->host_len);
	put_string(buf, label->tz, f->tz_len);
	put_string(buf, label->zoneinfo, f->zoneinfo_len);
	shim_frame__close(buf, start);
}
