/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Diagnostics on standard error, if the program's state flags request them. */
#ifndef SHIM_TRACE_SAY_H
#define SHIM_TRACE_SAY_H

#include <stddef.h>

void shim_say(int flag, const char *what, int err);
void shim_say_buffer(size_t need, const void *buffer, size_t size);
void shim_say_pdu(const char *what, const unsigned char *bytes, size_t size);

#endif /* SHIM_TRACE_SAY_H */
