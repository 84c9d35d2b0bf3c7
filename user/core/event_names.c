// SPDX-License-Identifier: LGPL-2.1-or-later
/* The event names that perf users know, with descriptions; only data. */
#include <linux/perf_event.h>

#include "event.h"

#define HW(name, id, desc)	{ name, desc, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id }
#define SW(name, id, desc)	{ name, desc, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id }
#define CACHE(name, id, op, result, desc)				\
	{ name, desc, PERF_TYPE_HW_CACHE,				\
	  PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_OP_##op << 8 |	\
	  PERF_COUNT_HW_CACHE_RESULT_##result << 16 }

/* The first name of an event is the one to show. */
const struct shim_event_name shim_event__names[] = {
	HW("cycles", CPU_CYCLES, "CPU cycles"),
	HW("cpu-cycles", CPU_CYCLES, "CPU cycles"),
	HW("instructions", INSTRUCTIONS, "instructions retired"),
	HW("branches", BRANCH_INSTRUCTIONS, "branch instructions retired"),
	HW("branch-instructions", BRANCH_INSTRUCTIONS, "branch instructions retired"),
	HW("branch-misses", BRANCH_MISSES, "branches that were predicted wrongly"),
	HW("cache-references", CACHE_REFERENCES, "accesses to the last level cache"),
	HW("cache-misses", CACHE_MISSES, "accesses that missed the last level cache"),
	HW("bus-cycles", BUS_CYCLES, "bus cycles"),
	HW("ref-cycles", REF_CPU_CYCLES, "cycles of the processor's nominal clock"),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND, "cycles stalled for instructions"),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND, "cycles stalled in execution"),
	CACHE("L1-dcache-loads", L1D, READ, ACCESS, "loads from the first level data cache"),
	CACHE("L1-dcache-load-misses", L1D, READ, MISS, "loads that missed it"),
	CACHE("L1-dcache-stores", L1D, WRITE, ACCESS, "stores to the first level data cache"),
	CACHE("L1-dcache-prefetches", L1D, PREFETCH, ACCESS, "prefetches into the first level data cache"),
	CACHE("L1-dcache-prefetch-misses", L1D, PREFETCH, MISS, "prefetches that missed it"),
	CACHE("L1-icache-loads", L1I, READ, ACCESS, "fetches from the first level instruction cache"),
	CACHE("L1-icache-load-misses", L1I, READ, MISS, "fetches that missed the first level cache"),
	CACHE("LLC-loads", LL, READ, ACCESS, "loads from the last level cache"),
	CACHE("LLC-load-misses", LL, READ, MISS, "loads that missed it"),
	CACHE("LLC-stores", LL, WRITE, ACCESS, "stores to the last level cache"),
	CACHE("LLC-store-misses", LL, WRITE, MISS, "stores that missed it"),
	CACHE("dTLB-loads", DTLB, READ, ACCESS, "loads looked up in the data TLB"),
	CACHE("dTLB-load-misses", DTLB, READ, MISS, "loads that missed it"),
	CACHE("dTLB-store-misses", DTLB, WRITE, MISS, "stores that missed it"),
	CACHE("iTLB-loads", ITLB, READ, ACCESS, "fetches looked up in the instruction TLB"),
	CACHE("iTLB-load-misses", ITLB, READ, MISS, "fetches that missed the instruction TLB"),
	CACHE("branch-loads", BPU, READ, ACCESS, "branches looked up by the predictor"),
	CACHE("branch-load-misses", BPU, READ, MISS, "branches that missed in it"),
	SW("task-clock", TASK_CLOCK, "nanoseconds the task ran"),
	SW("cpu-clock", CPU_CLOCK, "nanoseconds of the CPU's clock while the task ran"),
	SW("page-faults", PAGE_FAULTS, "page faults"),
	SW("faults", PAGE_FAULTS, "page faults"),
	SW("minor-faults", PAGE_FAULTS_MIN, "page faults that needed no disk"),
	SW("major-faults", PAGE_FAULTS_MAJ, "page faults that needed the disk"),
	SW("context-switches", CONTEXT_SWITCHES, "times the task was switched out"),
	SW("cs", CONTEXT_SWITCHES, "times the task was switched out"),
	SW("cpu-migrations", CPU_MIGRATIONS, "times the task went to another CPU"),
	SW("migrations", CPU_MIGRATIONS, "times the task went to another CPU"),
	SW("alignment-faults", ALIGNMENT_FAULTS, "unaligned accesses the kernel had to do"),
	SW("emulation-faults", EMULATION_FAULTS, "instructions the kernel had to do"),
	SW("dummy", DUMMY, "nothing; a request that never counts"),
	{ NULL, NULL, 0, 0 }
};
