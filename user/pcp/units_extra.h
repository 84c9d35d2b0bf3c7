/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Extra units: temperature, voltage, current and power; a metric has at most one. */
#ifndef PCP_UNITS_EXTRA_H
#define PCP_UNITS_EXTRA_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#define SHIM_EXTRA_UNITS	5
#define SHIM_EXTRA_SCALES	8

/* Returns NULL if @unit is unknown; @unit is positive. */
const char *shim_extra__unit(int unit);
const char *shim_extra__scale(int unit, unsigned int scale);

/*
 * Match "power (mW)" at the start of @text, ignoring case.  Returns its end, or NULL if there is no
 * extra unit.
 */
const char *shim_extra__parse(const char *text, int *unit, unsigned int *scale);

/* Whether values of these units can be converted: the scales are equal, or both are known */
bool shim_extra__convertible(const pmUnits *from, const pmUnits *to);

/* Convert a value between two known scales of the same unit. */
double shim_extra__convert(double value, const pmUnits *from, const pmUnits *to);

#endif /* PCP_UNITS_EXTRA_H */
