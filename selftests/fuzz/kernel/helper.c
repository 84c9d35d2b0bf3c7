// SPDX-License-Identifier: GPL-2.0-or-later
/* The program that actors execute: it does a little work, then exits or waits. */
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static volatile char pages[4 * 4096];
	unsigned int i;

	for (i = 0; i < sizeof(pages); i += 4096)
		pages[i] = 1;
	if (argc > 1 && !strcmp(argv[1], "wait"))
		pause();
	return 0;
}
