/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what only the module can do are skipped where it is not loaded. */
#ifndef SELFTESTS_NEEDS_MODULE_H
#define SELFTESTS_NEEDS_MODULE_H

#include <unistd.h>

/* The first statement of a test; @why: what perf alone cannot do */
#define NEEDS_MODULE(why) \
	do { \
		if (access("/dev/vcpc", F_OK)) \
			SKIP(return, "needs the vcpc module: " why); \
	} while (0)

#endif /* SELFTESTS_NEEDS_MODULE_H */
