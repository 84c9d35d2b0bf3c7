/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Definitions shared by the module's tests: harness, calls, and tolerances for times */
#ifndef VCPC_TEST_H
#define VCPC_TEST_H

#include "calls.h"

#include <kselftest_harness.h>
#include <stdlib.h>

/*
 * Return @exact percent of @of in a VM with -icount, in which delays are reproducible.  Otherwise
 * return @loose percent, because a busy host can pause the machine at any time.
 */
static inline __u64 share(__u64 of, unsigned int exact, unsigned int loose)
{
	return of / 100 * (getenv("VM_ICOUNT") ? exact : loose);
}

/*
 * Skip the whole program without the module's device, as users of kselftest expect.  If the program
 * executes itself with arguments, it has already passed this check.
 */
static void __attribute__((constructor)) skip_without_device(int argc)
{
	if (argc != 1 || !access("/dev/vcpc", F_OK))
		return;
	puts("1..0 # SKIP there is no /dev/vcpc: the module is not loaded");
	exit(KSFT_SKIP);
}

#endif /* VCPC_TEST_H */
