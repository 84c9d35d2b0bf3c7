/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turn tracing on for recordings with --trace that can overlap, and off after the last of them */
#ifndef VCPC_RECORD_TRACING_H
#define VCPC_RECORD_TRACING_H

#include <stdbool.h>

/*
 * struct record_tracing - a recording's share in the machine's tracing
 * @lock: the file that all these recordings lock, or -1 if it is not available
 * @ours: this recording turned tracing on
 */
struct record_tracing {
	int lock;
	bool ours;
};

/* Turn tracing on if it is off. Return 0 or -errno. */
int record_tracing_on(struct record_tracing *tracing);
/*
 * End this recording's share. Return whether another recording continues, and will turn tracing off
 * and with it the counting in transactions.
 */
bool record_tracing_leave(struct record_tracing *tracing);
/*
 * End this recording's share, and turn tracing off if a recording turned it on and no other
 * recording needs it. Return 0 or -errno.
 */
int record_tracing_off(struct record_tracing *tracing);

#endif /* VCPC_RECORD_TRACING_H */
