/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of user/archive: a directory for archives, and a sample archive with every type of
 * value
 */
#ifndef ARCHIVE_SAMPLE_H
#define ARCHIVE_SAMPLE_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/reader.h"
#include "archive/writer.h"

#define PMID(domain, cluster, item)	((uint32_t)(domain) << 22 | (cluster) << 10 | (item))
#define INDOM(domain, serial)		((uint32_t)(domain) << 22 | (serial))
#define COUNT				0x00100000u
#define START				1000000000

struct place {
	char dir[64];
	char base[80];
	char path[96];
};

static inline int place_make(struct place *p)
{
	strcpy(p->dir, "/tmp/vcpc-archive-XXXXXX");
	if (!mkdtemp(p->dir))
		return -errno;
	snprintf(p->base, sizeof(p->base), "%s/a", p->dir);
	return 0;
}

static inline void place_remove(struct place *p)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf '%s'", p->dir);
	if (system(command))
		perror(command);
}

/* Return the path of the archive's file with this suffix: "meta", "index", "0", ... */
static inline const char *place_file(struct place *p, const char *suffix)
{
	snprintf(p->path, sizeof(p->path), "%s.%s", p->base, suffix);
	return p->path;
}

static inline uint8_t *slurp(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	uint8_t *data;

	*len = 0;
	if (fd < 0 || fstat(fd, &st))
		return NULL;
	data = malloc(st.st_size + 1);
	*len = st.st_size;
	if (read(fd, data, *len) != (ssize_t)*len)
		abort();
	close(fd);
	return data;
}

/* Write a file without O_TRUNC, because ext4 flushes a truncated file to disk when it is closed. */
static inline void spit(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0666);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len || ftruncate(fd, len))
		abort();
	close(fd);
}

static inline struct shim_ts at(double t)
{
	int64_t ns = (int64_t)(t * 1e9);

	return (struct shim_ts){ START + ns / 1000000000, (int32_t)(ns % 1000000000) };
}

static inline struct shim_label sample_label(int version)
{
	return (struct shim_label){ .version = version, .pid = 100, .host = "h1", .tz = "UTC",
				    .zoneinfo = ":UTC" };
}

/* One metric of each type; the last two have an instance domain */
enum { M_32, M_U32, M_64, M_U64, M_FLOAT, M_DOUBLE, M_STRING, M_AGGREGATE, M_SET, M_NAMES, NMETRICS };

static inline uint32_t sample_pmid(int i)
{
	return PMID(60, 1, i);
}

#define SAMPLE_INDOM	INDOM(60, 1)

static const char *const sample_names[NMETRICS] = {
	"demo.i32", "demo.u32", "demo.i64", "demo.u64", "demo.float", "demo.double", "demo.string",
	"demo.aggregate", "demo.set.count", "demo.set.name",
};

static inline int sample_type(int i)
{
	return i == M_SET ? SHIM_TYPE_U64 : i == M_NAMES ? SHIM_TYPE_STRING : i;
}

static inline struct shim_desc sample_desc(int i)
{
	return (struct shim_desc){
		.pmid = sample_pmid(i),
		.type = sample_type(i),
		.indom = i >= M_SET ? SAMPLE_INDOM : SHIM_INDOM_NULL,
		.sem = i == M_U64 || i == M_SET ? SHIM_SEM_COUNTER : SHIM_SEM_INSTANT,
		.units = sample_type(i) < SHIM_TYPE_STRING ? COUNT : 0,
		.nnames = 1,
		.names = &sample_names[i],
	};
}

static const int32_t sample_inst[] = { 0, 3, 7 };
static const char *const sample_inst_names[] = { "eth0", "wlan0", "lo" };

static inline struct shim_indom sample_indom(struct shim_ts stamp)
{
	return (struct shim_indom){ stamp, SAMPLE_INDOM, 3, sample_inst, sample_inst_names, false };
}

