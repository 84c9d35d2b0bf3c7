/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internal declarations behind the calls with the prefix pmx_. */
#ifndef SHIM_AIX_PMX_IMPL_H
#define SHIM_AIX_PMX_IMPL_H

#include "aix/pmx.h"
#include "state.h"

int shim_aix__set_mx_with(struct shim_aix_who who, const pm_prog_mx_t *prog,
			  const pmx_options_t *options);

/*
 * struct shim_pmx_turn - what was counted in a turn
 * @n: events
 * @t: for how long, in nanoseconds
 * @a: events of the anchor
 */
struct shim_pmx_turn {
	double n;
	double t;
	double a;
};

/* Estimates a count in the whole @time, in which the anchor counted @anchor; 0: no anchor */
void shim_pmx__estimate(const struct shim_pmx_turn *turns, size_t nturns, double time,
			double anchor, pmx_estimate_t *out);

#endif /* SHIM_AIX_PMX_IMPL_H */
