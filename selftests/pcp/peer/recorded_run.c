// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write an archive, as vcpc record does, of a run with the given numbers.  It has three records,
 * one second apart.  All transactions have the same duration and the same count of instructions,
 * and half of them are in the second record.  The command counts 1000 instructions before the first
 * record, and those of its transactions.
 *
 * usage: recorded_run ARCHIVE PID TAG TRANSACTIONS NANOSECONDS INSTRUCTIONS [LIFE]
 *
 * With LIFE, the run is ten seconds later, and the tag has other instance numbers.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pcp/import.h>

#define START	1000000000
#define RECORDS	3

/* The metrics that the recorder writes */
static const struct {
	const char *name;
	unsigned int domain, cluster, item, serial;
	int type, sem;
} metrics[] = {
	{ "trace.transact.count", 10, 0, 0, 0, PM_TYPE_U64, PM_SEM_COUNTER },
	{ "trace.transact.total_time", 10, 0, 5, 0, PM_TYPE_DOUBLE, PM_SEM_COUNTER },
	{ "vcpc.time.tick", 450, 0, 0, 0, PM_TYPE_U64, PM_SEM_COUNTER },
	{ "vcpc.count.instructions", 450, 1, 0, 0, PM_TYPE_U64, PM_SEM_COUNTER },
	{ "vcpc.count.page_faults", 450, 1, 1, 0, PM_TYPE_U64, PM_SEM_COUNTER },
	{ "vcpc.transact.hist", 450, 2, 6, 2, PM_TYPE_U64, PM_SEM_COUNTER },
	{ "vcpc.transact.counted", 450, 2, 7, 3, PM_TYPE_U64, PM_SEM_COUNTER },
	{ "vcpc.transact.sum", 450, 2, 8, 3, PM_TYPE_U64, PM_SEM_COUNTER },
};

static int declare(void)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		if (pmiAddMetric(metrics[i].name,
				 pmiID(metrics[i].domain, metrics[i].cluster, metrics[i].item),
				 metrics[i].type, pmInDom_build(metrics[i].domain, metrics[i].serial),
				 metrics[i].sem, pmiUnits(0, 0, 0, 0, 0, 0)) < 0)
			return -1;
	return 0;
}

static int put(const char *metric, const char *instance, double value)
{
	char text[40];

	snprintf(text, sizeof(text), "%.17g", value);
	return pmiPutValue(metric, instance, text);
}

int main(int argc, char **argv)
{
	char process[64], slot[128], event[128];
	double n, ns, each;
	int life;

	if (argc < 7 || pmiStart(argv[1], 0) < 0 || pmiSetTimezone("UTC") < 0 || declare() < 0)
		return 1;
	snprintf(process, sizeof(process), "%06d server", atoi(argv[2]));
	snprintf(slot, sizeof(slot), "%s/4096ns", argv[3]);
	snprintf(event, sizeof(event), "%s/instructions", argv[3]);
	n = atof(argv[4]);
	ns = atof(argv[5]);
	each = atof(argv[6]);
	life = argc > 7 ? atoi(argv[7]) : 1;
	if (pmiAddInstance(pmInDom_build(450, 0), process, atoi(argv[2])) < 0 ||
	    pmiAddInstance(pmInDom_build(10, 0), argv[3], life) < 0 ||
	    pmiAddInstance(pmInDom_build(450, 2), slot, life) < 0 ||
	    pmiAddInstance(pmInDom_build(450, 3), event, life) < 0)
		return 1;
	for (int t = 0; t < RECORDS; t++) {
		double done = n * t / (RECORDS - 1);

		put("vcpc.time.tick", process, 1e6 + done * ns);
		put("vcpc.count.instructions", process, 1000 + done * each);
		put("vcpc.count.page_faults", process, 77);
		if (t) {
			put("trace.transact.count", argv[3], done);
			put("trace.transact.total_time", argv[3], done * ns / 1e9);
			put("vcpc.transact.hist", slot, done);
			put("vcpc.transact.counted", event, done);
			put("vcpc.transact.sum", event, done * each);
		}
		if (pmiWrite(START + 10 * life + t, 0) < 0)
			return 1;
	}
	return pmiEnd() < 0;
}
