/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that the user named for output: written whole, or left as it was. */
#ifndef VCPC_OUTPUT_H
#define VCPC_OUTPUT_H

#include <stdio.h>

/*
 * struct vcpc_output - an output under way
 * @file: where to write
 * @name: what the user called it; NULL for standard output
 * @temporary: what it is called until it is whole; NULL if it is written directly, as
 *	devices and pipes are
 */
struct vcpc_output {
	FILE *file;
	const char *name;
	char *temporary;
};

/* @name: NULL or "-" for standard output.  0, or the exit status after a message */
int vcpc_output_open(struct vcpc_output *output, const char *name);
/*
 * Finish the output.  If @status is not 0, a temporary file is removed, and the user's file stays
 * as it was.  Returns @status, or the exit status after a message.
 */
int vcpc_output_close(struct vcpc_output *output, int status);

#endif /* VCPC_OUTPUT_H */
