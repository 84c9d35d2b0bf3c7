/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each of the module's tests begins with: the harness, and ways to call the module. */
#ifndef VCPC_TEST_H
#define VCPC_TEST_H

#include "calls.h"

#include <kselftest_harness.h>

#endif /* VCPC_TEST_H */
