// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metric and instance domain identifiers: build, split, and print them. */
#include <stdio.h>

#include <pcp/pmapi.h>

#include "archive/types.h"
#include "base/api.h"
#include "texts.h"

_Static_assert(PM_INDOM_NULL == SHIM_INDOM_NULL, "null instance domain");
_Static_assert((int)PM_IN_NULL == SHIM_IN_NULL, "null instance");

SHIM_API pmID pmID_build(unsigned int domain, unsigned int cluster, unsigned int item)
{
	return (domain & 0x1ff) << 22 | (cluster & 0xfff) << 10 | (item & 0x3ff);
}

SHIM_API unsigned int pmID_domain(pmID pmid)
{
	return pmid >> 22 & 0x1ff;
}

SHIM_API unsigned int pmID_cluster(pmID pmid)
{
	return pmid >> 10 & 0xfff;
}

SHIM_API unsigned int pmID_item(pmID pmid)
{
	return pmid & 0x3ff;
}

SHIM_API pmInDom pmInDom_build(unsigned int domain, unsigned int serial)
{
	return (domain & 0x1ff) << 22 | (serial & 0x3fffff);
}

SHIM_API unsigned int pmInDom_domain(pmInDom indom)
{
	return indom >> 22 & 0x1ff;
}

SHIM_API unsigned int pmInDom_serial(pmInDom indom)
{
	return indom & 0x3fffff;
}

/**
 * pmIDStr_r() - format a metric identifier
 * @pmid: the identifier
 * @buf: @buflen bytes; 20 are always enough
 * @buflen: at least 1
 *
 * Return: @buf.
 */
SHIM_API char *pmIDStr_r(pmID pmid, char *buf, int buflen)
{
	if (pmid == PM_ID_NULL)
		snprintf(buf, buflen, "PM_ID_NULL");
	else if (IS_DYNAMIC_ROOT(pmid))
		snprintf(buf, buflen, "%u.*.*", pmID_cluster(pmid));
	else
		snprintf(buf, buflen, "%u.%u.%u", pmID_domain(pmid), pmID_cluster(pmid),
			 pmID_item(pmid));
	return buf;
}

SHIM_API const char *pmIDStr(pmID pmid)
{
	struct shim_texts *texts = shim_texts();

	return pmIDStr_r(pmid, texts->pmid, sizeof(texts->pmid));
}

/**
 * pmInDomStr_r() - format an instance domain identifier
 * @indom: the identifier
 * @buf: @buflen bytes; 20 are always enough
 * @buflen: at least 1
 *
 * Return: @buf.
 */
SHIM_API char *pmInDomStr_r(pmInDom indom, char *buf, int buflen)
{
	if (indom == PM_INDOM_NULL)
		snprintf(buf, buflen, "PM_INDOM_NULL");
	else
		snprintf(buf, buflen, "%u.%u", pmInDom_domain(indom), pmInDom_serial(indom));
	return buf;
}

SHIM_API const char *pmInDomStr(pmInDom indom)
{
	struct shim_texts *texts = shim_texts();

	return pmInDomStr_r(indom, texts->indom, sizeof(texts->indom));
}
