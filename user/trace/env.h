/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The environment variables of the trace calls. */
#ifndef SHIM_TRACE_ENV_H
#define SHIM_TRACE_ENV_H

#include <stdint.h>

void shim_env__warn(const char *name, const char *value);
const char *shim_env__way(void);
const char *shim_env__host(void);
uint16_t shim_env__port(void);
uint64_t shim_env__connect_ns(void);
uint64_t shim_env__answer_ns(void);
uint64_t shim_env__retry_ns(unsigned int failures);

#endif /* SHIM_TRACE_ENV_H */
