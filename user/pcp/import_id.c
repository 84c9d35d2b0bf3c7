// SPDX-License-Identifier: LGPL-2.1-or-later
/* Build LOGIMPORT's identifiers and units from numbers. */
#include <pcp/import.h>

#include "base/api.h"

SHIM_API pmID pmiID(int domain, int cluster, int item)
{
	return pmID_build(domain, cluster, item);
}

SHIM_API pmID pmiCluster(int domain, int cluster)
{
	return pmID_build(domain, cluster, 0);
}

SHIM_API pmInDom pmiInDom(int domain, int serial)
{
	return pmInDom_build(domain, serial);
}

SHIM_API pmUnits pmiUnits(int dimSpace, int dimTime, int dimCount, int scaleSpace, int scaleTime,
			  int scaleCount)
{
	const pmUnits units = {
		.dimSpace = dimSpace,
		.dimTime = dimTime,
		.dimCount = dimCount,
		.scaleSpace = scaleSpace,
		.scaleTime = scaleTime,
		.scaleCount = scaleCount,
	};

	return units;
}

/**
 * pmiExtraUnits() - build units with an extra unit
 * @dimSpace: exponent of bytes
 * @dimTime: exponent of seconds
 * @dimCount: exponent of events
 * @scaleSpace: PM_SPACE_x
 * @scaleTime: PM_TIME_x
 * @scaleCount: a power of ten
 * @extraUnit: one of PM_UNIT_x, or its negation if the extra unit divides; 0 for none
 * @extraScale: one of the scales of @extraUnit
 */
SHIM_API pmUnits pmiExtraUnits(int dimSpace, int dimTime, int dimCount, unsigned int scaleSpace,
			       unsigned int scaleTime, int scaleCount, int extraUnit,
			       unsigned int extraScale)
{
	pmUnits units = pmiUnits(dimSpace, dimTime, dimCount, (int)scaleSpace, (int)scaleTime,
				 scaleCount);

	units.extraUnit = extraUnit;
	units.extraScale = extraScale;
	return units;
}
