// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unpack generated event records, valid and invalid, and print the results.
 *
 * state_vs_pcp.sh builds it with libshim and with PCP's own library, and compares the output.
 *
 * usage: events SEED
 */
#include "peer.h"

#include <stdbool.h>
#include <string.h>

static union {
	pmValueBlock block;
	char bytes[8192];
} value;
static pmValueSet set;
static char *at;

static void put(const void *p, size_t len)
{
	memcpy(at, p, len);
	at += len;
}

static void put32(unsigned int v)
{
	put(&v, sizeof(v));
}

static void begin(bool fine, int records)
{
	memset(&value, 0, sizeof(value));
	at = value.block.vbuf;
	value.block.vtype = fine ? PM_TYPE_HIGHRES_EVENT : PM_TYPE_EVENT;
	set = (pmValueSet){ .pmid = pmID_build(60, 1, 2), .numval = 1, .valfmt = PM_VAL_DPTR };
	set.vlist[0].inst = PM_IN_NULL;
	set.vlist[0].value.pval = &value.block;
	put32(records);
}

static void record(bool fine, int64_t sec, unsigned int flags, int parameters)
{
	int64_t fraction = sec * 7919 % 1000000;

	if (fine) {
		put(&sec, sizeof(sec));
		put(&fraction, sizeof(fraction));
	} else {
		put32(sec);
		put32(fraction);
	}
	put32(flags);
	put32(parameters);
}

static void parameter(unsigned int item, int type, unsigned int len, const void *p)
{
	put32(pmID_build(60, 2, item));
	put32((unsigned int)type << 24 | (len + PM_VAL_HDR_SIZE));
	put(p, len);
	while ((at - value.bytes) % 4)
		*at++ = '\0';
}

static void print(const pmHighResResult *r)
{
	printf("{%" PRId64 " %ld %d\n", (int64_t)r->timestamp.tv_sec, (long)r->timestamp.tv_nsec,
	       r->numpmid);
	dump_vsets(r->numpmid, r->vset, 1);
	printf("}");
}

static void unpack(const char *what, bool fine, int less)
{
	pmHighResResult **results = NULL;
	int n;

	value.block.vlen = at - value.bytes - less;
	n = fine ? pmUnpackHighResEventRecords(&set, 0, &results) :
		   pmUnpackEventRecords(&set, 0, (pmResult ***)&results);
	printf("%s: %d%s", what, n, n == 0 && results ? " and a list" : "");
	for (int i = 0; i < n; i++)
		print(results[i]);
	printf("%s\n", n > 0 && results[n] ? "no end" : "");
	if (n > 0 && fine)
		pmFreeHighResEventResult(results);
	else if (n > 0)
		pmFreeEventResult((pmResult **)results);
}

static void some_parameter(uint64_t *dice)
{
	static const char text[] = "some text, more or less";
	static const struct {
		int type;
		unsigned int len;
	} kinds[] = {
		{ PM_TYPE_32, 4 }, { PM_TYPE_U32, 4 }, { PM_TYPE_64, 8 }, { PM_TYPE_U64, 8 },
		{ PM_TYPE_FLOAT, 4 }, { PM_TYPE_DOUBLE, 8 }, { PM_TYPE_STRING, 1 },
		{ PM_TYPE_STRING, 24 }, { PM_TYPE_AGGREGATE, 13 }, { PM_TYPE_AGGREGATE, 0 },
	};
	unsigned int k = random_next(dice) % 10;

	parameter(k, kinds[k].type, kinds[k].len, text);
}

static void some_records(bool fine, uint64_t *dice)
{
	int n = random_next(dice) % 6;
	bool missed;

	begin(fine, n);
	for (int i = 0; i < n; i++) {
		unsigned int parameters = random_next(dice) % 5;

		missed = random_next(dice) % 5 == 0;
		record(fine, 1000 + i, missed ? PM_EVENT_FLAG_MISSED : random_next(dice) % 32,
		       (int)parameters);
		for (unsigned int j = 0; !missed && j < parameters; j++)
			some_parameter(dice);
	}
	unpack("records", fine, 0);
	unpack("cut", fine, (int)(random_next(dice) % (at - value.bytes)));
}

static void bad_values(bool fine)
{
	begin(!fine, 0);
	unpack("the other type", fine, 0);
	begin(fine, -1);
	unpack("less than none", fine, 0);
	begin(fine, 0);
	set.valfmt = PM_VAL_INSITU;
	unpack("in place", fine, 0);
	begin(fine, 0);
	set.numval = 0;
	unpack("no value", fine, 0);
	set.numval = PM_ERR_AGAIN;
	unpack("an error", fine, 0);
	begin(fine, 1);
	record(fine, 1, 0, 1);
	parameter(1, PM_TYPE_EVENT, 4, "abcd");
	unpack("events in events", fine, 0);
	begin(fine, 1);
	record(fine, 1, PM_EVENT_FLAG_MISSED | PM_EVENT_FLAG_ID, 3);
	unpack("missed and not", fine, 0);
	begin(fine, 2);
	record(fine, 1, 0, 1);
	parameter(1, PM_TYPE_EVENT, 4, "abcd");
	record(fine, 2, PM_EVENT_FLAG_MISSED | PM_EVENT_FLAG_ID, 3);
	unpack("events in events, then missed and not", fine, 0);
	begin(fine, 1);
	record(fine, 1, PM_EVENT_FLAG_MISSED, -1);
	unpack("2^32 - 1 missed", fine, 0);
}

int main(int argc, char **argv)
{
	uint64_t dice = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;

	for (int fine = 0; fine < 2; fine++) {
		bad_values(fine);
		for (int i = 0; i < 500; i++)
			some_records(fine, &dice);
	}
	return 0;
}
