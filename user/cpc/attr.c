// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A request's attributes: the CPU's event code fields, by their kernel or Solaris name, and picnum.
 */
#include <errno.h>
#include <linux/perf_event.h>

#include "attr.h"
#include "core/format.h"
#include "generic.h"

#define PICNUM	"picnum"

/* Fields that have another name in Solaris, or that are not attributes, such as the event itself */
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
 * The i-th field's name as an attribute: NULL after the last, "" if the field is not an attribute
 */
static const char *field_name(const cpc_t *cpc, size_t i)
{
	const char *kernel = shim_pmu_format__name(cpc->format, i);
	const char *name = kernel ? to_solaris(kernel) : NULL;

	return kernel && !name ? "" : name;
}

/* The kernel's name of the field for an attribute, or NULL */
static const char *field_of(const cpc_t *cpc, const char *attr)
{
	const char *name;

	for (size_t i = 0; (name = field_name(cpc, i)); i++)
		if (*name && !strcmp(name, attr))
			return shim_pmu_format__name(cpc->format, i);
	return NULL;
}

/**
 * shim_attr__at() - list the attributes that a request may have
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
 * Only event codes of the CPU have fields.  Events that the kernel encodes itself, software events
 * and generic events have none.  If an attribute occurs twice, its last value is used.
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
