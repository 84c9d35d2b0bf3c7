// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write an archive for compare_with_pcp.sh and for benchmarks.
 *
 * usage: make_archive BASE VERSION vectors|notes|lines
 *        make_archive BASE VERSION churn STATES
 *        make_archive BASE VERSION domains METRICS
 *        make_archive BASE VERSION random|marked SEED
 *        make_archive BASE VERSION big|steady|sparse|many|names|wide|huge RECORDS
 *        make_archive BASE VERSION part NUMBER
 *
 * A "marked" archive is like a "random" one, but longer and with marks.  Instances of "churn" come
 * and go like processes: a tenth of a thousand is new each time.  In "big", one metric never
 * occurs; in "steady", all metrics occur in every record.  Records of "sparse" have the group
 * "often", and one in 500 also "rare".  "many" has 1,000 metrics, "names" 20,000, "wide" three
 * metrics of 10,000 instances, and "huge" of 100,000.  Each "part" is a steady archive that follows
 * the previous one.  "domains" has three records of metrics with a domain each.
 */
#include <stdbool.h>
#include <stdint.h>

static int64_t part_start;

#define AF_START (1000000000LL + part_start)

#include "../archive_file.h"

#define RANDOM_METRICS	24
#define RANDOM_RECORDS	400
#define MARKED_RECORDS	1200
#define MARK_EVERY	150	/* records, on average */
#define BIG_METRICS	48
#define INDEX_EVERY	100000
#define ALIVE		1000
#define MANY_METRICS	1000
#define MANY_NAMES	20000
#define WIDE		10000
#define HUGE_DOMAIN	100000
#define PART_RECORDS	190	/* fewer than fit in a window of the reader */
#define RARELY		500	/* records between two occurrences */
#define RARE_METRICS	4

static uint64_t state;

static uint32_t roll(uint32_t sides)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % sides;
}

/* Return a number of any size and sign. */
static uint64_t any_number(void)
{
	uint64_t v = (uint64_t)roll(1u << 31) << 33 ^ (uint64_t)roll(1u << 31) << 11 ^ roll(2048);

	return v >> roll(64);
}

static void any_value(struct af *a, int inst, int type, uint64_t *last)
{
	double d;

	/* Counters usually increase by a small amount. */
	*last = roll(8) ? *last + roll(100000) : any_number();
	d = (double)(int64_t)*last / 7;
	switch (type) {
	case 0:
	case 1:
		af_u32(a, inst, (uint32_t)*last);
		break;
	case 2:
	case 3:
		af_u64(a, inst, type, *last);
		break;
	case 4:
		af_float(a, inst, (float)d);
		break;
	case 5:
		af_double(a, inst, d);
		break;
	default:
		af_string(a, inst, roll(2) ? "on" : "a longer text");
	}
}

struct metric {
	int type, sem;
	uint32_t indom;
	unsigned int every;	/* mean number of records per value */
	uint64_t last[32];
};

/*
 * Choose the instances of a record.  Domain 1 is small; domain 2 is so large that instances appear
 * and disappear.
 */
static unsigned int instances(uint32_t indom, unsigned int life, int *ids)
{
	unsigned int n = 0;

	for (int i = 0; i < (indom == AF_PMID(1) ? 5 : 30); i++)
		if (indom == AF_PMID(1) || (unsigned int)i % 4 != life % 4)
			ids[n++] = i * 3;
	return n;
}

/* Give some metrics names in two groups, in either order. */
static void random_names(char *names, size_t size, int i)
{
	char group = (char)('a' + i % 3);

	if (i % 8 == 1)
		snprintf(names, size, "twice.x.m%d twice.y.m%d random.%c.m%d", i, i, group, i);
	else if (i % 8 == 5)
		snprintf(names, size, "random.%c.m%d twice.y.m%d twice.x.m%d", group, i, i, i);
	else
		snprintf(names, size, "random.%c.m%d", group, i);
}

/*
 * Return whether this is a discrete number.  PCP up to 7.2.2 returns an older value of it after a
 * step past its last value.
 */
static bool is_discrete_number(const struct metric *m)
{
	return m->sem == 4 && m->type < 6;
}

