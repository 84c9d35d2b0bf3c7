/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Format integers like printf(3), but faster. */
#ifndef SHIM_BASE_DECIMAL_H
#define SHIM_BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#define SHIM_DECIMAL_ROOM	24	/* enough for every 64-bit number, with a NUL */

/* Like "%llu" and "%lld".  Return the length of the text. */
size_t shim_decimal__unsigned(char *to, uint64_t v);
size_t shim_decimal__signed(char *to, int64_t v);

#endif /* SHIM_BASE_DECIMAL_H */
