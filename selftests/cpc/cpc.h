/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions for the tests of libcpc: create sets of one request, and read their values. */
#ifndef SELFTESTS_CPC_H
#define SELFTESTS_CPC_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpc/libcpc.h"
#include "known_work.h"

/* A set that several threads bind, and the number of calls that failed */
struct shared_set {
	cpc_t *cpc;
	cpc_set_t *set;
	int errors;
};

static inline uint64_t value(cpc_t *cpc, cpc_buf_t *buf, int i)
{
	uint64_t v = 0;

	return cpc_buf_get(cpc, buf, i, &v) ? -1ULL : v;
}

static inline void silent(const char *fn, int subcode, const char *fmt, va_list ap)
{
	(void)fn;
	(void)subcode;
	(void)fmt;
	(void)ap;
}

/* Return a set of one request for user mode, or NULL if this machine does not have the event. */
static inline cpc_set_t *set_of(cpc_t *cpc, const char *event, uint64_t preset)
{
	cpc_set_t *set = cpc_set_create(cpc);

	cpc_seterrhndlr(cpc, silent);
	if (set && cpc_set_add_request(cpc, set, event, preset, CPC_COUNT_USER, 0, NULL)) {
		cpc_set_destroy(cpc, set);
		set = NULL;
	}
	cpc_seterrhndlr(cpc, NULL);
	return set;
}

/* Create a handle with a set of one request.  Return NULL after printing the reason. */
static inline cpc_t *open_with(cpc_set_t **set, const char *event, uint64_t preset)
{
	cpc_t *cpc = cpc_open(CPC_VER_CURRENT);

	*set = cpc ? set_of(cpc, event, preset) : NULL;
	if (*set)
		return cpc;
	printf("# %s: %s\n", cpc ? event : "cpc_open", strerror(errno));
	if (cpc)
		cpc_close(cpc);
	return NULL;
}

/* Add a request for user mode that overflows after @events events. */
static inline int add_overflowing(cpc_t *cpc, cpc_set_t *set, const char *event, uint64_t events)
{
	return cpc_set_add_request(cpc, set, event, -events, CPC_COUNT_USER | CPC_OVF_NOTIFY_EMT, 0,
				   NULL);
}

/* Sample, and return the first value.  On failure, return -1 and set errno. */
static inline uint64_t sampled(cpc_t *cpc, cpc_set_t *set, cpc_buf_t *buf)
{
	return cpc_set_sample(cpc, set, buf) ? -1ULL : value(cpc, buf, 0);
}

/* Return whether the machine counts this event. */
static inline bool counts(cpc_t *cpc, const char *event)
{
	cpc_set_t *set = set_of(cpc, event, 0);
	bool has = set && !cpc_bind_curlwp(cpc, set, 0);

	if (set)
		cpc_set_destroy(cpc, set);
	return has;
}

static inline bool has_pmu(cpc_t *cpc)
{
	return counts(cpc, "instructions");
}

#endif /* SELFTESTS_CPC_H */
