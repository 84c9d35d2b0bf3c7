/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way out to a trace agent: PCP's own, or one that speaks its protocol. */
#ifndef SHIM_TRACE_AGENT_H
#define SHIM_TRACE_AGENT_H

#include "process.h"

int shim_agent__connect(struct shim_process *p);
int shim_agent__check(const struct shim_tag *tag);
int shim_agent__send(struct shim_process *p, const struct shim_tag *tag, uint32_t op, double value);

#endif /* SHIM_TRACE_AGENT_H */
