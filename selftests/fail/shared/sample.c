// SPDX-License-Identifier: GPL-2.0-or-later
/* Write archives of a few metrics, and print their values as text. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fail/shared/sample.h"
#include "fail/shared/sweep.h"

static const char *const instances[] = { "left", "right", "middle of \"all\"" };

void sample_check(int err)
{
	if (err < 0) {
		fprintf(stderr, "prepare: %s\n", pmiErrStr(err));
		_exit(1);
	}
}

const char *sample_name(int i)
{
	static char name[32];

	sprintf(name, "demo.m%d", i);
	return name;
}

void sample_describe(void)
{
	const pmUnits none = pmiUnits(0, 0, 0, 0, 0, 0);

	sample_check(pmiSetHostname("host"));
	sample_check(pmiSetTimezone("UTC"));
	for (int i = 0; i < SAMPLE_METRICS; i++) {
		pmInDom indom = i % 2 ? SAMPLE_INDOM : PM_INDOM_NULL;
		int type = i == 4 ? PM_TYPE_STRING : i == 2 ? PM_TYPE_DOUBLE : PM_TYPE_U64;
		int sem = i == 4 ? PM_SEM_DISCRETE : i % 3 ? PM_SEM_INSTANT : PM_SEM_COUNTER;

		sample_check(pmiAddMetric(sample_name(i), pmiID(60, 0, i), type, indom, sem, none));
		sample_check(pmiPutText(PM_TEXT_PMID, PM_TEXT_ONELINE, pmiID(60, 0, i), "a text"));
		sample_check(pmiPutLabel(PM_LABEL_ITEM, pmiID(60, 0, i), PM_IN_NULL, "kind", "x"));
	}
	for (int i = 0; i < 3; i++) {
		sample_check(pmiAddInstance(SAMPLE_INDOM, instances[i], i * 5));
		sample_check(pmiPutLabel(PM_LABEL_INSTANCES, SAMPLE_INDOM, i * 5, "side", "y"));
	}
}

void sample_put(int at)
{
	char value[32];

	sprintf(value, "%d", at * 10);
	for (int m = 0; m < SAMPLE_METRICS; m++) {
		if (m % 2)
			for (int i = 0; i < 3; i++)
				sample_check(pmiPutValue(sample_name(m), instances[i], value));
		else
			sample_check(pmiPutValue(sample_name(m), NULL, value));
	}
	sample_check(pmiWrite(SAMPLE_START + at, 0));
}

/*
 * Write an archive of @records, one per second, starting at @from, and begin a new
 * volume after every @each records.
 */
void sample_make(const char *name, int from, int records, int each)
{
	sample_check(pmiStart(name, 0));
	sample_describe();
	for (int i = 0; i < records; i++) {
		sample_put(from + i);
		if (i % each == each - 1 && i < records - 1)
			sample_check(pmiNextVolume());
	}
	sample_check(pmiEnd());
}

void sample_show(const pmResult *result)
{
	say("%ld.%06ld", (long)result->timestamp.tv_sec, (long)result->timestamp.tv_usec);
	for (int i = 0; i < result->numpmid; i++) {
		const pmValueSet *set = result->vset[i];

		say(" |%d", set->numval);
		for (int k = 0; k < set->numval; k++) {
			int type = i == 4 ? PM_TYPE_STRING : i == 2 ? PM_TYPE_DOUBLE : PM_TYPE_U64;
			pmAtomValue atom;

			if (TRY(pmExtractValue(set->valfmt, &set->vlist[k], type, &atom, type)) < 0)
				say(" ?");
			else if (type == PM_TYPE_STRING)
				say(" %s", atom.cp);
			else if (type == PM_TYPE_DOUBLE)
				say(" %g", atom.d);
			else
				say(" %llu", (unsigned long long)atom.ull);
			if (type == PM_TYPE_STRING)
				free(atom.cp);
		}
	}
	say("\n");
}
