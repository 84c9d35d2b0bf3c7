/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Print the counts since the last line, per second, as a line. */
#ifndef VCPC_RATES_H
#define VCPC_RATES_H

#include <stdio.h>

#include <shim/shim.h>

/*
 * struct vcpc_rates - zero at first
 * @lines: number of lines printed so far
 * @seconds: time of the last line, in seconds since the start
 * @before: counts at that time
 */
struct vcpc_rates {
	unsigned long lines;
	double seconds;
	uint64_t before[SHIM_SET_MAX];
};

void vcpc_rates_print(FILE *out, struct vcpc_rates *rates, const struct shim_set *set,
		      const struct shim_sample *total, double seconds);

#endif /* VCPC_RATES_H */
