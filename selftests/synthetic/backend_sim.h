/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A synthetic PMU that adds fixed amounts to its counts at each sample */
#ifndef SELFTESTS_SYNTHETIC_BACKEND_SIM_H
#define SELFTESTS_SYNTHETIC_BACKEND_SIM_H

#include "core/backend.h"

extern const struct shim_backend_ops shim_backend__sim;

#endif /* SELFTESTS_SYNTHETIC_BACKEND_SIM_H */
