/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Event records inside a value: from the order of the disk to the host's. */
#ifndef SHIM_PCP_EVENT_H
#define SHIM_PCP_EVENT_H

#include <stdint.h>

/* @len bytes of records of @type (EVENT or HIGHRES_EVENT) to @out; 0 or -EBADMSG */
int shim_event__to_host(int type, const uint8_t *p, uint32_t len, char *out);

#endif /* SHIM_PCP_EVENT_H */
