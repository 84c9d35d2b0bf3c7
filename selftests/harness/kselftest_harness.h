/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's harness with a longer timeout and leak detection.
 *
 * The original allows 30 s of wall time, which is not enough for emulated machines, debug kernels
 * or busy hosts.  run-tests.sh ends a test that hangs.
 *
 * Each test is a child that ends with _exit(2), after which LeakSanitizer does not run.  With
 * SAN=1, and VCPC_LEAKS=1 in the environment, a test that would pass but has leaked memory fails.
 */
#ifndef VCPC_KSELFTEST_HARNESS_H
#define VCPC_KSELFTEST_HARNESS_H

#include <stdlib.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>

static inline _Noreturn void vcpc_end_test(int status)
{
	if (!status && getenv("VCPC_LEAKS") && __lsan_do_recoverable_leak_check())
		status = 1;
	_exit(status);
}

#define _exit	vcpc_end_test
#include_next <kselftest_harness.h>
#undef _exit
#else
#include_next <kselftest_harness.h>
#endif

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	900

#endif /* VCPC_KSELFTEST_HARNESS_H */
