/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For each of the module's tests: the harness, functions that call the module, and tolerances for
 * times
 */
#ifndef VCPC_TEST_H
#define VCPC_TEST_H

#include "calls.h"

#include <kselftest_harness.h>
#include <stdlib.h>

/*
 * Return a percentage of @of: @exact if the VM counts instructions as time, which makes delays
 * reproducible; otherwise @loose, because a busy host can pause the machine at any time.
 */
static inline __u64 share(__u64 of, unsigned int exact, unsigned int loose)
{
	return of / 100 * (getenv("VM_ICOUNT") ? exact : loose);
}

/*
 * Without the module's device, skip the whole program, as users of kselftest expect. A program that
 * starts itself again with arguments has already passed this check.
 */
static void __attribute__((constructor)) skip_without_device(int argc)
{
	if (argc != 1 || !access("/dev/vcpc", F_OK))
		return;
	puts("1..0 # SKIP there is no /dev/vcpc: the module is not loaded");
	exit(KSFT_SKIP);
}

#endif /* VCPC_TEST_H */
