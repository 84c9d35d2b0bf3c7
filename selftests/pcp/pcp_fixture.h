/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of PMAPI: a context on the archive of the vectors, and short queries */
#ifndef PCP_FIXTURE_H
#define PCP_FIXTURE_H

#include <kselftest_harness.h>

#include <pcp/pmapi.h>

#include "archive_file.h"

#define NOTHING	(-1000000)	/* there is no value */

static inline struct timeval at_ms(int64_t ms)
{
	struct timeval tv = { AF_START + ms / 1000, ms % 1000 * 1000 };

	if (tv.tv_usec < 0) {
		tv.tv_usec += 1000000;
		tv.tv_sec--;
	}
	return tv;
}

static inline int64_t ms_of(struct timeval tv)
{
	return (tv.tv_sec - AF_START) * 1000 + tv.tv_usec / 1000;
}

static inline int go_to(int mode, int64_t ms, int delta_ms)
{
	struct timeval when = at_ms(ms);

	return pmSetMode(mode, &when, delta_ms);
}

/*
 * Fetch one number.  Return it (0 or more), a negative result of pmFetch() or negative numval, or
 * NOTHING.  If @ms is not NULL, store the time of the result in it.
 */
static inline int fetch_number(pmID pmid, int64_t *ms)
{
	pmResult *r;
	int err = pmFetch(1, &pmid, &r);

	if (err < 0)
		return err;
	if (ms)
		*ms = ms_of(r->timestamp);
	err = r->vset[0]->numval;
	if (err == 0)
		err = NOTHING;
	else if (err > 0)
		err = r->vset[0]->valfmt == PM_VAL_INSITU ? r->vset[0]->vlist[0].value.lval : 0;
	pmFreeResult(r);
	return err;
}

/* Fetch one number in INTERP mode at @ms, in a new context. */
static inline int number_at(pmID pmid, int64_t ms)
{
	int err = go_to(PM_MODE_INTERP, ms, 0);

	return err ? err : fetch_number(pmid, NULL);
}

FIXTURE(archive)
{
	char base[256];
};

FIXTURE_SETUP(archive)
{
	setenv("PCP_DERIVED_CONFIG", "", 1);	/* ignore the machine's own derived metrics */
	af_folder(self->base, sizeof(self->base));
	af_vectors(self->base, 3);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
}

FIXTURE_TEARDOWN(archive)
{
	pmDestroyContext(pmWhichContext());
	af_remove(self->base);
}

#endif /* PCP_FIXTURE_H */
