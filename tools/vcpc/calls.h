/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a program makes trace calls. */
#ifndef VCPC_CALLS_H
#define VCPC_CALLS_H

#include <stdbool.h>

/*
 * Whether a program's file names one of the calls that mark transactions and points, as it does if it
 * is linked with them, unless all symbols of a static program were removed.  A script names none.
 */
bool vcpc_makes_trace_calls(const char *path);

#endif /* VCPC_CALLS_H */
