// SPDX-License-Identifier: GPL-2.0-or-later
/* Every error of user/archive has a PMAPI code.  Other errors are returned unchanged. */
#include <errno.h>

#include <kselftest_harness.h>

#include <pcp/pmapi.h>

#include "archive/types.h"
#include "pcp/err.h"

static const struct {
	int err;
	int code;
} rows[] = {
	{ 0, 0 },
	{ 5, 5 },
	{ -ENOENT, -ENOENT },
	{ -ENOMEM, -ENOMEM },
	{ -EACCES, -EACCES },
	{ -EINVAL, -EINVAL },
	{ -ENXIO, PM_ERR_LOGFILE },
	{ -ENODATA, PM_ERR_NODATA },
	{ -EILSEQ, PM_ERR_LABEL },
	{ -EBADMSG, PM_ERR_LOGREC },
	{ -EPROTO, PM_ERR_RECTYPE },
	{ -EOPNOTSUPP, PM_ERR_FEATURE },
	{ -ERANGE, PM_ERR_EOL },
	{ -SHIM_ECHANGE_TYPE, PM_ERR_LOGCHANGETYPE },
	{ -SHIM_ECHANGE_SEM, PM_ERR_LOGCHANGESEM },
	{ -SHIM_ECHANGE_INDOM, PM_ERR_LOGCHANGEINDOM },
	{ -SHIM_ECHANGE_UNITS, PM_ERR_LOGCHANGEUNITS },
	{ PM_ERR_PMID_LOG, PM_ERR_PMID_LOG },
};

TEST(every_row)
{
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		EXPECT_EQ(shim_pcp__error(rows[i].err), rows[i].code);
}

TEST_HARNESS_MAIN
