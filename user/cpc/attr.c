// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Check and encode a request's attributes: the fields of the CPU's event codes, by their kernel or
 * Solaris names, and picnum.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "attr.h"
#include "base/process.h"
#include "core/event.h"
#include "core/format.h"

/*
 * Map libcpc's generic event names, which are the same on every machine that can count the events.
 *
 * Each name is mapped to the kernel's own event that means the same as PAPI's preset with this
 * name.  Names without a matching kernel event are unknown.
 */

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

/* Return whether a name has the form of a generic event name, even if the event is unknown. */
bool shim_generic__is(const char *name)
{
	return !strncmp(name, PREFIX, strlen(PREFIX));
}

/* Return the i-th generic event, or NULL after the last. */
const char *shim_generic__at(size_t i, struct vcpc_request *packed)
{
	if (i >= sizeof(events) / sizeof(events[0]))
		return NULL;
	packed->type = events[i].type;
	packed->config = events[i].config;
	return events[i].name;
}

/* Get the event of a generic name.  Return false if the name is unknown. */
bool shim_generic__pack(const char *name, struct vcpc_request *packed)
{
	const char *at;

	for (size_t i = 0; (at = shim_generic__at(i, packed)); i++)
		if (!strcmp(at, name))
			return true;
	return false;
}

/*
 * Map event names of the processors on which Solaris ran, in the spelling that programs use.
 *
 * Each name is mapped to the perf event that counts the same.  Names without a matching perf event
 * are unknown, for example EC_hit, because perf counts only references and misses.
 */

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
 * Return: true if the name is known.
 */
bool shim_native__pack(const char *name, struct vcpc_request *packed)
{
	for (size_t i = 0; i < sizeof(natives) / sizeof(natives[0]); i++)
		if (!strcmp(natives[i].name, name))
			return !shim_event__parse(natives[i].perf, packed);
	return false;
}

/* Return the i-th name, or NULL after the last. */
const char *shim_native__at(size_t i)
{
	return i < sizeof(natives) / sizeof(natives[0]) ? natives[i].name : NULL;
}

/*
 * Return whether walks include these names.  They do only if the environment variable
 * VCPC_NATIVE_EVENTS is set to a value other than 0.  Programs that search a walk for one of these
 * names need this.
 */
bool shim_native__are_listed(void)
{
	const char *value = shim_environ__get("VCPC_NATIVE_EVENTS");

	return value && *value && strcmp(value, "0");
}

#define PICNUM	"picnum"

/*
 * Fields that have a different name in Solaris, or that are not attributes, such as the event code
 * itself
 */
static const struct {
	const char *kernel;
	const char *solaris;
} names[] = {
	{ "any", "anythr" },
	{ "event", NULL },
};

static const char *to_solaris(const char *kernel)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].kernel, kernel))
			return names[i].solaris;
	return kernel;
}

/*
 * Return the i-th field's name as an attribute: NULL after the last field, "" if the field is not
 * an attribute.
 */
static const char *field_name(const cpc_t *cpc, size_t i)
{
	const char *kernel = shim_pmu_format__name(cpc->format, i);
	const char *name = kernel ? to_solaris(kernel) : NULL;

	return kernel && !name ? "" : name;
}

/* Return the kernel's name of the field for an attribute, or NULL. */
static const char *field_of(const cpc_t *cpc, const char *attr)
{
	const char *name;

	for (size_t i = 0; (name = field_name(cpc, i)); i++)
		if (*name && !strcmp(name, attr))
			return shim_pmu_format__name(cpc->format, i);
	return NULL;
}

/**
 * shim_attr__at() - get an attribute that a request may have
 * @cpc: the handle
 * @i: index, from 0
 *
 * Return: the name of the i-th attribute, or NULL; picnum is the last one.
 */
const char *shim_attr__at(const cpc_t *cpc, size_t i)
{
	const char *name;
	size_t n = 0;

	for (size_t j = 0; (name = field_name(cpc, j)); j++)
		if (*name && n++ == i)
			return name;
	return n == i ? PICNUM : NULL;
}

/**
 * shim_attr__check() - check attributes, regardless of the event
 * @cpc: the handle
 * @nattrs: number of attributes
 * @attrs: cpc_attr_t[@nattrs]
 * @picnum: set to the value of the last picnum, or to CPC_ANY_PIC
 *
 * Return: 0 or a subcode.
 */
int shim_attr__check(cpc_t *cpc, uint_t nattrs, const cpc_attr_t *attrs, int *picnum)
{
	*picnum = CPC_ANY_PIC;
	if (nattrs && !attrs)
		return CPC_INVALID_ATTRIBUTE;
	for (uint_t i = 0; i < nattrs; i++) {
		const char *name = attrs[i].ca_name;

		if (!name || !*name)
			return CPC_INVALID_ATTRIBUTE;
		if (strcmp(name, PICNUM)) {
			if (!field_of(cpc, name))
				return CPC_INVALID_ATTRIBUTE;
			continue;
		}
		if (attrs[i].ca_val >= cpc_npic(cpc))
			return CPC_INVALID_PICNUM;
		*picnum = attrs[i].ca_val;
	}
	return 0;
}

/**
 * shim_attr__pack() - encode a request's attributes in its event code
 * @cpc: the handle
 * @req: the request, whose attributes have been checked
 * @packed: the event
 *
 * Only event codes of the CPU have fields.  Software events, generic events and other events that
 * the kernel encodes itself have none.  If an attribute occurs twice, its last value is used.
 *
 * Return: 0, or the subcode with which binding the set must fail.
 */
int shim_attr__pack(const cpc_t *cpc, const struct cpc_request *req, struct vcpc_request *packed)
{
	for (uint_t i = 0; i < req->nattrs; i++) {
		const cpc_attr_t *attr = &req->attrs[i];

		if (!strcmp(attr->ca_name, PICNUM))
			continue;
		if (shim_generic__is(req->event))
			return CPC_ATTRIBUTE_OUT_OF_RANGE;
		if (packed->type < PERF_TYPE_RAW || packed->type == PERF_TYPE_BREAKPOINT)
			return CPC_INVALID_ATTRIBUTE;
		if (shim_pmu_format__set(cpc->format, field_of(cpc, attr->ca_name), attr->ca_val,
				     packed))
			return CPC_ATTRIBUTE_OUT_OF_RANGE;
	}
	return 0;
}
