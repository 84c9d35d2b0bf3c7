// SPDX-License-Identifier: LGPL-2.1-or-later
/* Frames and stamps of both versions, labels, and index entries */
#define _GNU_SOURCE
#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record.h"

/* Differences between the two versions, and the frames and stamps that all records have */

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
	uint32_t nsec = f->version == 2 ? second : shim_be32__get(p + 8);
	const uint32_t one_second = f->version == 2 ? 1000000 : 1000000000;
	int64_t sec;

	/* The low half of the seconds comes first. Each half is big-endian. */
	sec = f->version == 2 ? (int32_t)low : (int64_t)((uint64_t)second << 32 | low);
	/* pmlogreduce writes a time of 5 s as 4 s and 10^9 ns if INTERP has returned that. */
	if (nsec == one_second && sec < INT64_MAX) {
		sec++;
		nsec = 0;
	}
	if (nsec >= one_second)
		return -EBADMSG;
	*out = (struct shim_ts){ sec, (int32_t)(f->version == 2 ? nsec * 1000 : nsec) };
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

static void take_string(struct shim_in *in, uint32_t len, char *out, size_t size)
{
	const uint8_t *p = shim_in__bytes(in, len);

	memset(out, 0, size);
	if (p)
		memcpy(out, p, len < size ? len : size - 1);
}

/* Decode the fields after the magic number, which has determined @f. */
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
 * @volume: the volume number that this file's label must have
 * @out: the label, set on success and if it requires an unknown feature
 *
 * Return: 0, -ENODATA if there are too few bytes, -EILSEQ if it is not a valid label, or
 * -EOPNOTSUPP if it requires an unknown feature.
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

/* An entry of the temporal index */

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

/* The fields of a label that describe the writer: process, host, and time zone in two forms */

/*
 * Return whether a zone's name consists of three or more letters.  TZ's syntax requires <> around
 * any other name.
 */
static bool plain_name(const char *name)
{
	size_t n = 0;

	for (; isalpha((unsigned char)name[n]); n++)
		;
	return n >= 3 && !name[n];
}

/* Set the zone's name and its offset at @now in TZ's syntax, which counts offsets west of UTC. */
static void fill_tz(struct shim_label *label, time_t now)
{
	struct tm tm;
	long west;
	const char *zone;

	tzset();
	localtime_r(&now, &tm);
	west = -tm.tm_gmtoff;
	zone = tm.tm_zone && tm.tm_zone[0] ? tm.tm_zone : "UTC";
	snprintf(label->tz, sizeof(label->tz), plain_name(zone) ? "%s%s%ld" : "<%s>%s%ld", zone,
		 west < 0 ? "-" : "", labs(west) / 3600);
	if (labs(west) % 3600) {
		size_t len = strlen(label->tz);

		snprintf(label->tz + len, sizeof(label->tz) - len, ":%02ld",
			 labs(west) % 3600 / 60);
	}
}

/* Return the zone to which /etc/localtime links: the part of the target after "/zoneinfo/". */
static const char *localtime_zone(char *path, size_t size)
{
	ssize_t n = readlink("/etc/localtime", path, size - 1);
	char *zone;

	if (n < 0)
		return NULL;
	path[n] = '\0';
	zone = strstr(path, "/zoneinfo/");
	return zone ? zone + strlen("/zoneinfo/") : NULL;
}

static void fill_zoneinfo(struct shim_label *label)
{
	const char *env = getenv("TZ");
	char path[PATH_MAX];
	const char *zone;

	if (env)
		zone = strchr(env, '/') ? env + (env[0] == ':') : NULL;
	else
		zone = localtime_zone(path, sizeof(path));
	if (zone && zone[0] != '/' && strlen(zone) < sizeof(label->zoneinfo) - 1)
		sprintf(label->zoneinfo, ":%s", zone);
}

/**
 * shim_local_zone__fill() - describe this process and host in an archive's label
 * @label: its pid, host and zones are set; the UTC offset is the one at the label's start, or the
 *	current one if the start is 0
 */
void shim_local_zone__fill(struct shim_label *label)
{
	label->pid = getpid();
	if (gethostname(label->host, sizeof(label->host) - 1) || !label->host[0])
		strcpy(label->host, "localhost");
	fill_tz(label, label->start.sec ? label->start.sec : time(NULL));
	fill_zoneinfo(label);
}
