/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code shared by cputrack and cpustat: parse options, report errors, and measure several sets
 * alternately
 */
#ifndef CPC_COMMAND_H
#define CPC_COMMAND_H

#include <stdio.h>

#include "spec.h"

#define COMMAND_SPECS	64
#define NS_PER_S	1e9

/*
 * struct command - a command
 * @name: the program's name, for messages
 * @usage: its usage text
 */
struct command {
	const char *name;
	const char *usage;
};

/* Call this once, before anything else: messages need the name even before a handle exists. */
void command_begin(const struct command *command);
/* Make error messages include the function that reported the error (-D). */
void command_debug(void);

void command_complain(const char *fn, int subcode, const char *fmt, va_list ap);
void command_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Each function returns an exit status: command_usage() and command_mistake() print the usage on
 * stderr and return 2; command_help() (-h) returns 0 or 1.
 */
int command_usage(void);
int command_mistake(const char *what);
int command_help(void);

/*
 * Flush the output, and return 0, or 1 after printing a message.  @file is its name, NULL for
 * standard output.
 */
int command_written(FILE *out, const char *file);
/* Print what failed, and why according to errno.  Return 1. */
int command_failed(const char *what);

/* Open libcpc and return its handle, or NULL after printing a message. */
cpc_t *command_open(void);

/*
 * Parse an argument that must be a number from @least to below 1e6.  Return 1, or 0 for any other
 * text.
 */
int command_number(const char *text, double least, double *value);

/*
 * struct specs - the event sets of a command line, which alternate if there are several
 * @n: number of sets
 * @text: argument of each -c
 * @at: each argument after parsing
 */
struct specs {
	int n;
	const char *text[COMMAND_SPECS];
	struct cpcspec at[COMMAND_SPECS];
};

/* Return -1 to continue, or an exit status after printing a message. */
int specs_add(struct specs *specs, const char *text);
int specs_parse(struct specs *specs, cpc_t *cpc);
void specs_free(struct specs *specs);

/*
 * struct meter - the sets of one thread or CPU; one set at a time is bound
 * @set: one for each event set
 * @now: each set's last sample
 * @before: each set's previous sample; right after meter_take(), the difference of the two
 */
struct meter {
	cpc_set_t *set[COMMAND_SPECS];
	cpc_buf_t *now[COMMAND_SPECS];
	cpc_buf_t *before[COMMAND_SPECS];
};

/* Create the sets.  Return 0 or -1.  Call meter_end() even after a failure. */
int meter_make(struct meter *meter, cpc_t *cpc, struct specs *specs);
void meter_end(struct meter *meter, cpc_t *cpc);

/*
 * Sample set @s, and store in @before its counts since the kept sample.  Return 0, or -1 with errno
 * set.
 */
int meter_take(struct meter *meter, cpc_t *cpc, int s);
/* Keep the last sample for comparison with the next one. */
void meter_keep(struct meter *meter, cpc_t *cpc, int s);

#endif /* CPC_COMMAND_H */
