/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport without system calls: write into a BPF map that this process has mapped. */
#ifndef SHIM_TRACE_MAPPED_H
#define SHIM_TRACE_MAPPED_H

#include "way.h"

extern const struct shim_way shim_mapped__way;

#endif /* SHIM_TRACE_MAPPED_H */
