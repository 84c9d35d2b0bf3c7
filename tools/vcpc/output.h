/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's output file, which is written completely or left unchanged. */
#ifndef VCPC_OUTPUT_H
#define VCPC_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/*
 * struct vcpc_output - an output in progress
 * @file: the file to write to
 * @name: the name specified by the user; NULL for standard output
 * @temporary: its name until it is complete; NULL for devices and pipes, which are written directly
 * @keep: if writing fails, keep the temporary file, because its content exists nowhere else
 */
struct vcpc_output {
	FILE *file;
	const char *name;
	char *temporary;
	bool keep;
};

/*
 * Open an output file.  @name is NULL or "-" for standard output.  Return 0, or an exit status
 *	after printing a message.
 */
int vcpc_output_open(struct vcpc_output *output, const char *name);
/*
 * Finish the output.  If @status is not 0 or writing fails, remove the temporary file and leave the
 * user's file unchanged.  Return @status, or the exit status after printing a message.
 */
int vcpc_output_close(struct vcpc_output *output, int status);

#endif /* VCPC_OUTPUT_H */
