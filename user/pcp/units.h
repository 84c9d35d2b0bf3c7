/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Extra units: temperature, voltage, current and power.  A metric has at most one. */
#ifndef SHIM_PCP_UNITS_H
#define SHIM_PCP_UNITS_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#define SHIM_EXTRA_UNITS	5
#define SHIM_EXTRA_SCALES	8

/*
 * Match "power (mW)" at the start of @text, ignoring case.  Return its end, or NULL if there is no
 * extra unit.
 */
const char *shim_extra__parse(const char *text, int *unit, unsigned int *scale);

#endif /* SHIM_PCP_UNITS_H */