static void random_metrics(struct af *a, struct metric *metrics)
{
	static const int sems[] = { 1, 1, 3, 4 };
	char name[96];

	for (int i = 0; i < RANDOM_METRICS; i++) {
		struct metric *m = &metrics[i];

		m->type = (int)roll(7);
		m->sem = m->type == 6 ? 3 + (int)roll(2) : sems[roll(4)];
		m->indom = roll(2) ? AF_NONE : AF_PMID(1 + roll(2));
		m->every = roll(3) ? 1 : 1 + roll(60);
		if (m->indom == AF_PMID(2) && is_discrete_number(m))
			m->sem = 3;
		random_names(name, sizeof(name), i);
		af_desc(a, AF_PMID(i), m->type, m->indom, m->sem, 0, name);
	}
}

/* Write a record.  The last record has values of all discrete numbers. */
static void random_record(struct af *a, struct metric *metrics, unsigned int life, bool last)
{
	int ids[32];

	for (int i = 0; i < RANDOM_METRICS; i++) {
		struct metric *m = &metrics[i];
		bool whole = last && is_discrete_number(m);
		unsigned int n;

		if (roll(m->every) && !whole)
			continue;
		if (!roll(50) && !whole) {
			af_set(a, AF_PMID(i), -12350);
			continue;
		}
		af_set(a, AF_PMID(i), 0);
		if (m->indom == AF_NONE)
			any_value(a, -1, m->type, &m->last[0]);
		n = m->indom == AF_NONE ? 0 : instances(m->indom, life, ids);
		for (unsigned int j = 0; j < n; j++)
			if (roll(10) || whole)
				any_value(a, ids[j], m->type, &m->last[j]);
	}
}

static void make_random(struct af *a, uint64_t seed, bool marked)
{
	const unsigned int records = marked ? MARKED_RECORDS : RANDOM_RECORDS;
	struct metric metrics[RANDOM_METRICS] = { 0 };
	int64_t at = 0;
	int ids[32];

	state = seed;
	random_metrics(a, metrics);
	for (unsigned int i = 0; i < records; i++) {
		unsigned int life = i / 50;

		if (i % 50 == 0)
			af_indom(a, at, AF_PMID(2), instances(AF_PMID(2), life, ids), ids);
		if (i == 0)
			af_indom(a, at, AF_PMID(1), instances(AF_PMID(1), 0, ids), ids);
		if (i % 40 == 0 || i == records - 1)
			af_index(a, at);
		af_begin(a, at);
		random_record(a, metrics, life, i == records - 1);
		if (a->npmids)
			af_end(a);
		if (marked && i < records - 1 && !roll(MARK_EVERY))
			af_mark(a, at + 500000);
		at += (1 + roll(3000)) * 1000000LL + roll(1000) * 1000;
	}
}

static void make_big(struct af *a, int records, int never)
{
	char name[32];
	long last = -INDEX_EVERY;

	for (int i = 0; i < BIG_METRICS; i++) {
		snprintf(name, sizeof(name), "big.m%d", i);
		af_desc(a, AF_PMID(i), i % 2 ? 1 : 3, AF_NONE, i % 3 ? 1 : 3, 0, name);
	}
	if (never)
		af_desc(a, AF_PMID(BIG_METRICS), 1, AF_NONE, 1, 0, "big.never");
	for (int r = 0; r < records; r++) {
		int64_t at = r * 10 * AF_SEC;

		if (ftell(a->data) - last >= INDEX_EVERY || r == records - 1) {
			af_index(a, at);
			last = ftell(a->data);
		}
		af_begin(a, at);
		for (int i = 0; i < BIG_METRICS; i++) {
			af_set(a, AF_PMID(i), 0);
			if (i % 2)
				af_u32(a, -1, (uint32_t)(r * (i + 1)));
			else
				af_u64(a, -1, 3, (uint64_t)r * 1000003 * (uint64_t)(i + 1));
		}
		af_end(a);
	}
}

/* Write a record whose length varies as if it contained processes. */
static void sparse_record(struct af *a, int r)
{
	int n = 1 + (int)roll(40);

	for (int i = 0; i < BIG_METRICS; i++) {
		af_set(a, AF_PMID(i), 0);
		for (int j = 0; j < (i == 7 ? n : 1); j++)
			af_u32(a, i == 7 ? j : -1, (uint32_t)(r * (i + j + 1)));
	}
	for (int i = 0; i < RARE_METRICS && r % RARELY == 0; i++) {
		af_set(a, AF_PMID(BIG_METRICS + i), 0);
		af_u64(a, -1, 3, (uint64_t)r * 1000003);
	}
}