/* Return the value of metric @i, instance @inst, in record @n; @text is a buffer for strings. */
static inline struct shim_value sample_value(int i, int32_t inst, unsigned int n, char text[32])
{
	struct shim_value v = { .inst = inst, .type = sample_type(i) };

	switch (v.type) {
	case SHIM_TYPE_32:
		v.l = -(int32_t)n;
		break;
	case SHIM_TYPE_U32:
		v.ul = 0x80000000u + n;
		break;
	case SHIM_TYPE_64:
		v.ll = -(int64_t)n * (1LL << 33);
		break;
	case SHIM_TYPE_U64:
		v.ull = ((uint64_t)n << 33) + (uint32_t)(inst + 1);
		break;
	case SHIM_TYPE_FLOAT:
		v.f = 0.25f * n;
		break;
	case SHIM_TYPE_DOUBLE:
		v.d = 0.1 * n;
		break;
	default:
		/* Strings have every length modulo the word size, including the NUL. */
		v.len = (uint32_t)snprintf(text, 32, "%.*s%u", (int)(n % 5), "abcde", n) + 1;
		v.bytes = text;
		break;
	}
	return v;
}

static inline int sample_declare(struct shim_writer *w, struct shim_ts stamp)
{
	struct shim_indom indom = sample_indom(stamp);
	int err = 0;

	for (int i = 0; i < NMETRICS && !err; i++) {
		struct shim_desc desc = sample_desc(i);

		err = shim_writer__desc(w, &desc);
	}
	return err ? err : shim_writer__indom(w, &indom);
}

/* Write record @n with all metrics. */
static inline int sample_record(struct shim_writer *w, struct shim_ts stamp, unsigned int n)
{
	int err = shim_writer__begin(w, stamp);
	struct shim_value v;
	char text[32];

	for (int i = 0; i < NMETRICS && !err; i++) {
		err = shim_writer__vset(w, sample_pmid(i), 0);
		if (i < M_SET && !err) {
			v = sample_value(i, SHIM_IN_NULL, n, text);
			err = shim_writer__value(w, &v);
		}
		for (int k = 0; i >= M_SET && k < 3 && !err; k++) {
			v = sample_value(i, sample_inst[k], n, text);
			err = shim_writer__value(w, &v);
		}
	}
	if (err) {
		shim_writer__cancel(w);
		return err;
	}
	return shim_writer__commit(w);
}

/* Write an archive of @n records, one second apart. */
static inline int sample_write(const char *base, int version, unsigned int n)
{
	struct shim_label label = sample_label(version);
	struct shim_writer *w;
	int err = shim_writer__open(base, &label, &w);

	if (err)
		return err;
	err = sample_declare(w, at(0));
	for (unsigned int i = 0; i < n && !err; i++)
		err = sample_record(w, at(i), i);
	if (err) {
		shim_writer__close(w);
		return err;
	}
	return shim_writer__close(w);
}

static inline int same_value(const struct shim_value *a, const struct shim_value *b)
{
	if (a->inst != b->inst || a->type != b->type)
		return 0;
	if (a->type < SHIM_TYPE_STRING)
		return a->type == SHIM_TYPE_32 || a->type == SHIM_TYPE_U32 ||
		       a->type == SHIM_TYPE_FLOAT ? a->ul == b->ul : a->ull == b->ull;
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

static inline int sample_matches(const struct shim_record *rec, unsigned int n)
{
	struct shim_value got, want;
	struct shim_vset vset;
	char text[32];

	if (rec->npmids != NMETRICS || shim_record__check(rec))
		return 0;
	for (int i = 0; i < NMETRICS; i++) {
		int count = i < M_SET ? 1 : 3;

		if (shim_record__find(rec, sample_pmid(i), &vset) || vset.numval != count)
			return 0;
		for (int k = 0; k < count; k++) {
			want = sample_value(i, i < M_SET ? SHIM_IN_NULL : sample_inst[k], n, text);
			if (shim_vset__value(rec, &vset, k, want.type, &got) ||
			    !same_value(&got, &want))
				return 0;
		}
	}
	return 1;
}

#endif /* ARCHIVE_SAMPLE_H */
