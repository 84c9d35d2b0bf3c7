// SPDX-License-Identifier: GPL-2.0-or-later
/* selftests/cpc/errors.c on the synthetic PMU, so that it runs without the module */
#include "core/session.h"
#include "selftests/synthetic/backend_sim.h"
#include "../cpc/errors.c"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__sim;
}
