/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of vcpc record */
#ifndef VCPC_RECORD_OPTIONS_H
#define VCPC_RECORD_OPTIONS_H

#include <stdbool.h>

#include "counting.h"
#include "record_name.h"
#include "rotate.h"

struct record_job {
	const char *archive;
	char chosen[RECORD_NAME];	/* the archive's name, if the user did not specify one */
	int trace;
	double max_size;	/* maximum size of the archive in bytes; 0: no limit */
	struct vcpc_rotate rotate;
	bool changes;	/* omit unchanged values of transactions */
	bool compress;
	bool why;
	const char *others;	/* names of pmcd's metrics, or NULL */
	struct vcpc_counting counting;
};

/*
 * Parse the options into @job, which is zero.  Return 0; a negative number if the user requests
 * help; or an exit status after printing a message.
 */
int record_parse(int argc, char **argv, struct record_job *job);
/* Print the help text.  Return an exit status. */
int record_help(void);

#endif /* VCPC_RECORD_OPTIONS_H */
