// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write an archive of a whole system, as pmlogger does: PCP's own state first, and the popular
 * metrics last.
 *
 * usage: system_archive ARCHIVE RECORDS [PROCESSES]
 *
 * Records are one second apart.  PROCESSES is the number of processes, each of which has four
 * counters in each record.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/import.h>

#define START		1700000000LL
#define PROCESS_METRICS	4

/* The value of record i is @from + @step * i, plus @swing in every second record. */
static const struct metric {
	const char *name, *instance;
	int domain, cluster, item, serial, id;
	int sem, space, time, count;
	double from, step, swing;
} metrics[] = {
	{ "pmcd.pid", NULL, 2, 0, 23, -1, 0, PM_SEM_DISCRETE, 0, 0, 0, 1481, 0, 0 },
	{ "pmcd.seqnum", NULL, 2, 0, 24, -1, 0, PM_SEM_DISCRETE, 0, 0, 0, 14, 0, 0 },
	{ "pmcd.buf.alloc", NULL, 2, 0, 25, -1, 0, PM_SEM_INSTANT, 0, 0, 1, 1, 0, 99 },
	{ "hinv.physmem", NULL, 60, 1, 9, -1, 0, PM_SEM_DISCRETE, 1, 0, 0, 16000, 0, 0 },
	{ "app.steady", NULL, 245, 0, 1, -1, 0, PM_SEM_INSTANT, 1, 0, 0, 1000, 0, 1 },
	{ "app.unitless", NULL, 245, 0, 2, -1, 0, PM_SEM_INSTANT, 0, 0, 0, 10, 0, 30 },
	{ "app.below", NULL, 245, 0, 4, -1, 0, PM_SEM_INSTANT, 0, 0, 0, -.0001, 0, 9 },
	{ "app.took", NULL, 245, 0, 5, -1, 0, PM_SEM_INSTANT, 0, 1, 0, 20.5e-6, 0, 1.2 },
	{ "app.swings", NULL, 245, 0, 3, -1, 0, PM_SEM_INSTANT, 1, 0, 0, 1000, 0, 700 },
	{ "network.interface.out.bytes", "lo", 60, 3, 8, 2, 0, PM_SEM_COUNTER, 1, 0, 0, 0, 90000, 0 },
	{ "network.interface.out.bytes", "eth0", 60, 3, 8, 2, 1, PM_SEM_COUNTER, 1, 0, 0, 0, 300, 5 },
	{ "network.interface.in.bytes", "lo", 60, 3, 0, 2, 0, PM_SEM_COUNTER, 1, 0, 0, 0, 90000, 0 },
	{ "network.interface.in.bytes", "eth0", 60, 3, 0, 2, 1, PM_SEM_COUNTER, 1, 0, 0, 0, 500, 5 },
	{ "disk.dev.read_bytes", "sda", 60, 0, 38, 1, 0, PM_SEM_COUNTER, 1, 0, 0, 0, 70, 5 },
	{ "disk.all.read_bytes", NULL, 60, 0, 41, -1, 0, PM_SEM_COUNTER, 1, 0, 0, 0, 70, 5 },
	{ "mem.util.free", NULL, 60, 1, 2, -1, 0, PM_SEM_INSTANT, 1, 0, 0, 8000, 1, 0 },
	{ "mem.util.available", NULL, 60, 1, 58, -1, 0, PM_SEM_INSTANT, 1, 0, 0, 9000, 1, 0 },
	{ "kernel.all.cpu.sys", NULL, 60, 0, 22, -1, 0, PM_SEM_COUNTER, 0, 1, 0, 0, .1, .01 },
	{ "kernel.all.cpu.user", NULL, 60, 0, 20, -1, 0, PM_SEM_COUNTER, 0, 1, 0, 0, .4, .01 },
	{ "kernel.all.load", "15 minute", 60, 2, 0, 0, 15, PM_SEM_INSTANT, 0, 0, 0, .3, 0, 0 },
	{ "kernel.all.load", "1 minute", 60, 2, 0, 0, 1, PM_SEM_INSTANT, 0, 0, 0, .2, .1, 0 },
};

#define NMETRICS	(sizeof(metrics) / sizeof(metrics[0]))

static int handles[NMETRICS];

static void check(int code)
{
	if (code >= 0)
		return;
	fprintf(stderr, "system_archive: %s\n", pmiErrStr(code));
	exit(1);
}

static void describe(const struct metric *m)
{
	pmInDom indom = m->instance ? pmiInDom(m->domain, m->serial) : PM_INDOM_NULL;
	int err = pmiAddMetric(m->name, pmiID(m->domain, m->cluster, m->item), PM_TYPE_DOUBLE, indom, m->sem,
			       pmiUnits(m->space, m->time, m->count, m->space ? PM_SPACE_KBYTE : 0,
					m->time ? PM_TIME_SEC : 0, PM_COUNT_ONE));

	if (err != PMI_ERR_DUPMETRICNAME)
		check(err);
	if (m->instance) {
		err = pmiAddInstance(indom, m->instance, m->id);
		if (err != PMI_ERR_DUPINSTNAME)
			check(err);
	}
	handles[m - metrics] = pmiGetHandle(m->name, m->instance ? m->instance : "");
	check(handles[m - metrics]);
}

/* Return the handles of PROCESS_METRICS metrics of @n processes each. */
static int *describe_processes(int n)
{
	int *processes = calloc(n * PROCESS_METRICS + 1, sizeof(*processes));
	char name[64];

	for (int i = 0; processes && i < n; i++) {
		snprintf(name, sizeof(name), "%06d /usr/bin/program_%d", i, i);
		check(pmiAddInstance(pmiInDom(3, 9), name, i));
	}
	for (int i = 0; processes && i < PROCESS_METRICS * n; i++) {
		char metric[64];

		snprintf(metric, sizeof(metric), "proc.psinfo.c%d", i / n);
		snprintf(name, sizeof(name), "%06d /usr/bin/program_%d", i % n, i % n);
		if (i % n == 0)
			check(pmiAddMetric(metric, pmiID(3, 8, i / n), PM_TYPE_DOUBLE, pmiInDom(3, 9),
					   PM_SEM_COUNTER, pmiUnits(0, 0, 1, 0, 0, PM_COUNT_ONE)));
		processes[i] = pmiGetHandle(metric, name);
		check(processes[i]);
	}
	return processes;
}

static void put(int handle, double v)
{
	pmAtomValue atom = { .d = v };

	check(pmiPutAtomValueHandle(handle, &atom));
}

int main(int argc, char **argv)
{
	int records = argc > 2 ? atoi(argv[2]) : 0, n = argc > 3 ? atoi(argv[3]) : 0;
	int *processes;

	if (argc < 3)
		return 2;
	check(pmiStart(argv[1], 0));
	check(pmiSetVersion(3));
	check(pmiSetHostname("system"));
	check(pmiSetTimezone("UTC"));
	for (size_t i = 0; i < NMETRICS; i++)
		describe(&metrics[i]);
	processes = describe_processes(n);
	for (int record = 0; processes && record < records; record++) {
		for (size_t i = 0; i < NMETRICS; i++)
			put(handles[i], metrics[i].from + metrics[i].step * record + metrics[i].swing * (record % 2));
		for (int i = 0; i < n * PROCESS_METRICS; i++)
			put(processes[i], (double)record * (i + 1));
		check(pmiHighResWrite(START + record, 0));
	}
	free(processes);
	check(pmiEnd());
	return 0;
}
