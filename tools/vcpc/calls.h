/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Find out whether a program makes trace calls. */
#ifndef VCPC_CALLS_H
#define VCPC_CALLS_H

#include <stdbool.h>

/*
 * Return whether a program's file contains the name of a trace call.  A program that is linked with
 * a trace call contains the name, unless it is static and stripped; a script never does.
 */
bool vcpc_makes_trace_calls(const char *path);

#endif /* VCPC_CALLS_H */
