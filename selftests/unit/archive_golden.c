// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For a small archive of each version, the writer's output is correct byte for byte, and the
 * reader's results are correct.
 */
#include "archive_sample.h"
#include "kselftest_harness.h"

#define APPVERSION	(-12350)

/* Convert hexadecimal words and 'quoted' text to bytes; "N*00" stands for N zero bytes. */
static size_t pack(uint8_t *out, const char *s)
{
	size_t n = 0;

	while (*s) {
		unsigned int byte, times;
		int used = 0;	/* stays 0 unless the whole pattern is present */

		if (*s == ' ') {
			s++;
		} else if (*s == '\'') {
			for (s++; *s != '\''; s++)
				out[n++] = (uint8_t)*s;
			s++;
		} else if (sscanf(s, "%u*00%n", &times, &used) == 1 && used) {
			memset(out + n, 0, times);
			n += times;
			s += used;
		} else {
			sscanf(s, "%2x", &byte);
			out[n++] = (uint8_t)byte;
			s += 2;
		}
	}
	return n;
}

#define LABEL2(volume) \
	"00000084 50052602 00000064 3b9aca00 0007a120 " volume " 'h1' 62*00 'UTC' 37*00 00000084 "
#define LABEL3(volume) \
	"00000328 50052603 00000064 3b9aca00 00000000 1dcd6500 " volume " 00000000 00000000 " \
	"'h1' 254*00 'UTC' 253*00 ':UTC' 252*00 00000328 "
#define DESCS \
	"00000032 00000001 0f000001 00000003 ffffffff 00000001 10010000 00000001 " \
	"0000000a 'demo.bytes' 00000032 " \
	"00000040 00000001 0f000002 00000006 0f000001 00000004 00000000 00000002 " \
	"0000000a 'demo.state' 0000000a 'demo.alias' 00000040 "
#define INSTANCES \
	"0f000001 00000002 00000000 00000007 00000000 00000005 'eth0' 00 'lo' 00 "
#define BLOCKS \
	"0300000c 00000000 00001000 06000007 'up' 00 7e 0600000c 'unknown' 00 "

static const struct golden {
	int version;
	const char *suffix;
	const char *text;
} golden[] = {
	{ 2, "meta", LABEL2("ffffffff") DESCS "00000034 00000002 3b9aca00 0007a120 " INSTANCES
		     "00000034" },
	{ 2, "0", LABEL2("00000000")
		  "00000064 3b9aca00 0007a120 00000002 "
		  "0f000001 00000001 00000001 ffffffff 00000012 "
		  "0f000002 00000002 00000001 00000000 00000015 00000007 00000017 " BLOCKS
		  "00000064 "
		  "0000003c 3b9aca0a 0007a120 00000002 "
		  "0f000001 00000001 00000001 ffffffff 0000000d 0f000002 ffffcfc2 "
		  "0300000c 00000000 00001400 0000003c" },
	{ 2, "index", LABEL2("fffffffe") "3b9aca00 0007a120 00000000 00000084 00000084 "
		      "3b9aca0a 0007a120 00000000 0000012a 000000e8" },
	{ 3, "meta", LABEL3("ffffffff") DESCS
		     "00000038 00000005 3b9aca00 00000000 1dcd6500 " INSTANCES "00000038" },
	{ 3, "0", LABEL3("00000000")
		  "00000068 3b9aca00 00000000 1dcd6500 00000002 "
		  "0f000001 00000001 00000001 ffffffff 00000013 "
		  "0f000002 00000002 00000001 00000000 00000016 00000007 00000018 " BLOCKS
		  "00000068 "
		  "00000040 3b9aca0a 00000000 1dcd6500 00000002 "
		  "0f000001 00000001 00000001 ffffffff 0000000e 0f000002 ffffcfc2 "
		  "0300000c 00000000 00001400 00000040" },
	{ 3, "index", LABEL3("fffffffe")
		      "3b9aca00 00000000 1dcd6500 00000000 00000000 00000328 00000000 00000328 "
		      "3b9aca0a 00000000 1dcd6500 00000000 00000000 000003d2 00000000 00000390" },
};

#define NGOLDEN	(sizeof(golden) / sizeof(golden[0]))

static const char *const bytes_names[] = { "demo.bytes" };
static const char *const state_names[] = { "demo.state", "demo.alias" };
static const struct shim_desc bytes_desc = {
	PMID(60, 0, 1), SHIM_TYPE_U64, SHIM_INDOM_NULL, SHIM_SEM_COUNTER, 0x10010000, 1, bytes_names
};
static const struct shim_desc state_desc = {
	PMID(60, 0, 2), SHIM_TYPE_STRING, INDOM(60, 1), SHIM_SEM_DISCRETE, 0, 2, state_names
};
static const int32_t inst[] = { 0, 7 };
static const char *const inst_names[] = { "eth0", "lo" };

