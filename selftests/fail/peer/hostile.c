// SPDX-License-Identifier: GPL-2.0-or-later
/* Write an archive whose host, instances, values and texts have malicious names. */
#include <stdlib.h>
#include <string.h>

#include "fail/shared/sample.h"

#define LONG	(1u << 20)

static const char *const names[] = {
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</script><b>", "a\"b'c", "&amp;&lt;",
	"=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "a,b;c", "tab\tline\nreturn\r", "\x1b[31mred\x07",
	"no \xff\xfe UTF-8", "turned \xe2\x80\xae around", "line\xe2\x80\xa8separator", "\\back\\slash\\",
	"${x}`y`%s%n", "\xc2\x9b" "31m",
};

#define N	((int)(sizeof(names) / sizeof(names[0])))

int main(int argc, char **argv)
{
	const pmUnits none = pmiUnits(0, 0, 0, 0, 0, 0);
	const pmInDom indom = pmiInDom(60, 1);
	char *big = malloc(LONG);

	if (argc != 2 || !big)
		return 2;
	memset(big, 'x', LONG - 1);
	big[LONG - 1] = '\0';
	sample_check(pmiStart(argv[1], 0));
	sample_check(pmiSetHostname("h<b>\"=1"));
	sample_check(pmiSetTimezone("UTC"));
	sample_check(pmiAddMetric("demo.set", pmiID(60, 0, 1), PM_TYPE_DOUBLE, indom, PM_SEM_INSTANT,
				  none));
	sample_check(pmiAddMetric("demo.text", pmiID(60, 0, 2), PM_TYPE_STRING, indom,
				  PM_SEM_DISCRETE, none));
	sample_check(pmiPutText(PM_TEXT_PMID, PM_TEXT_ONELINE, pmiID(60, 0, 1), names[0]));
	sample_check(pmiPutText(PM_TEXT_PMID, PM_TEXT_HELP, pmiID(60, 0, 1), names[11]));
	for (int i = 0; i <= N; i++)
		sample_check(pmiAddInstance(indom, i < N ? names[i] : big, i));
	for (int t = 0; t < 5; t++) {
		for (int i = 0; i <= N; i++) {
			char value[16];

			sprintf(value, "%d", t * i);
			sample_check(pmiPutValue("demo.set", i < N ? names[i] : big, value));
			if (i < N)
				sample_check(pmiPutValue("demo.text", names[i], names[(i + 1) % N]));
		}
		sample_check(pmiWrite(SAMPLE_START + t, 0));
	}
	sample_check(pmiEnd());
	free(big);
	return 0;
}
