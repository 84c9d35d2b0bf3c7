// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write an archive of one metric, any.bytes, whose instance names and values are difficult for
 * readers of CSV and JSON.
 *
 * usage: hostile_names ARCHIVE
 */
#include <stdio.h>
#include <string.h>

#include <pcp/import.h>

#define COUNT	((int)(sizeof(names) / sizeof(names[0])))

static char endless[3000];
static const char *const names[] = {
	"com,ma", "quo\"te", "new\nline", "tab\there", "back\\slash", "=1+1", "\001control", "\177",
	"\303\274ml", "\377\376none", "cut\303", "\355\240\200half", "\300\200long", "]br[ack", "%s%n",
	endless,
};

int main(int argc, char **argv)
{
	pmInDom indom = pmInDom_build(60, 2);

	memset(endless, 'x', sizeof(endless) - 1);
	if (argc < 2 || pmiStart(argv[1], 0) < 0 || pmiSetHostname("ho\"s\\t\377") < 0 ||
	    pmiSetTimezone("UTC") < 0 ||
	    pmiAddMetric("any.bytes", pmiID(60, 2, 0), PM_TYPE_STRING, indom, PM_SEM_INSTANT,
			 pmiUnits(0, 0, 0, 0, 0, 0)) < 0)
		return 1;
	for (int i = 0; i < COUNT; i++)
		if (pmiAddInstance(indom, names[i], i + 1) < 0)
			return 1;
	for (int t = 0; t < 3; t++) {
		for (int i = 0; i < COUNT; i++)
			if (pmiPutValue("any.bytes", names[i], names[(i + t) % COUNT]) < 0)
				return 1;
		if (pmiWrite(1000000000 + 10 * t, 0) < 0)
			return 1;
	}
	return pmiEnd() < 0;
}
