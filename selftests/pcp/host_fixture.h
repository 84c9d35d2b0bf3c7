/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host context, and a small server in the test that replies to it */
#ifndef SELFTESTS_PCP_HOST_FIXTURE_H
#define SELFTESTS_PCP_HOST_FIXTURE_H

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include <pcp/pmapi.h>

#include "fake_pmcd.h"

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Return how many values a metric has, or an error. */
static inline int values_of(pmID pmid)
{
	pmResult *r;
	int n = pmFetch(1, &pmid, &r);

	if (n < 0)
		return n;
	n = r->vset[0]->numval;
	pmFreeResult(r);
	return n;
}

static inline int fetch_word(void)
{
	return values_of(FAKE_WORD);
}

FIXTURE(host)
{
	struct fake_pmcd fake;
	int handle;
};

FIXTURE_SETUP(host)
{
	static const char *const unwanted[] = { "PMCD_PORT", "PMPROXY_HOST", "PCP_CONTAINER",
						"PCP_SECURE_SOCKETS" };

	/* Close sockets that were inherited. */
	close_range(3, ~0u, 0);
	for (size_t i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]); i++)
		unsetenv(unwanted[i]);
	/* Ignore the machine's own derived metrics. */
	setenv("PCP_DERIVED_CONFIG", "", 1);
	setenv("PMCD_REQUEST_TIMEOUT", "60", 1);
	setenv("PMCD_CONNECT_TIMEOUT", "60", 1);
	setenv("PMCD_RECONNECT_TIMEOUT", "1", 1);
	ASSERT_EQ(fake_start(&self->fake), 0);
	self->handle = pmNewContext(PM_CONTEXT_HOST, self->fake.spec);
	ASSERT_GE(self->handle, 0);
}

FIXTURE_TEARDOWN(host)
{
	pmDestroyContext(self->handle);
	fake_stop(&self->fake);
}

#endif /* SELFTESTS_PCP_HOST_FIXTURE_H */
