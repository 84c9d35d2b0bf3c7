/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of vcpc stat */
#ifndef VCPC_STAT_OPTIONS_H
#define VCPC_STAT_OPTIONS_H

#include <stdbool.h>

#include "counting.h"
#include "output.h"
#include "parts.h"

struct count_job {
	struct vcpc_counting counting;
	bool threads;
	enum vcpc_apart apart;
	struct vcpc_parts parts;
	bool rates;		/* print a line of rates at each interval instead of counts */
	bool json;
	const char *separator;	/* argument of -x, or NULL */
	unsigned long runs;	/* number of runs; 0 if not specified */
	const char *name;	/* argument of -o, or NULL */
	struct vcpc_output output;
	char what[1024];	/* description of the counted targets */
};

/*
 * Parse the options into @job, which is zero.  Return 0; a negative number if the user requests
 * help; or an exit status after printing a message.
 */
int stat_parse(int argc, char **argv, struct count_job *job);
/* Print the help text.  Return an exit status. */
int stat_help(void);

#endif /* VCPC_STAT_OPTIONS_H */
