/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport without the module: through uprobes on this library. */
#ifndef SHIM_TRACE_PROBES_H
#define SHIM_TRACE_PROBES_H

#include "way.h"

extern const struct shim_way shim_probes__way;

#endif /* SHIM_TRACE_PROBES_H */
