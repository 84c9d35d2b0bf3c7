/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts the event records inside a value from the byte order on disk to the host's. */
#ifndef SHIM_PCP_EVENT_H
#define SHIM_PCP_EVENT_H

#include <stdint.h>

/* Converts @len bytes of records of @type (EVENT or HIGHRES_EVENT) into @out; 0 or -EBADMSG */
int shim_event__to_host(int type, const uint8_t *p, uint32_t len, char *out);

#endif /* SHIM_PCP_EVENT_H */
