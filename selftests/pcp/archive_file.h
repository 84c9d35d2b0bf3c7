/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write archives for tests byte by byte, from the description of the format.  This code is
 * independent of the library's, so tests find errors in either.
 *
 * All times are nanoseconds after AF_START.  The program exits on any failure.
 */
#ifndef ARCHIVE_FILE_H
#define ARCHIVE_FILE_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef AF_START
#define AF_START	1000000000LL
#endif
#define AF_SEC		1000000000LL
#define AF_NONE		0xffffffffu

struct af_bytes {
	unsigned char *data;
	size_t len;
};

struct af {
	int version;
	FILE *meta, *data, *index;
	struct af_bytes sets, blocks;
	size_t *refs;		/* positions in @sets where the offsets of blocks are stored */
	size_t nrefs;
	size_t numval_at;	/* position in @sets of the open set's number of values, or 0 */
	uint32_t npmids, numval;
	int64_t at;
};

static inline void af_check(int ok, const char *what)
{
	if (!ok) {
		printf("Bail out! %s\n", what);
		exit(1);
	}
}

static inline void af_put(struct af_bytes *b, const void *p, size_t len)
{
	b->data = realloc(b->data, b->len + len + 1);
	af_check(b->data != NULL, "memory");
	memcpy(b->data + b->len, p, len);
	b->len += len;
}

static inline void af_put32(struct af_bytes *b, uint32_t v)
{
	unsigned char p[4] = { v >> 24, v >> 16, v >> 8, v };

	af_put(b, p, 4);
}

static inline void af_patch32(struct af_bytes *b, size_t at, uint32_t v)
{
	unsigned char p[4] = { v >> 24, v >> 16, v >> 8, v };

	memcpy(b->data + at, p, 4);
}

static inline void af_text(struct af_bytes *b, const char *s, size_t size)
{
	char room[256] = "";

	snprintf(room, sizeof(room), "%s", s);
	af_put(b, room, size);
}

static inline void af_stamp(struct af_bytes *b, int version, int64_t ns)
{
	int64_t sec = AF_START + ns / AF_SEC;

	af_put32(b, (uint32_t)sec);
	if (version == 3)
		af_put32(b, (uint32_t)(sec >> 32));
	af_put32(b, (uint32_t)(version == 3 ? ns % AF_SEC : ns % AF_SEC / 1000));
}

/* Write the bytes to a file as a record, with the length before and after them. */
static inline void af_frame(struct af_bytes *b, FILE *f)
{
	unsigned char len[4] = { (b->len + 8) >> 24, (b->len + 8) >> 16, (b->len + 8) >> 8,
				 b->len + 8 };

	af_check(fwrite(len, 4, 1, f) == 1 && fwrite(b->data, 1, b->len, f) == b->len &&
		 fwrite(len, 4, 1, f) == 1, "write");
	b->len = 0;
}

static inline FILE *af_file(const char *base, const char *suffix, int version, int volume)
{
	struct af_bytes b = { 0 };
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s.%s", base, suffix);
	f = fopen(path, "w");
	af_check(f != NULL, path);
	af_put32(&b, 0x50052600u | (unsigned int)version);
	af_put32(&b, 4711);
	af_stamp(&b, version, 0);
	af_put32(&b, (uint32_t)volume);
	if (version == 3) {
		af_put32(&b, 0);
		af_put32(&b, 0);
		af_text(&b, "testhost", 256);
		af_text(&b, "UTC", 256);
		af_text(&b, ":UTC", 256);
	} else {
		af_text(&b, "testhost", 64);
		af_text(&b, "UTC", 40);
	}
	af_frame(&b, f);
	free(b.data);
	return f;
}

static inline void af_open(struct af *a, const char *base, int version)
{
	*a = (struct af){ .version = version };
	a->meta = af_file(base, "meta", version, -1);
	a->data = af_file(base, "0", version, 0);
	a->index = af_file(base, "index", version, -2);
}

