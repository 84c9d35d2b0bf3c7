/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations shared by the calls of libcpc's version 1. */
#ifndef SHIM_CPC_V1_H
#define SHIM_CPC_V1_H

#include <signal.h>

#include "cpc/libcpc.h"

/* Bits of ce_pes */
#define V1_CODE		0x0000ffffu
#define V1_UMASK	0x0000ff00u	/* V1_CODE's bits for the unit mask */
#define V1_USER		(1u << 16)
#define V1_SYSTEM	(1u << 17)
#define V1_EDGE		(1u << 18)
#define V1_PIN		(1u << 19)
#define V1_INTERRUPT	(1u << 20)
#define V1_NAMED	(1u << 21)
#define V1_INVERT	(1u << 23)
#define V1_CMASK	0xff000000u

/* v1.c */
cpc_t *shim_v1__handle(void);
void shim_v1__lock(void);
void shim_v1__unlock(void);

/* v1_event.c */
cpc_set_t *shim_v1__set(const cpc_event_t *event, uint_t flags);
void shim_v1__tell(const char *fn, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif /* SHIM_CPC_V1_H */
