// SPDX-License-Identifier: GPL-2.0-or-later
/* selftests/aix/tables.c on the synthetic PMU; time has to be turned there. */
#include "core/backend_clock.h"
#include "../aix/work.h"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__clock;
}

#define burn(ns)	shim_clock__run(syscall(SYS_gettid), ns)
#include "../aix/tables.c"
