/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Use PAPI for comparison, if it was installed at build time and supports this PMU. */
#ifndef BENCH_PAPI_H
#define BENCH_PAPI_H

#include <stddef.h>

#if __has_include(<papi.h>)
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#define HAVE_PAPI	1
#endif

/*
 * Return NULL, or the reason why PAPI is not available.  PAPI identifies a PMU by its processor
 * model. An emulated processor has none, so make libpfm accept any PMU with architected events.
 */
static inline const char *papi_begin(void)
{
#ifdef HAVE_PAPI
	const PAPI_component_info_t *cpu;

#ifdef __aarch64__
	setenv("LIBPFM_FORCE_PMU", "arm_ac57", 0);
#endif
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return "PAPI does not begin";
	cpu = PAPI_get_component_info(0);
	return cpu->disabled ? cpu->disabled_reason : NULL;
#else
	return "PAPI was not there when this was built";
#endif
}

#endif /* BENCH_PAPI_H */
