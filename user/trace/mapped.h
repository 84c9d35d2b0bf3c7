/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way out without a call: into a map of the kernel's that this process has mapped. */
#ifndef SHIM_TRACE_MAPPED_H
#define SHIM_TRACE_MAPPED_H

#include "way.h"

extern const struct shim_way shim_mapped__way;

#endif /* SHIM_TRACE_MAPPED_H */