/* Add a metric; @names are its names, separated by blanks. */
static inline void af_desc(struct af *a, uint32_t pmid, int type, uint32_t indom, int sem,
			   uint32_t units, const char *names)
{
	struct af_bytes b = { 0 };
	uint32_t n = 1;

	for (const char *p = names; *p; p++)
		n += *p == ' ';

	af_put32(&b, 1);
	af_put32(&b, pmid);
	af_put32(&b, (uint32_t)type);
	af_put32(&b, indom);
	af_put32(&b, (uint32_t)sem);
	af_put32(&b, units);
	af_put32(&b, n);
	while (n--) {
		size_t len = strcspn(names, " ");

		af_put32(&b, (uint32_t)len);
		af_put(&b, names, len);
		names += len + 1;
	}
	af_frame(&b, a->meta);
	free(b.data);
}

/* Add a state of an instance domain; instances are named "iN", and their IDs must ascend. */
static inline void af_indom(struct af *a, int64_t ns, uint32_t indom, unsigned int n,
			    const int *ids)
{
	struct af_bytes b = { 0 };
	char name[32];
	uint32_t at = 0;

	af_put32(&b, a->version == 3 ? 5 : 2);
	af_stamp(&b, a->version, ns);
	af_put32(&b, indom);
	af_put32(&b, n);
	for (unsigned int i = 0; i < n; i++)
		af_put32(&b, (uint32_t)ids[i]);
	for (unsigned int i = 0; i < n; i++) {
		af_put32(&b, at);
		at += (uint32_t)snprintf(name, sizeof(name), "i%d", ids[i]) + 1;
	}
	for (unsigned int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "i%d", ids[i]);
		af_put(&b, name, strlen(name) + 1);
	}
	af_frame(&b, a->meta);
	free(b.data);
}

/* Add a help text of type 5, 6, 9 or 10. */
static inline void af_note(struct af *a, uint32_t type, uint32_t ident, const char *text)
{
	struct af_bytes b = { 0 };

	af_put32(&b, 4);
	af_put32(&b, type);
	af_put32(&b, ident);
	af_put(&b, text, strlen(text) + 1);
	af_frame(&b, a->meta);
	free(b.data);
}

struct af_label {
	int inst;		/* -1 except for level 32 */
	const char *name;	/* NULL: a set without labels */
	const char *value;
	unsigned int flags;	/* in addition to the level */
};

/* Add labels that are valid from a time on, as sets of one label each. */
static inline void af_labels(struct af *a, int64_t ns, uint32_t level, uint32_t ident,
			     unsigned int n, const struct af_label *labels)
{
	struct af_bytes b = { 0 };
	char json[256];

	af_put32(&b, a->version == 3 ? 7 : 3);
	af_stamp(&b, a->version, ns);
	af_put32(&b, level);
	af_put32(&b, ident);
	af_put32(&b, n);
	for (unsigned int i = 0; i < n; i++) {
		const struct af_label *l = &labels[i];
		uint32_t name = l->name ? (uint32_t)strlen(l->name) : 0;

		snprintf(json, sizeof(json), l->name ? "{\"%s\":%s}" : "{}", l->name, l->value);
		af_put32(&b, (uint32_t)l->inst);
		af_put32(&b, (uint32_t)strlen(json));
		af_put(&b, json, strlen(json));
		af_put32(&b, l->name != NULL);
		if (!l->name)
			continue;
		af_put32(&b, 2u << 16 | name << 8 | level | l->flags);
		af_put32(&b, (4 + name) << 16 | (uint32_t)strlen(l->value));
	}
	af_frame(&b, a->meta);
	free(b.data);
}