FIXTURE(golden) {
	struct place place;
};

FIXTURE_VARIANT(golden) {
	int version;
};

FIXTURE_VARIANT_ADD(golden, v2) {
	.version = 2,
};

FIXTURE_VARIANT_ADD(golden, v3) {
	.version = 3,
};

FIXTURE_SETUP(golden)
{
	ASSERT_EQ(0, place_make(&self->place));
}

FIXTURE_TEARDOWN(golden)
{
	place_remove(&self->place);
}

static int put_bytes(struct shim_writer *w, uint64_t n)
{
	struct shim_value v = { .inst = SHIM_IN_NULL, .type = SHIM_TYPE_U64, .ull = n };
	int err = shim_writer__vset(w, bytes_desc.pmid, 0);

	return err ? err : shim_writer__value(w, &v);
}

static int put_state(struct shim_writer *w, int32_t id, const char *s)
{
	struct shim_value v = { .inst = id, .type = SHIM_TYPE_STRING, .len = strlen(s) + 1,
				.bytes = s };

	return shim_writer__value(w, &v);
}

TEST_F(golden, written)
{
	struct shim_label label = sample_label(variant->version);
	struct shim_ts first = at(0.5), second = at(10.5);
	struct shim_indom indom = { first, INDOM(60, 1), 2, inst, inst_names, false };
	struct shim_writer *w;

	ASSERT_EQ(0, shim_writer__open(self->place.base, &label, &w));
	EXPECT_EQ(0, shim_writer__desc(w, &bytes_desc));
	EXPECT_EQ(0, shim_writer__desc(w, &state_desc));
	EXPECT_EQ(0, shim_writer__indom(w, &indom));
	EXPECT_EQ(0, shim_writer__begin(w, first));
	EXPECT_EQ(0, put_bytes(w, 4096));
	EXPECT_EQ(0, shim_writer__vset(w, state_desc.pmid, 0));
	EXPECT_EQ(0, put_state(w, 0, "up"));
	EXPECT_EQ(0, put_state(w, 7, "unknown"));
	EXPECT_EQ(0, shim_writer__commit(w));
	EXPECT_EQ(0, shim_writer__begin(w, second));
	EXPECT_EQ(0, put_bytes(w, 5120));
	EXPECT_EQ(0, shim_writer__vset(w, state_desc.pmid, APPVERSION));
	EXPECT_EQ(0, shim_writer__commit(w));
	EXPECT_EQ(0, shim_writer__close(w));

	for (size_t i = 0; i < NGOLDEN; i++) {
		uint8_t want[2048], *got;
		size_t nwant, ngot;

		if (golden[i].version != variant->version)
			continue;
		nwant = pack(want, golden[i].text);
		got = slurp(place_file(&self->place, golden[i].suffix), &ngot);
		ASSERT_NE(NULL, got);
		EXPECT_EQ(nwant, ngot);
		for (size_t k = 0; k < nwant && k < ngot; k++) {
			ASSERT_EQ(want[k], got[k]) {
				TH_LOG("%s, byte 0x%zx", golden[i].suffix, k);
			}
		}
		free(got);
	}
}

/* Write the archive's files, and open it. */
static int open_golden(struct place *place, int version, struct shim_archive **ar)
{
	for (size_t i = 0; i < NGOLDEN; i++) {
		uint8_t bytes[2048];
		size_t n = pack(bytes, golden[i].text);

		if (golden[i].version == version)
			spit(place_file(place, golden[i].suffix), bytes, n);
	}
	return shim_archive__open(place->base, ar);
}

TEST_F(golden, read_label)
{
	const struct shim_label *label;
	struct shim_archive *ar;

	ASSERT_EQ(0, open_golden(&self->place, variant->version, &ar));
	label = shim_archive__label(ar);
	EXPECT_EQ(variant->version, label->version);
	EXPECT_EQ(100, label->pid);
	EXPECT_EQ(0, shim_ts__cmp(at(0.5), label->start));
	EXPECT_STREQ("h1", label->host);
	EXPECT_STREQ("UTC", label->tz);
	EXPECT_STREQ(variant->version == 3 ? ":UTC" : "", label->zoneinfo);
	shim_archive__put(ar);
}

