/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Repeat one of several calls, chosen by name, with random arguments. */
#ifndef SELFTESTS_PCP_PEER_CALLS_H
#define SELFTESTS_PCP_PEER_CALLS_H

#include <stdlib.h>

#include "random.h"

struct call {
	const char *name;
	void (*once)(void);
};

/* Make calls as the arguments WHAT SEED TIMES request, and print a line per call. */
static int make_calls(int argc, char **argv, const struct call *calls, size_t n)
{
	if (argc != 4)
		return 2;
	random_state = strtoull(argv[2], NULL, 10);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(calls[i].name, argv[1]))
			continue;
		for (int times = atoi(argv[3]); times > 0; times--) {
			calls[i].once();
			putchar('\n');
		}
		return 0;
	}
	return 2;
}

#define MAKE_CALLS(argc, argv, calls) \
	make_calls(argc, argv, calls, sizeof(calls) / sizeof((calls)[0]))

#endif /* SELFTESTS_PCP_PEER_CALLS_H */
