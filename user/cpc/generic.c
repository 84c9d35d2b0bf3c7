// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libcpc's generic events: the same name on every machine that can count it.
 *
 * Each is one of the kernel's own events, with the meaning of PAPI's preset of that name.  Names
 * without such an event are unknown here.
 */
#include <linux/perf_event.h>
#include <string.h>

#include "generic.h"

#define PREFIX	"PAPI"

#define CACHE(cache, result)	(PERF_COUNT_HW_CACHE_ ## cache |			\
				 PERF_COUNT_HW_CACHE_OP_READ << 8 |			\
				 PERF_COUNT_HW_CACHE_RESULT_ ## result << 16)

static const struct {
	const char *name;
	__u32 type;
	__u64 config;
} events[] = {
	{ "PAPI_tot_cyc", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "PAPI_tot_ins", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "PAPI_br_ins", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "PAPI_br_msp", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "PAPI_res_stl", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "PAPI_l1_dca", PERF_TYPE_HW_CACHE, CACHE(L1D, ACCESS) },
	{ "PAPI_l1_dcm", PERF_TYPE_HW_CACHE, CACHE(L1D, MISS) },
	{ "PAPI_l1_icm", PERF_TYPE_HW_CACHE, CACHE(L1I, MISS) },
	{ "PAPI_l3_tca", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "PAPI_l3_tcm", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "PAPI_tlb_dm", PERF_TYPE_HW_CACHE, CACHE(DTLB, MISS) },
	{ "PAPI_tlb_im", PERF_TYPE_HW_CACHE, CACHE(ITLB, MISS) },
};

/* Is this a generic name, known or unknown? */
bool shim_generic__is(const char *name)
{
	return !strncmp(name, PREFIX, strlen(PREFIX));
}

/* The i-th generic event, or NULL after the last */
const char *shim_generic__at(size_t i, struct vcpc_request *packed)
{
	if (i >= sizeof(events) / sizeof(events[0]))
		return NULL;
	packed->type = events[i].type;
	packed->config = events[i].config;
	return events[i].name;
}

/* Get the event of a generic name; false if the name is unknown */
bool shim_generic__pack(const char *name, struct vcpc_request *packed)
{
	const char *at;

	for (size_t i = 0; (at = shim_generic__at(i, packed)); i++)
		if (!strcmp(at, name))
			return true;
	return false;
}
