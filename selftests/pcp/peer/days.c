// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write an archive that spans days, with one counter, work.done, and a record every 12 hours.
 *
 * usage: days ARCHIVE RECORDS
 */
#include <stdio.h>
#include <stdlib.h>

#include <pcp/import.h>

#define HALF_A_DAY	43200

int main(int argc, char **argv)
{
	char value[32];

	if (argc < 3 || pmiStart(argv[1], 0) < 0 || pmiSetTimezone("UTC") < 0 ||
	    pmiAddMetric("work.done", pmiID(60, 2, 0), PM_TYPE_U64, PM_INDOM_NULL, PM_SEM_COUNTER,
			 pmiUnits(0, 0, 1, 0, 0, 0)) < 0)
		return 1;
	for (int t = 0; t < atoi(argv[2]); t++) {
		snprintf(value, sizeof(value), "%d", t * HALF_A_DAY);
		if (pmiPutValue("work.done", "", value) < 0 ||
		    pmiWrite(1000000000 + HALF_A_DAY * t, 0) < 0)
			return 1;
	}
	return pmiEnd() < 0;
}
