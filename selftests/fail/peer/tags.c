// SPDX-License-Identifier: GPL-2.0-or-later
/* Write an archive of transactions with three tags, as vcpc record does: tags ARCHIVE */
#include <stdio.h>

#include <pcp/import.h>
#include <pcp/pmapi.h>

static const char *const tags[] = { "checkout", "search", "bill" };

static int describe(pmInDom indom)
{
	int err = pmiAddMetric("trace.transact.count", pmiID(10, 0, 2), PM_TYPE_U64, indom, PM_SEM_COUNTER,
			       pmiUnits(0, 0, 1, 0, 0, PM_COUNT_ONE));

	if (!err)
		err = pmiAddMetric("trace.transact.total_time", pmiID(10, 0, 8), PM_TYPE_DOUBLE, indom,
				   PM_SEM_COUNTER, pmiUnits(0, 1, 0, 0, PM_TIME_SEC, 0));
	for (int i = 0; i < 3 && !err; i++)
		err = pmiAddInstance(indom, tags[i], i);
	return err;
}

int main(int argc, char **argv)
{
	char count[16], time[16];
	int err = argc < 2 || pmiStart(argv[1], 0) < 0 || pmiSetTimezone("UTC");

	if (!err)
		err = describe(pmiInDom(10, 1));
	for (int at = 1; at < 6 && !err; at++) {
		for (int i = 0; i < 3 && !err; i++) {
			snprintf(count, sizeof(count), "%d", at * (i + 1));
			snprintf(time, sizeof(time), "%g", at * 0.1 / (i + 1));
			err = pmiPutValue("trace.transact.count", tags[i], count);
			if (!err)
				err = pmiPutValue("trace.transact.total_time", tags[i], time);
		}
		if (!err)
			err = pmiWrite(1700000000 + at, 0);
	}
	return err || pmiEnd() ? 1 : 0;
}
