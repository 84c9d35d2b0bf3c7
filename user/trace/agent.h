/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport to a trace agent: PCP's own, or another one with its protocol. */
#ifndef SHIM_TRACE_AGENT_H
#define SHIM_TRACE_AGENT_H

#include "way.h"

extern const struct shim_way shim_agent__way;

#endif /* SHIM_TRACE_AGENT_H */
