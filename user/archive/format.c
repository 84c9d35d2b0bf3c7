// SPDX-License-Identifier: LGPL-2.1-or-later
/* Differences between the two versions, and what all their records share: frames and stamps. */
#include "record.h"

static const struct shim_format formats[] = {
	{
		.version = 2,
		.label_len = 132,
		.stamp_len = 8,
		.entry_len = 20,
		.record_min = 20,
		.host_len = 64,
		.tz_len = 40,
		.zoneinfo_len = 0,
		.offset_max = 0x7fffffff,
		.indom_type = SHIM_META_INDOM_V2,
		.labels_type = SHIM_META_LABEL_V2,
	},
	{
		.version = 3,
		.label_len = 808,
		.stamp_len = 12,
		.entry_len = 32,
		.record_min = 24,
		.host_len = 256,
		.tz_len = 256,
		.zoneinfo_len = 256,
		.offset_max = INT64_MAX,
		.indom_type = SHIM_META_INDOM,
		.labels_type = SHIM_META_LABEL,
	},
};

const struct shim_format *shim_format__of(int version)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i].version == version)
			return &formats[i];
	return NULL;
}

void shim_frame__close(struct shim_buf *buf, size_t start)
{
	uint32_t len = (uint32_t)(buf->len - start + 4);

	shim_buf__put32(buf, len);
	if (!buf->err)
		shim_be32__put(buf->data + start, len);
}

int shim_stamp__decode(const struct shim_format *f, const uint8_t *p, struct shim_ts *out)
{
	uint32_t low = shim_be32__get(p);
	uint32_t second = shim_be32__get(p + 4);

	if (f->version == 2) {
		if (second > 999999)
			return -EBADMSG;
		*out = (struct shim_ts){ (int32_t)low, (int32_t)(second * 1000) };
	} else {
		uint32_t nsec = shim_be32__get(p + 8);

		if (nsec > 999999999)
			return -EBADMSG;
		/* the low half of the seconds comes first; each half is big-endian */
		*out = (struct shim_ts){ (int64_t)((uint64_t)second << 32 | low), (int32_t)nsec };
	}
	return 0;
}

void shim_stamp__encode(const struct shim_format *f, struct shim_buf *buf, struct shim_ts ts)
{
	shim_buf__put32(buf, (uint32_t)ts.sec);
	if (f->version == 2) {
		shim_buf__put32(buf, (uint32_t)ts.nsec / 1000);
	} else {
		shim_buf__put32(buf, (uint32_t)((uint64_t)ts.sec >> 32));
		shim_buf__put32(buf, (uint32_t)ts.nsec);
	}
}
