/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * If the module is not loaded, skip tests of features that perf lacks, unless the program's library
 * has a synthetic back end.
 */
#ifndef SELFTESTS_NEEDS_MODULE_H
#define SELFTESTS_NEEDS_MODULE_H

#include <unistd.h>

#ifdef SELFTESTS_SYNTHETIC_BACKEND_CLOCK_H
#define HAS_SYNTHETIC	1
#else
#define HAS_SYNTHETIC	0
#endif

#define HAS_MODULE	(HAS_SYNTHETIC || !access("/dev/vcpc", F_OK))

/*
 * Skip the test unless the module is loaded; must be the test's first statement.  @why names the
 * feature that perf lacks.
 */
#define NEEDS_MODULE(why) \
	do { \
		if (!HAS_MODULE) \
			SKIP(return, "needs the vcpc module: " why); \
	} while (0)

#endif /* SELFTESTS_NEEDS_MODULE_H */
