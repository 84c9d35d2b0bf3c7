// SPDX-License-Identifier: GPL-2.0-or-later
/* Print the text of each error code, and of many numbers that are not error codes. */
#include <limits.h>
#include <stdio.h>

#include <pcp/pmapi.h>

int main(void)
{
	static const int others[] = { INT_MIN, INT_MIN + 1, -100000, 6, 100, 12345, INT_MAX };
	char text[PM_MAXERRMSGLEN], cut[12];

	for (int code = 5; code >= -30000; code--)
		printf("%d %s\n", code, pmErrStr_r(code, text, sizeof(text)));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		printf("%d %s\n", others[i], pmErrStr(others[i]));
	for (int i = 0; i < 200; i++)
		printf("%s\n", pmErrStr_r(i % 2 ? -i : PM_ERR_GENERIC - i, cut, sizeof(cut)));
	return 0;
}
