// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A request's attributes: the fields of the CPU's event codes, under the names
 * that the kernel or Solaris has for them, and picnum.
 */
#include <errno.h>
#include <linux/perf_event.h>

#include "attr.h"
#include "core/format.h"
#include "generic.h"

#define PICNUM	"picnum"

/* Fields that Solaris calls by another name, or that are no attribute, as the event itself */
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

/* The i-th field's name as an attribute: NULL after the last, "" if the field is no attribute */
static const char *field_name(const cpc_t *cpc, size_t i)
{
	const char *kernel = shim_pmu_format__name(cpc->format, i);
	const char *name = kernel ? to_solaris(kernel) : NULL;

	return kernel && !name ? "" : name;
}

/* What the kernel calls the field of that attribute, or NULL */
static const char *field_of(const cpc_t *cpc, const char *attr)
{
	const char *name;

	for (size_t i = 0; (name = field_name(cpc, i)); i++)
		if (*name && !strcmp(name, attr))
			return shim_pmu_format__name(cpc->format, i);
	return NULL;
}

/**
 * shim_attr__at() - the attributes that a request may have
 * @cpc: the handle
 * @i: from 0
 *
 * Return: the i-th one's name, of which picnum is the last, or NULL.
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
 * @picnum: gets the last picnum's value, or CPC_ANY_PIC
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
 * shim_attr__pack() - put a request's attributes into its event's code
 * @cpc: the handle
 * @req: the request, whose attributes were checked
 * @packed: the event
 *
 * Only codes of the CPU have fields: events that the kernel encodes by itself,
 * software events and generic ones have none.  If an attribute is given twice, its
 * last value is taken.
 *
 * Return: 0 or the subcode with which the set's binding has to fail.
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
