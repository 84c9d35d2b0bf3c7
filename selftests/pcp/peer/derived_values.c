// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write an archive for derived_vs_pcp.sh: metrics of each type, counters that wrap, decrease and
 * have gaps, and instances that appear and disappear.
 *
 * usage: derived_values BASE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/import.h>
#include <pcp/pmapi.h>

#define RECORDS 12

static const struct {
	const char *name;
	int type, sem;
	pmUnits units;
	int many;
} metrics[] = {
	{ "v.i32", PM_TYPE_32, PM_SEM_INSTANT, { 0 }, 0 },
	{ "v.u32", PM_TYPE_U32, PM_SEM_INSTANT, { 0 }, 0 },
	{ "v.i64", PM_TYPE_64, PM_SEM_INSTANT, { 0 }, 0 },
	{ "v.u64", PM_TYPE_U64, PM_SEM_INSTANT, { 0 }, 0 },
	{ "v.float", PM_TYPE_FLOAT, PM_SEM_INSTANT, { 0 }, 0 },
	{ "v.double", PM_TYPE_DOUBLE, PM_SEM_INSTANT, { 0 }, 0 },
	{ "v.string", PM_TYPE_STRING, PM_SEM_INSTANT, { 0 }, 0 },
	{ "v.discrete", PM_TYPE_32, PM_SEM_DISCRETE, { 0 }, 0 },
	{ "v.count", PM_TYPE_U32, PM_SEM_INSTANT, { .dimCount = 1 }, 0 },
	{ "v.kcount", PM_TYPE_U64, PM_SEM_INSTANT, { .dimCount = 1, .scaleCount = 3 }, 0 },
	{ "v.bytes", PM_TYPE_U64, PM_SEM_INSTANT, { .dimSpace = 1 }, 0 },
	{ "v.mbytes", PM_TYPE_32, PM_SEM_INSTANT, { .dimSpace = 1, .scaleSpace = PM_SPACE_MBYTE }, 0 },
	{ "v.msec", PM_TYPE_64, PM_SEM_INSTANT, { .dimTime = 1, .scaleTime = PM_TIME_MSEC }, 0 },
	{ "v.hours", PM_TYPE_FLOAT, PM_SEM_INSTANT, { .dimTime = 1, .scaleTime = PM_TIME_HOUR }, 0 },
	{ "v.speed", PM_TYPE_DOUBLE, PM_SEM_INSTANT,
	  { .dimSpace = 1, .dimTime = -1, .scaleSpace = PM_SPACE_KBYTE, .scaleTime = PM_TIME_SEC }, 0 },
	{ "c.i32", PM_TYPE_32, PM_SEM_COUNTER, { .dimCount = 1 }, 0 },
	{ "c.u32", PM_TYPE_U32, PM_SEM_COUNTER, { .dimCount = 1 }, 0 },
	{ "c.i64", PM_TYPE_64, PM_SEM_COUNTER, { .dimSpace = 1 }, 0 },
	{ "c.u64", PM_TYPE_U64, PM_SEM_COUNTER, { .dimSpace = 1, .scaleSpace = PM_SPACE_KBYTE }, 0 },
	{ "c.double", PM_TYPE_DOUBLE, PM_SEM_COUNTER, { .dimTime = 1, .scaleTime = PM_TIME_NSEC }, 0 },
	{ "c.minutes", PM_TYPE_U32, PM_SEM_COUNTER, { .dimTime = 1, .scaleTime = PM_TIME_MIN }, 0 },
	{ "c.float", PM_TYPE_FLOAT, PM_SEM_COUNTER, { 0 }, 0 },
	{ "v.many", PM_TYPE_32, PM_SEM_INSTANT, { 0 }, 1 },
	{ "v.more", PM_TYPE_64, PM_SEM_INSTANT, { 0 }, 1 },
	{ "c.many", PM_TYPE_U32, PM_SEM_COUNTER, { .dimCount = 1 }, 1 },
	{ "v.strings", PM_TYPE_STRING, PM_SEM_INSTANT, { 0 }, 1 },
	{ "v.other", PM_TYPE_32, PM_SEM_INSTANT, { 0 }, 2 },
};

#define METRICS ((int)(sizeof(metrics) / sizeof(metrics[0])))

static const char *const instances[] = { "one", "two words", "three", "fo]ur", "five/5" };

static void put(const char *metric, const char *instance, int type, int i, int at)
{
	static const double shapes[] = { 1, -3, 0, 1000003, 4294967000.0, 7.25, -0.5, 2147483000.0 };
	double v = shapes[(at + i) % 8] * (i % 3 + 1);
	char buf[64];

	switch (type) {
	case PM_TYPE_32:
		snprintf(buf, sizeof(buf), "%d", (int)(v > 2147483647 || v < 0 ? -i * 100 : v));
		break;
	case PM_TYPE_U32:
		snprintf(buf, sizeof(buf), "%u", (unsigned int)(v < 0 || v > 4294967295.0 ? i * 7 : v));
		break;
	case PM_TYPE_64:
		snprintf(buf, sizeof(buf), "%lld", (long long)(v * 1000003));
		break;
	case PM_TYPE_U64:
		snprintf(buf, sizeof(buf), "%llu",
			 (unsigned long long)(v < 0 ? 18446744073709550000ull - i : v * 1e9));
		break;
	case PM_TYPE_STRING:
		snprintf(buf, sizeof(buf), "text %d%.*s", i, i, "............");
		break;
	default:
		snprintf(buf, sizeof(buf), "%.9g", v / 7);
	}
	pmiPutValue(metric, instance, buf);
}

static void record(int i)
{
	for (int m = 0; m < METRICS; m++) {
		int n = metrics[m].many ? 5 : 1;

		/* In some records, a metric or some of its instances have no values. */
		if ((i * 7 + m) % 11 == 10)
			continue;
		for (int j = 0; j < n; j++)
			if (n == 1 || (i + j + m / 2) % 4)
				put(metrics[m].name, n == 1 ? NULL : instances[j], metrics[m].type, i, m + j);
	}
	pmiWrite(1500000000 + i, i * 1000);
}

int main(int argc, char **argv)
{
	if (argc != 2 || pmiStart(argv[1], 0) < 0)
		return 1;
	pmiSetHostname("values");
	pmiSetTimezone("UTC");
	for (int m = 0; m < METRICS; m++)
		pmiAddMetric(metrics[m].name, pmiID(100, 1, m + 1), metrics[m].type,
			     metrics[m].many ? pmiInDom(100, metrics[m].many) : PM_INDOM_NULL,
			     metrics[m].sem, metrics[m].units);
	for (int d = 1; d <= 2; d++)
		for (int j = 0; j < 5; j++)
			pmiAddInstance(pmiInDom(100, d), instances[j], j);
	for (int i = 0; i < RECORDS; i++)
		record(i);
	return pmiEnd() < 0;
}
