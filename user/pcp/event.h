/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Convert the event records in a value from disk byte order to host byte order. */
#ifndef SHIM_PCP_EVENT_H
#define SHIM_PCP_EVENT_H

#include <stdint.h>

/*
 * Convert @len bytes of records of @type (EVENT or HIGHRES_EVENT) into @out. Return 0 or -EBADMSG.
 */
int shim_event__to_host(int type, const uint8_t *p, uint32_t len, char *out);

#endif /* SHIM_PCP_EVENT_H */
