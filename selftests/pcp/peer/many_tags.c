// SPDX-License-Identifier: GPL-2.0-or-later
/* Perform a transaction with each of many tags, whose names start with the first argument. */
#include <stdio.h>
#include <stdlib.h>

#include <pcp/trace.h>

int main(int argc, char **argv)
{
	char tag[64];

	for (int i = 0; argc > 2 && i < atoi(argv[2]); i++) {
		snprintf(tag, sizeof(tag), "%s %d", argv[1], i);
		if (pmtracebegin(tag) < 0 || pmtraceend(tag) < 0)
			return 1;
	}
	return argc > 2 ? 0 : 2;
}
