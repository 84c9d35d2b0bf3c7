// SPDX-License-Identifier: GPL-2.0-or-later
/* The part of mixed_versions with PMAPI version 4 */
#define PMAPI_VERSION 4
#include <pcp/pmapi.h>

#include "../mixed_versions.h"

int64_t next_by_v4(unsigned int pmid)
{
	pmResult *r;
	int64_t ns;
	int err = pmFetch(1, &pmid, &r);

	if (err < 0)
		return err;
	ns = (int64_t)r->timestamp.tv_nsec * 1;
	pmFreeResult(r);
	return ns;
}

int go_by_v4(int64_t start, int fraction)
{
	struct timespec when = { start, fraction };

	return pmSetMode(PM_MODE_FORW, &when, NULL);
}

int64_t interval_by_v4(char *text)
{
	char *argv[] = { "prog", "-t", text, NULL };
	pmOptions opts = { .short_options = "t:" };

	if (pmGetOptions(3, argv, &opts) != -1 || opts.errors)
		return -1;
	pmFreeOptions(&opts);
	return opts.interval.tv_sec * 1000000000 + (int64_t)opts.interval.tv_nsec * 1;
}
