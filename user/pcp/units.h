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

/*
 * Return whether values of these units can be converted: the scales are equal, or both are known.
 */
bool shim_extra__convertible(const pmUnits *from, const pmUnits *to);

/* Convert a value between two known scales of the same unit. */
double shim_extra__convert(double value, const pmUnits *from, const pmUnits *to);

#endif /* SHIM_PCP_UNITS_H */
