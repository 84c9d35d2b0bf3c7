/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's harness, with more time for each test.
 *
 * It allows 30 s of the wall's clock, which is not enough where all is emulated or
 * checked, or where others use the machine.  A test that hangs is ended by
 * run-tests.sh in any case.
 */
#ifndef VCPC_KSELFTEST_HARNESS_H
#define VCPC_KSELFTEST_HARNESS_H

#include_next <kselftest_harness.h>

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	900

#endif /* VCPC_KSELFTEST_HARNESS_H */
