// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write an archive of one metric, load.of, whose instances have names with blanks and commas.
 *
 * usage: named_instances ARCHIVE [SECONDS-LATER]
 */
#include <stdlib.h>

#include <pcp/import.h>

int main(int argc, char **argv)
{
	static const char *const names[] = { "1 minute", "5 minute", "a,b" };
	int start = 1000000000 + (argc > 2 ? atoi(argv[2]) : 0);
	pmInDom indom = pmInDom_build(60, 2);

	if (argc < 2 || pmiStart(argv[1], 0) < 0 || pmiSetTimezone("UTC") < 0 ||
	    pmiAddMetric("load.of", pmiID(60, 2, 0), PM_TYPE_U32, indom, PM_SEM_INSTANT,
			 pmiUnits(0, 0, 0, 0, 0, 0)) < 0)
		return 1;
	for (int i = 0; i < 3; i++)
		if (pmiAddInstance(indom, names[i], i + 1) < 0)
			return 1;
	for (int t = 0; t < 3; t++) {
		for (int i = 0; i < 3; i++)
			if (pmiPutValue("load.of", names[i], "7") < 0)
				return 1;
		if (pmiWrite(start + 10 * t, 0) < 0)
			return 1;
	}
	return pmiEnd() < 0;
}
