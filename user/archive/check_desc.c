// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Check one metric's description.
 *
 * Loggers record what agents report, and readers only pass it on.  So these rules are wider than
 * those for metrics that this library writes: a derived metric may have the instance domain of
 * another agent, names in old archives may consist of digits, and some agents set a scale without
 * its dimension.
 */
#include "check_desc.h"
#include "declare.h"

#define TYPE_MAX 255	/* PM_TYPE_UNKNOWN; PCP cannot define types above it */

static bool is_sem(int32_t sem)
{
	return sem == SHIM_SEM_COUNTER || sem == SHIM_SEM_INSTANT || sem == SHIM_SEM_DISCRETE;
}

static bool is_printable(const uint8_t *name, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] == 0x7f)
			return false;
	return true;
}

const char *shim_check_desc__damage(const struct shim_rec_desc *rec)
{
	struct shim_in names = rec->names;

	for (uint32_t i = 0; i < rec->nnames; i++) {
		uint32_t len;
		const uint8_t *name = shim_rec_desc__name(&names, &len);

		if (!is_printable(name, len))
			return "name";
	}
	if (rec->pmid >> 31)
		return "number";
	if (rec->type < SHIM_TYPE_NOSUPPORT || rec->type > TYPE_MAX)
		return "type";
	/* if a metric is not supported, its other fields have no meaning */
	if (rec->type == SHIM_TYPE_NOSUPPORT)
		return NULL;
	return is_sem(rec->sem) ? NULL : "semantics";
}

const char *shim_check_desc__unknown(const struct shim_rec_desc *rec)
{
	if (rec->type == SHIM_TYPE_NOSUPPORT)
		return NULL;
	if (rec->type > SHIM_TYPE_HIGHRES_EVENT)
		return "type";
	return shim_declared__units_ok(rec->units) ? NULL : "units";
}
