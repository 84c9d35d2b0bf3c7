/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was counted since the last look, per second, as one line a look. */
#ifndef VCPC_RATES_H
#define VCPC_RATES_H

#include <stdio.h>

#include <shim/shim.h>

/*
 * struct vcpc_rates - zero at first
 * @lines: that were printed
 * @seconds: when the last one was, since the start
 * @before: what was counted then
 */
struct vcpc_rates {
	unsigned long lines;
	double seconds;
	uint64_t before[SHIM_SET_MAX];
};

void vcpc_rates_print(FILE *out, struct vcpc_rates *rates, const struct shim_set *set,
		      const struct shim_sample *total, double seconds);

#endif /* VCPC_RATES_H */
