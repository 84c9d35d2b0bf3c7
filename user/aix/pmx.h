/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What there is behind the prefix pmx_, inside. */
#ifndef SHIM_AIX_PMX_IMPL_H
#define SHIM_AIX_PMX_IMPL_H

#include "aix/pmx.h"
#include "state.h"

int shim_aix__set_mx_with(struct shim_aix_who who, const pm_prog_mx_t *prog,
			  const pmx_options_t *options);

/*
 * struct shim_pmx_turn - what was counted in a turn: events, time, the anchor
 */
struct shim_pmx_turn {
	double n;
	double t;
	double a;
};

/* An estimate from turns: the whole took @time, and the anchor counted @anchor, 0: there is none */
void shim_pmx__estimate(const struct shim_pmx_turn *turns, size_t nturns, double time,
			double anchor, pmx_estimate_t *out);

#endif /* SHIM_AIX_PMX_IMPL_H */
