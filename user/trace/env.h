/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The environment variables of the trace calls. */
#ifndef SHIM_TRACE_ENV_H
#define SHIM_TRACE_ENV_H

#include <stdint.h>

/* The ways out that SHIM_TRACE chooses from */
enum shim_env_way {
	SHIM_ENV_AUTO,
	SHIM_ENV_KERNEL,
	SHIM_ENV_PROBE,
	SHIM_ENV_DIRECT,
	SHIM_ENV_AGENT,
	SHIM_ENV_NONE,
};

enum shim_env_way shim_env__way(void);
const char *shim_env__host(void);
uint16_t shim_env__port(void);
uint64_t shim_env__connect_ns(void);
uint64_t shim_env__answer_ns(void);
uint64_t shim_env__retry_ns(unsigned int failures);

#endif /* SHIM_TRACE_ENV_H */
