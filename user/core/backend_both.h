/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The back end that has the module and perf's pages: each set counts where it is served best. */
#ifndef SHIM_CORE_BACKEND_BOTH_H
#define SHIM_CORE_BACKEND_BOTH_H

#include <stdbool.h>

#include "backend.h"

extern const struct shim_backend_ops shim_backend__both;

bool shim_both__is_worth(const struct vcpc_info_args *info);
const struct shim_backend_ops *shim_both__counts(union shim_backend_ref set);

#endif /* SHIM_CORE_BACKEND_BOTH_H */
