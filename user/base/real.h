/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsing real numbers in files, options and variables: with a decimal point in every locale. */
#ifndef SHIM_BASE_REAL_H
#define SHIM_BASE_REAL_H

/* As strtod(3) in the locale "C" */
double shim_real__parse(const char *text, char **end);
/* As strtof(3), which rounds once and says ERANGE of what only a float cannot hold */
float shim_real__parse_float(const char *text, char **end);

#endif /* SHIM_BASE_REAL_H */
