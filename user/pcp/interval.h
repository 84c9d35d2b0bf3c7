/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parse lengths of time. */
#ifndef SHIM_PCP_INTERVAL_H
#define SHIM_PCP_INTERVAL_H

/* Returns NULL, or the position of the error in @s.  For a blank text, @seconds is set to 0. */
const char *shim_interval__parse(const char *s, double *seconds);

/* The fraction of a second, in units of 1 / @per_second; may round up to @per_second */
long shim_interval__fraction(double seconds, long per_second);

#endif /* SHIM_PCP_INTERVAL_H */