/* Add an index entry for the next record. */
static inline void af_index(struct af *a, int64_t ns)
{
	struct af_bytes b = { 0 };

	af_stamp(&b, a->version, ns);
	af_put32(&b, 0);
	if (a->version == 3)
		af_put32(&b, 0);
	af_put32(&b, (uint32_t)ftell(a->meta));
	if (a->version == 3)
		af_put32(&b, 0);
	af_put32(&b, (uint32_t)ftell(a->data));
	af_check(fwrite(b.data, 1, b.len, a->index) == b.len, "index");
	free(b.data);
}

static inline void af_begin(struct af *a, int64_t ns)
{
	a->at = ns;
	a->sets.len = 0;
	a->blocks.len = 0;
	a->nrefs = 0;
	a->npmids = 0;
	a->numval_at = 0;
	af_stamp(&a->sets, a->version, ns);
	af_put32(&a->sets, 0);
}

/* Add a metric to the record.  If @error is 0, the values of the metric can follow. */
static inline void af_set(struct af *a, uint32_t pmid, int error)
{
	af_put32(&a->sets, pmid);
	a->numval_at = a->sets.len;
	a->numval = 0;
	af_put32(&a->sets, (uint32_t)error);
	a->npmids++;
}

static inline void af_value(struct af *a, int inst, int valfmt)
{
	if (!a->numval++)
		af_put32(&a->sets, (uint32_t)valfmt);
	af_patch32(&a->sets, a->numval_at, a->numval);
	af_put32(&a->sets, (uint32_t)inst);
}

static inline void af_u32(struct af *a, int inst, uint32_t v)
{
	af_value(a, inst, 0);
	af_put32(&a->sets, v);
}

static inline void af_block(struct af *a, int inst, int type, const void *p, size_t len)
{
	af_value(a, inst, 1);
	a->refs = realloc(a->refs, (a->nrefs + 1) * sizeof(*a->refs));
	af_check(a->refs != NULL, "memory");
	a->refs[a->nrefs++] = a->sets.len;
	af_put32(&a->sets, (uint32_t)a->blocks.len);
	af_put32(&a->blocks, (uint32_t)type << 24 | (uint32_t)(len + 4));
	af_put(&a->blocks, p, len);
	while (a->blocks.len % 4)
		af_put(&a->blocks, "~", 1);
}

static inline void af_u64(struct af *a, int inst, int type, uint64_t v)
{
	unsigned char p[8];

	for (int i = 0; i < 8; i++)
		p[i] = (unsigned char)(v >> (56 - 8 * i));
	af_block(a, inst, type, p, 8);
}

static inline void af_double(struct af *a, int inst, double d)
{
	uint64_t v;

	memcpy(&v, &d, 8);
	af_u64(a, inst, 5, v);
}

static inline void af_float(struct af *a, int inst, float f)
{
	unsigned char p[4];
	uint32_t v;

	memcpy(&v, &f, 4);
	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> (24 - 8 * i));
	af_block(a, inst, 4, p, 4);
}

static inline void af_string(struct af *a, int inst, const char *s)
{
	af_block(a, inst, 6, s, strlen(s) + 1);
}

static inline void af_end(struct af *a)
{
	size_t npmids_at = a->version == 3 ? 12 : 8;

	af_patch32(&a->sets, npmids_at, a->npmids);
	for (size_t i = 0; i < a->nrefs; i++) {
		const unsigned char *p = a->sets.data + a->refs[i];
		size_t offset = ((size_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]) + a->sets.len + 4;

		af_patch32(&a->sets, a->refs[i], (uint32_t)(offset / 4 + 2));
	}
	af_put(&a->sets, a->blocks.data ? a->blocks.data : (unsigned char *)"", a->blocks.len);
	af_frame(&a->sets, a->data);
}

static inline void af_mark(struct af *a, int64_t ns)
{
	af_begin(a, ns);
	af_end(a);
}

static inline void af_close(struct af *a)
{
	af_check(!fclose(a->meta) && !fclose(a->data) && !fclose(a->index), "close");
	free(a->sets.data);
	free(a->blocks.data);
	free(a->refs);
}