TEST_F(golden, read_metrics)
{
	const struct shim_desc *desc;
	struct shim_archive *ar;

	ASSERT_EQ(0, open_golden(&self->place, variant->version, &ar));
	ASSERT_EQ(2, shim_archive__ndescs(ar));
	EXPECT_EQ(shim_archive__desc_at(ar, 1), shim_archive__desc(ar, state_desc.pmid));
	EXPECT_EQ(NULL, shim_archive__desc_at(ar, 2));
	EXPECT_EQ(NULL, shim_archive__desc(ar, PMID(60, 0, 3)));
	desc = shim_archive__desc(ar, bytes_desc.pmid);
	ASSERT_NE(NULL, desc);
	EXPECT_EQ(SHIM_TYPE_U64, desc->type);
	EXPECT_EQ(SHIM_INDOM_NULL, desc->indom);
	EXPECT_EQ(SHIM_SEM_COUNTER, desc->sem);
	EXPECT_EQ(0x10010000, desc->units);
	ASSERT_EQ(1, desc->nnames);
	EXPECT_STREQ("demo.bytes", desc->names[0]);
	desc = shim_archive__desc(ar, state_desc.pmid);
	ASSERT_EQ(2, desc->nnames);
	EXPECT_STREQ("demo.state", desc->names[0]);
	EXPECT_STREQ("demo.alias", desc->names[1]);
	shim_archive__put(ar);
}

TEST_F(golden, read_instances)
{
	const struct shim_indom *indom;
	struct shim_archive *ar;

	ASSERT_EQ(0, open_golden(&self->place, variant->version, &ar));
	EXPECT_EQ(NULL, shim_archive__indom(ar, INDOM(60, 1), at(0.4)));
	indom = shim_archive__indom(ar, INDOM(60, 1), at(0.5));
	ASSERT_NE(NULL, indom);
	ASSERT_EQ(2, indom->n);
	EXPECT_EQ(7, indom->inst[1]);
	EXPECT_STREQ("lo", indom->name[1]);
	shim_archive__put(ar);
}

TEST_F(golden, read_records)
{
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;
	struct shim_vset vset;
	struct shim_value v;
	struct shim_ts end;

	ASSERT_EQ(0, open_golden(&self->place, variant->version, &ar));
	shim_cursor__init(&cur, ar);
	ASSERT_EQ(0, shim_cursor__next(&cur, &rec));
	EXPECT_EQ(0, shim_ts__cmp(at(0.5), rec.stamp));
	ASSERT_EQ(0, shim_record__first(&rec, &vset));
	EXPECT_EQ(bytes_desc.pmid, vset.pmid);
	ASSERT_EQ(0, shim_vset__value(&rec, &vset, 0, SHIM_TYPE_U64, &v));
	EXPECT_EQ(4096, v.ull);
	EXPECT_EQ(SHIM_IN_NULL, v.inst);
	EXPECT_EQ(-EINVAL, shim_vset__value(&rec, &vset, 1, SHIM_TYPE_U64, &v));
	EXPECT_EQ(-EBADMSG, shim_vset__value(&rec, &vset, 0, SHIM_TYPE_U32, &v));
	EXPECT_EQ(0, shim_vset__raw(&rec, &vset, 0, &v));
	EXPECT_EQ(SHIM_TYPE_U64, v.type);
	EXPECT_EQ(8, v.len);
	ASSERT_EQ(0, shim_record__next(&rec, &vset));
	ASSERT_EQ(0, shim_vset__value(&rec, &vset, 1, SHIM_TYPE_STRING, &v));
	EXPECT_EQ(7, v.inst);
	EXPECT_EQ(8, v.len);
	EXPECT_STREQ("unknown", (const char *)v.bytes);
	EXPECT_EQ(-ENOENT, shim_record__next(&rec, &vset));
	EXPECT_EQ(-ENOENT, shim_record__find(&rec, 1, &vset));

	ASSERT_EQ(0, shim_cursor__next(&cur, &rec));
	EXPECT_EQ(0, shim_record__check(&rec));
	ASSERT_EQ(0, shim_record__find(&rec, state_desc.pmid, &vset));
	EXPECT_EQ(APPVERSION, vset.numval);
	EXPECT_EQ(-EINVAL, shim_vset__value(&rec, &vset, 0, SHIM_TYPE_STRING, &v));
	EXPECT_EQ(-ERANGE, shim_cursor__next(&cur, &rec));
	ASSERT_EQ(0, shim_archive__end(ar, &end));
	EXPECT_EQ(0, shim_ts__cmp(at(10.5), end));
	shim_archive__put(ar);
}

TEST_HARNESS_MAIN