static void make_sparse(struct af *a, int records)
{
	char name[32];
	int ids[64];

	for (int i = 0; i < 64; i++)
		ids[i] = i;
	for (int i = 0; i < BIG_METRICS; i++) {
		snprintf(name, sizeof(name), "often.m%d", i);
		af_desc(a, AF_PMID(i), 1, i == 7 ? AF_PMID(1) : AF_NONE, i % 3 ? 1 : 3, 0, name);
	}
	for (int i = 0; i < RARE_METRICS; i++) {
		snprintf(name, sizeof(name), "rare.m%d", i);
		af_desc(a, AF_PMID(BIG_METRICS + i), 3, AF_NONE, 1, 0, name);
	}
	af_indom(a, 0, AF_PMID(1), 64, ids);
	for (int r = 0; r < records; r++) {
		if (r % 1000 == 0 || r == records - 1)
			af_index(a, r * AF_SEC);
		af_begin(a, r * AF_SEC);
		sparse_record(a, r);
		af_end(a);
	}
}

static void make_many(struct af *a, int metrics, int records)
{
	char name[32];

	for (int i = 0; i < metrics; i++) {
		snprintf(name, sizeof(name), "many.g%d.m%d", i % 10, i);
		af_desc(a, AF_PMID(i), i % 2 ? 1 : 3, AF_NONE, i % 3 ? 1 : 3, 0, name);
	}
	for (int r = 0; r < records; r++) {
		if (r % 100 == 0 || r == records - 1)
			af_index(a, r * AF_SEC);
		af_begin(a, r * AF_SEC);
		for (int i = 0; i < metrics; i++) {
			af_set(a, AF_PMID(i), 0);
			if (i % 2)
				af_u32(a, -1, (uint32_t)(r * (i + 1)));
			else
				af_u64(a, -1, 3, (uint64_t)r * 1000003 * (uint64_t)(i + 1));
		}
		af_end(a);
	}
}

static void wide_record(struct af *a, int r, int width)
{
	for (int m = 0; m < 3; m++) {
		af_set(a, AF_PMID(m), 0);
		for (int i = 0; i < width; i++) {
			if (m == 2)
				af_u64(a, 3 * i, 3, (uint64_t)r * (uint64_t)i);
			else
				af_u32(a, 3 * i, (uint32_t)(i + r));
		}
	}
}

static void make_wide(struct af *a, int records, int width)
{
	static int ids[HUGE_DOMAIN];

	for (int i = 0; i < width; i++)
		ids[i] = 3 * i;
	af_desc(a, AF_PMID(0), 1, AF_PMID(1), 1, 0, "wide.count");
	af_desc(a, AF_PMID(1), 1, AF_PMID(1), 3, 0, "wide.gauge");
	af_desc(a, AF_PMID(2), 3, AF_PMID(1), 1, 0, "wide.big");
	af_indom(a, 0, AF_PMID(1), (unsigned int)width, ids);
	for (int r = 0; r < records; r++) {
		if (r % 10 == 0 || r == records - 1)
			af_index(a, r * AF_SEC);
		af_begin(a, r * AF_SEC);
		wide_record(a, r, width);
		af_end(a);
	}
}

static void make_domains(struct af *a, int metrics)
{
	int inst = 0;

	for (int i = 0; i < metrics; i++) {
		char name[32];

		snprintf(name, sizeof(name), "domains.g%d.m%d", i % 10, i);
		af_desc(a, AF_PMID(i), 1, AF_PMID(i), 3, 0, name);
		af_indom(a, 0, AF_PMID(i), 1, &inst);
	}
	for (int r = 0; r < 3; r++) {
		af_index(a, r * AF_SEC);
		af_begin(a, r * AF_SEC);
		for (int i = 0; i < metrics; i++) {
			af_set(a, AF_PMID(i), 0);
			af_u32(a, inst, (uint32_t)(r * i));
		}
		af_end(a);
	}
}

static void churn_record(struct af *a, int64_t at, const int *ids)
{
	af_begin(a, at);
	for (int m = 0; m < 3; m++) {
		af_set(a, AF_PMID(m), 0);
		for (int i = 0; i < ALIVE; i++) {
			if (m == 2)
				af_u64(a, ids[i], 3, (uint64_t)(at / AF_SEC) * (uint64_t)ids[i]);
			else
				af_u32(a, ids[i], (uint32_t)(ids[i] + at / AF_SEC));
		}
	}
	af_end(a);
}