/* Create a scratch directory, and store at @base the base name of an archive in this directory. */
static inline void af_folder(char *base, size_t size)
{
	char folder[] = "/tmp/vcpc-test-XXXXXX";

	af_check(mkdtemp(folder) != NULL, "mkdtemp");
	snprintf(base, size, "%s/a", folder);
}

static inline void af_remove(const char *base)
{
	char folder[512], path[1024];
	struct dirent *e;
	DIR *d;

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(base, '/') - base), base);
	d = opendir(folder);
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (e->d_name[0] != '.')
			unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(folder);
}

/*
 * Write the archive of the published vectors: records at 0, 10 and 20 s, a mark at 25 s, records at
 * 30, 40 and 50 s, and index entries at 0 and 50 s.
 */
#define AF_PMID(item)	(60u << 22 | (item))
#define AF_INDOM	(60u << 22 | 1)

enum { CU32 = 1, C32, CU64, C64, CFLT, CDBL, INSTANT, DISCRETE, SET, CSTR, ISTR, NEVER, ERRORS, LATE };

static const int af_n[] = { 0, 1, 2, 3, 5, 4 };
static const int64_t af_at[] = { 0, 10 * AF_SEC, 20 * AF_SEC, 30 * AF_SEC, 40 * AF_SEC, 50 * AF_SEC };

static inline void af_vectors_meta(struct af *a)
{
	static const int both[] = { 0, 1 };

	af_desc(a, AF_PMID(CU32), 1, AF_NONE, 1, 0, "v.cu32");
	af_desc(a, AF_PMID(C32), 0, AF_NONE, 1, 0, "v.c32");
	af_desc(a, AF_PMID(CU64), 3, AF_NONE, 1, 0x10010000, "v.cu64");
	af_desc(a, AF_PMID(C64), 2, AF_NONE, 1, 0, "v.c64");
	af_desc(a, AF_PMID(CFLT), 4, AF_NONE, 1, 0, "v.cflt");
	af_desc(a, AF_PMID(CDBL), 5, AF_NONE, 1, 0, "v.cdbl");
	af_desc(a, AF_PMID(INSTANT), 1, AF_NONE, 3, 0x00100000, "v.inst");
	af_desc(a, AF_PMID(DISCRETE), 6, AF_NONE, 4, 0, "v.disc");
	af_desc(a, AF_PMID(SET), 1, AF_INDOM, 1, 0, "v.set");
	af_desc(a, AF_PMID(CSTR), 6, AF_NONE, 1, 0, "v.cstr");
	af_desc(a, AF_PMID(ISTR), 6, AF_NONE, 3, 0, "v.istr");
	af_desc(a, AF_PMID(NEVER), 1, AF_NONE, 1, 0, "w.never");
	af_desc(a, AF_PMID(ERRORS), 1, AF_NONE, 1, 0, "w.errors");
	af_desc(a, AF_PMID(LATE), 1, AF_NONE, 3, 0, "w.late");
	af_indom(a, af_at[0], AF_INDOM, 2, both);
	af_indom(a, af_at[2], AF_INDOM, 1, both);
	af_indom(a, af_at[3], AF_INDOM, 2, both);
}

