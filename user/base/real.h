/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parse real numbers in files, options and variables.  The decimal separator is a point in every
 * locale.
 */
#ifndef SHIM_BASE_REAL_H
#define SHIM_BASE_REAL_H

/* Like strtod(3) in the "C" locale. */
double shim_real__parse(const char *text, char **end);
/*
 * Like strtof(3), which rounds once. ERANGE is also set for a number that fits only into a double.
 */
float shim_real__parse_float(const char *text, char **end);

#endif /* SHIM_BASE_REAL_H */
