/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lengths of time from words. */
#ifndef SHIM_PCP_INTERVAL_H
#define SHIM_PCP_INTERVAL_H

/* NULL, or the place in @s that is wrong; @seconds are 0 for a text of blanks only. */
const char *shim_interval__parse(const char *s, double *seconds);

/* The fraction of a second, in units of which there are @per_second; may round up to that. */
long shim_interval__fraction(double seconds, long per_second);

#endif /* SHIM_PCP_INTERVAL_H */
