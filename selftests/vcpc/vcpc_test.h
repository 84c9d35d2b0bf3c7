/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each of the module's tests begins with: the harness, ways to call the module, and what time is worth. */
#ifndef VCPC_TEST_H
#define VCPC_TEST_H

#include "calls.h"

#include <kselftest_harness.h>
#include <stdlib.h>

/*
 * So many per cent of @of: @exact where time is a count of instructions, and so nothing is
 * late by more than it does; elsewhere @loose, as a host that has other things to do may
 * stop the machine at any time.
 */
static inline __u64 share(__u64 of, unsigned int exact, unsigned int loose)
{
	return of / 100 * (getenv("VM_ICOUNT") ? exact : loose);
}

#endif /* VCPC_TEST_H */
