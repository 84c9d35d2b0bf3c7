/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trace events that a recording lacks because the kernel's tables were full */
#ifndef VCPC_RECORD_LOST_H
#define VCPC_RECORD_LOST_H

#include <stdint.h>

/*
 * Since tracing was turned on: events that found no row, and tags removed with their statistics;
 * @err: the error if they cannot be read
 */
struct record_lost {
	uint64_t events, tags;
	int err;
};

/* Read the current numbers.  They are 0 if tracing is off. */
struct record_lost record_lost_read(void);
/*
 * Print messages if the numbers have increased since @before.  Return 0, or an exit status after a
 * message if they cannot be read.
 */
int record_lost_report(const struct record_lost *before);

#endif /* VCPC_RECORD_LOST_H */
