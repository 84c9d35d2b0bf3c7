/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parse and print the event sets on the command lines of cputrack and cpustat. */
#ifndef CPC_SPEC_H
#define CPC_SPEC_H

#include <stdio.h>

#include "cpc/libcpc.h"

#define CPCSPEC_ATTRS	32

/* An attribute from the command line, for one counter or for all counters */
struct cpcspec_attr {
	char name[CPC_MAX_ATTR_LEN];
	int pic;		/* -1: for all counters */
	uint64_t value;
};

/*
 * struct cpcspec - a requested event set
 * @text: the text as written by the user
 * @event: the events by counter number; NULL for no event
 * @npic: number of counters
 * @nreqs: number of counters in use
 * @nattrs: number of @attr
 * @attr: in the order of the command line; if a counter has two with the same name, the first one
 *   is used
 */
struct cpcspec {
	const char *text;
	char **event;
	int npic;
	int nreqs;
	int nattrs;
	struct cpcspec_attr attr[CPCSPEC_ATTRS];
};

/* Functions in spec.c.  On failure, they print a message and return -1 or NULL. */
int cpcspec_parse(cpc_t *cpc, const char *text, struct cpcspec *spec);
cpc_set_t *cpcspec_set(cpc_t *cpc, struct cpcspec *spec);
void cpcspec_free(struct cpcspec *spec);

/* Functions in print.c */
void cpcspec_columns(FILE *out, const struct cpcspec *spec, int tick);
void cpcspec_values(FILE *out, cpc_t *cpc, const struct cpcspec *spec, cpc_buf_t *buf, int tick,
		    int several);
void cpcspec_capabilities(FILE *out, cpc_t *cpc);

#endif /* CPC_SPEC_H */
