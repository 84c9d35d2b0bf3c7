// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Event names of the processors that Solaris ran on, as programs spell them out.
 *
 * Each name is mapped to the perf event that counts the same.  A name without such an event is not
 * in the table and is unknown: EC_hit, for example, because perf counts only references and misses.
 */
#include <string.h>

#include "base/process.h"
#include "core/event.h"
#include "native.h"

static const struct {
	const char *name;
	const char *perf;
} natives[] = {
	/* UltraSPARC */
	{ "Cycle_cnt", "cycles" },
	{ "Instr_cnt", "instructions" },
	{ "EC_ref", "cache-references" },
	{ "EC_misses", "cache-misses" },
	{ "DC_rd", "L1-dcache-loads" },
	{ "DC_rd_miss", "L1-dcache-load-misses" },
	{ "DC_wr", "L1-dcache-stores" },
	/* UltraSPARC T1 and T2, and AMD */
	{ "DC_miss", "L1-dcache-load-misses" },
	{ "IC_miss", "L1-icache-load-misses" },
	{ "DTLB_miss", "dTLB-load-misses" },
	{ "ITLB_miss", "iTLB-load-misses" },
	{ "BU_cpu_clk_unhalted", "cycles" },
	{ "FR_retired_branches_w_excp_intr", "branches" },
	{ "FR_retired_branches_mispred", "branch-misses" },
};

/**
 * shim_native__pack() - map a processor's event name to a perf event
 * @name: the name in Solaris' spelling
 * @packed: its type and config are set
 *
 * Return: whether the name is known.
 */
bool shim_native__pack(const char *name, struct vcpc_request *packed)
{
	for (size_t i = 0; i < sizeof(natives) / sizeof(natives[0]); i++)
		if (!strcmp(natives[i].name, name))
			return !shim_event__parse(natives[i].perf, packed);
	return false;
}

/* The i-th name, or NULL after the last */
const char *shim_native__at(size_t i)
{
	return i < sizeof(natives) / sizeof(natives[0]) ? natives[i].name : NULL;
}

/*
 * Are these names included in walks?  Only if VCPC_NATIVE_EVENTS is set in the environment to a
 * value other than 0; this is for programs that search a walk for such a name.
 */
bool shim_native__are_listed(void)
{
	const char *value = shim_environ__get("VCPC_NATIVE_EVENTS");

	return value && *value && strcmp(value, "0");
}
