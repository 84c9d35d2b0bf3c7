/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The back end for machines with the module: it chooses the better back end for each set. */
#ifndef SHIM_CORE_BACKEND_BOTH_H
#define SHIM_CORE_BACKEND_BOTH_H

#include "backend.h"

extern const struct shim_backend_ops shim_backend__both;

const struct shim_backend_ops *shim_both__counts(union shim_backend_ref set);

#endif /* SHIM_CORE_BACKEND_BOTH_H */
