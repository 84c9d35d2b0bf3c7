// SPDX-License-Identifier: GPL-2.0-or-later
/* Run selftests/cpc/life.c on the synthetic PMU, which needs no module. */
#include "core/session.h"
#include "selftests/synthetic/backend_sim.h"
#include "../cpc/life.c"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__sim;
}
