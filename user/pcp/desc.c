// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metric descriptors. */
#include <errno.h>
#include <string.h>

#include "base/api.h"
#include "archive_source.h"
#include "context.h"

_Static_assert(sizeof(pmUnits) == sizeof(uint32_t), "units are 32 bits");
_Static_assert(sizeof(pmDesc) == 20, "pmDesc has the original's size");

static void hand_out(const struct shim_desc *desc, pmDesc *out)
{
	out->pmid = desc->pmid;
	out->type = desc->type;
	out->indom = desc->indom;
	out->sem = desc->sem;
	memcpy(&out->units, &desc->units, sizeof(out->units));
}

int shim_desc__builtin(pmID pmid, pmDesc *out)
{
	const struct shim_desc *desc = shim_pmns_tree__builtin(pmid);

	if (!desc)
		return PM_ERR_PMID;
	hand_out(desc, out);
	return 0;
}

int shim_archive_source__desc(struct shim_context *ctx, pmID pmid, pmDesc *out)
{
	const struct shim_desc *desc = shim_archive__desc(ctx->ar, pmid);

	if (!desc)
		desc = shim_pmns_tree__builtin(pmid);
	if (!desc)
		return PM_ERR_PMID_LOG;
	hand_out(desc, out);
	return 0;
}

int shim_archive_source__descs(struct shim_context *ctx, int n, const pmID *pmids, pmDesc *out)
{
	int found = 0;

	for (int i = 0; i < n; i++) {
		if (shim_archive_source__desc(ctx, pmids[i], &out[i]))
			out[i].pmid = PM_ID_NULL;
		else
			found++;
	}
	return found;
}

/**
 * pmLookupDesc() - get a metric's descriptor
 * @pmid: the metric
 * @desc: written on success
 *
 * Return: 0, PM_ERR_PMID_LOG (for a host, PM_ERR_PMID or PM_ERR_NOAGENT), PM_ERR_NOCONTEXT,
 * PM_ERR_TIMEOUT, PM_ERR_IPC; PM_ERR_BADDERIVE for a derived metric that cannot be bound in this
 * context: semantic errors are reported through pmprintf(), missing operands are not.
 */
SHIM_API int pmLookupDesc(pmID pmid, pmDesc *desc)
{
	struct shim_context *ctx;
	int err;

	if (!desc)
		return -EINVAL;
	err = shim_context__enter(&ctx);
	if (err)
		return err;
	return shim_context__leave(ctx, shim_derived__desc(ctx, pmid, desc));
}

/**
 * pmLookupDescs() - get the descriptors of several metrics
 * @numpmid: number of metrics
 * @pmidlist: the metrics
 * @desclist: their descriptors; one that is not found has the pmid PM_ID_NULL
 *
 * Return: the number found, PM_ERR_TOOSMALL if @numpmid < 1, PM_ERR_NOCONTEXT; for a host also
 * PM_ERR_TIMEOUT, PM_ERR_IPC, and pmcd's error if a single metric is not found; for a single
 * derived metric, the result of pmLookupDesc().
 */
SHIM_API int pmLookupDescs(int numpmid, pmID *pmidlist, pmDesc *desclist)
{
	struct shim_context *ctx;
	int err;

	if (numpmid < 1)
		return PM_ERR_TOOSMALL;
	if (!pmidlist || !desclist)
		return -EINVAL;
	err = shim_context__enter(&ctx);
	if (err)
		return err;
	return shim_context__leave(ctx, shim_derived__descs(ctx, numpmid, pmidlist, desclist));
}