/*
 * Write states of a domain in which new instances, with the highest IDs, replace the oldest tenth.
 */
static void make_churn(struct af *a, int states)
{
	int ids[ALIVE], next = 1;

	af_desc(a, AF_PMID(0), 1, AF_PMID(1), 1, 0, "churn.count");
	af_desc(a, AF_PMID(1), 1, AF_PMID(1), 3, 0, "churn.gauge");
	af_desc(a, AF_PMID(2), 3, AF_PMID(1), 1, 0, "churn.big");
	for (int i = 0; i < ALIVE; i++)
		ids[i] = next++;
	for (int s = 0; s < states; s++) {
		int64_t at = s * 10 * AF_SEC;

		af_indom(a, at, AF_PMID(1), ALIVE, ids);
		if (s % 20 == 0 || s == states - 1)
			af_index(a, at);
		churn_record(a, at, ids);
		memmove(ids, ids + ALIVE / 10, (ALIVE - ALIVE / 10) * sizeof(*ids));
		for (int i = ALIVE - ALIVE / 10; i < ALIVE; i++)
			ids[i] = next++;
	}
}

/* Write only one-line texts, and labels only at the end. */
static void only_lines(struct af *a)
{
	static const struct af_label late = { -1, "hostname", "\"late\"", 0 };

	af_note(a, 5, AF_PMID(CU32), "one line");
	af_labels(a, 50 * AF_SEC, 1, AF_NONE, 1, &late);
}

/* Add two instances to a domain, in descending order, as pmlogextract -V 3 may do. */
static void unsorted_delta(struct af *a)
{
	static const uint32_t rest[] = { AF_INDOM, 2, 7, 5, 0, 3 };
	struct af_bytes b = { 0 };

	af_put32(&b, 6);
	af_stamp(&b, a->version, 40 * AF_SEC);
	for (int i = 0; i < 6; i++)
		af_put32(&b, rest[i]);
	af_put(&b, "i7\0i5", 6);
	af_frame(&b, a->meta);
	free(b.data);
}

int main(int argc, char **argv)
{
	struct af a;
	int version = argc > 2 ? atoi(argv[2]) : 0;

	if (argc == 4 && !strcmp(argv[3], "vectors")) {
		af_vectors(argv[1], version);
	} else if (argc == 4 && !strcmp(argv[3], "notes")) {
		af_vectors_with(argv[1], version, af_vectors_notes);
	} else if (argc == 4 && !strcmp(argv[3], "lines")) {
		af_vectors_with(argv[1], version, only_lines);
	} else if (argc == 4 && !strcmp(argv[3], "delta")) {
		af_vectors_with(argv[1], version, unsorted_delta);
	} else if (argc == 4) {
		return 2;
	}
	if (argc == 4)
		return 0;
	if (argc != 5)
		return 2;
	if (!strcmp(argv[3], "part"))
		part_start = atoi(argv[4]) * PART_RECORDS * 10LL;
	af_open(&a, argv[1], version);
	if (!strcmp(argv[3], "churn"))
		make_churn(&a, atoi(argv[4]));
	else if (!strcmp(argv[3], "domains"))
		make_domains(&a, atoi(argv[4]));
	else if (!strcmp(argv[3], "random"))
		make_random(&a, strtoull(argv[4], NULL, 10), false);
	else if (!strcmp(argv[3], "sparse"))
		make_sparse(&a, atoi(argv[4]));
	else if (!strcmp(argv[3], "many"))
		make_many(&a, MANY_METRICS, atoi(argv[4]));
	else if (!strcmp(argv[3], "names"))
		make_many(&a, MANY_NAMES, atoi(argv[4]));
	else if (!strcmp(argv[3], "wide"))
		make_wide(&a, atoi(argv[4]), WIDE);
	else if (!strcmp(argv[3], "huge"))
		make_wide(&a, atoi(argv[4]), HUGE_DOMAIN);
	else if (!strcmp(argv[3], "part"))
		make_big(&a, PART_RECORDS, false);
	else if (!strcmp(argv[3], "marked"))
		make_random(&a, strtoull(argv[4], NULL, 10), true);
	else
		make_big(&a, atoi(argv[4]), !strcmp(argv[3], "big"));
	af_close(&a);
	return 0;
}