static inline void af_vectors_record(struct af *a, int i)
{
	static const uint32_t cu32[] = { 0, 13, 26, 32, 55, 41 };
	static const uint32_t c32[] = { 0, 7, 14, 21, 35, 28 };
	int n = af_n[i];
	char text[8];

	af_begin(a, af_at[i]);
	af_set(a, AF_PMID(CU32), 0);
	af_u32(a, -1, cu32[i]);
	af_set(a, AF_PMID(C32), 0);
	af_u32(a, -1, c32[i]);
	af_set(a, AF_PMID(CU64), 0);
	af_u64(a, -1, 3, ((uint64_t)n << 33) + 5);
	af_set(a, AF_PMID(C64), 0);
	af_u64(a, -1, 2, (uint64_t)(-1000 + 333 * (int64_t)n));
	af_set(a, AF_PMID(CFLT), 0);
	af_float(a, -1, (float)(0.1 * n));
	af_set(a, AF_PMID(CDBL), 0);
	af_double(a, -1, 0.1 * n);
	af_set(a, AF_PMID(INSTANT), 0);
	af_u32(a, -1, 100 + (uint32_t)n);
	if (i == 0 || i == 3) {
		af_set(a, AF_PMID(DISCRETE), 0);
		af_string(a, -1, i ? "two" : "one");
	}
	af_set(a, AF_PMID(SET), 0);
	af_u32(a, 0, 10 * (uint32_t)n);
	if (i != 2)
		af_u32(a, 1, 10 * (uint32_t)n + 1);
	snprintf(text, sizeof(text), "c%d", n);
	af_set(a, AF_PMID(CSTR), 0);
	af_string(a, -1, text);
	text[0] = 'i';
	af_set(a, AF_PMID(ISTR), 0);
	af_string(a, -1, text);
	if (i == 0 || i == 2) {		/* the record between them has an error */
		af_set(a, AF_PMID(ERRORS), 0);
		af_u32(a, -1, 100 * (uint32_t)n);
	} else if (i == 1) {
		af_set(a, AF_PMID(ERRORS), -12350);
	}
	if (i == 2 || i == 3) {
		af_set(a, AF_PMID(LATE), 0);
		af_u32(a, -1, (uint32_t)n);
	}
	af_end(a);
}

static inline void af_vectors_with(const char *base, int version, void (*more)(struct af *a))
{
	struct af a;

	af_open(&a, base, version);
	af_vectors_meta(&a);
	if (more)
		more(&a);
	for (int i = 0; i < 6; i++) {
		if (i == 0 || i == 5)
			af_index(&a, af_at[i]);
		if (i == 3)
			af_mark(&a, 25 * AF_SEC);
		af_vectors_record(&a, i);
	}
	af_close(&a);
}

static inline void af_vectors(const char *base, int version)
{
	af_vectors_with(base, version, NULL);
}

/* Add the optional parts of the vectors: texts of most kinds, and labels of all levels. */
static inline void af_vectors_notes(struct af *a)
{
	static const struct af_label host = { -1, "hostname", "\"h\"", 0 };
	static const struct af_label early = { -1, "a", "\"early\"", 0 };
	static const struct af_label late = { -1, "a", "\"late\"", 0x80 };
	static const struct af_label number = { -1, "n", "7", 0 };
	static const struct af_label list = { -1, "n", "[1,2]", 0 };
	static const struct af_label insts[] = { { 0, "i", "\"zero\"", 0 }, { 1, NULL, NULL, 0 } };

	af_note(a, 5, AF_PMID(CU32), "not the last");
	af_note(a, 5, AF_PMID(CU32), "one line");
	af_note(a, 6, AF_PMID(CU32), "help\nin two lines");
	af_note(a, 5, AF_PMID(C32), "only one line");
	af_note(a, 6, AF_PMID(CU64), "only help");
	af_note(a, 5, AF_PMID(INSTANT), "help is empty");
	af_note(a, 6, AF_PMID(INSTANT), "");
	af_note(a, 9, AF_INDOM, "of the domain");
	af_labels(a, 0, 1, AF_NONE, 1, &host);
	af_labels(a, 0, 2, 60, 1, &early);
	af_labels(a, 20 * AF_SEC, 2, 60, 1, &late);
	af_labels(a, 20 * AF_SEC, 4, AF_INDOM, 1, &number);
	af_labels(a, 0, 8, AF_PMID(0) & ~0x3ffu, 1, &number);
	af_labels(a, 0, 16, AF_PMID(CU32), 1, &list);
	af_labels(a, 10 * AF_SEC, 32, AF_INDOM, 2, insts);
}

#endif /* ARCHIVE_FILE_H */
