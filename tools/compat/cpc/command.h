/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cputrack and cpustat do alike: options, errors, and measuring with several sets in turn. */
#ifndef CPC_COMMAND_H
#define CPC_COMMAND_H

#include <stdio.h>

#include "spec.h"

#define COMMAND_SPECS	64
#define NS_PER_S	1e9

/*
 * struct command - a command
 * @name: as it calls itself
 * @usage: what it says of its options
 */
struct command {
	const char *name;
	const char *usage;
};

/* Once, before all else: errors are told without a handle. */
void command_begin(const struct command *command);
/* Say which function an error is from, too */
void command_debug(void);

void command_complain(const char *fn, int subcode, const char *fmt, va_list ap);
void command_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Exit statuses: 2, 2, and of -h */
int command_usage(void);
int command_mistake(const char *what);
int command_help(void);

/* A handle, or NULL after an error was told */
cpc_t *command_open(void);

/* A whole argument that is a number from least on: 1 or 0 */
int command_number(const char *text, double least, double *value);

/*
 * struct specs - the event sets of a command line, which take turns if there are several
 * @n: how many
 * @text: of each -c
 * @at: what it means
 */
struct specs {
	int n;
	const char *text[COMMAND_SPECS];
	struct cpcspec at[COMMAND_SPECS];
};

/* -1, or an exit status after an error was told */
int specs_add(struct specs *specs, const char *text);
int specs_parse(struct specs *specs, cpc_t *cpc);
void specs_free(struct specs *specs);

/*
 * struct meter - one thread's or CPU's sets, of which one is bound at a time
 * @set: one for each event set
 * @now: of each, its last sample
 * @before: of each the one before that, or, right after meter_take(), the difference
 */
struct meter {
	cpc_set_t *set[COMMAND_SPECS];
	cpc_buf_t *now[COMMAND_SPECS];
	cpc_buf_t *before[COMMAND_SPECS];
};

/* 0 or -1; what was made is there in any case, for meter_end() */
int meter_make(struct meter *meter, cpc_t *cpc, struct specs *specs);
void meter_end(struct meter *meter, cpc_t *cpc);

/* Sample set s: its "before" becomes what was counted since; 0, or -1 and errno */
int meter_take(struct meter *meter, cpc_t *cpc, int s);
/* The last sample is what the next one is compared with. */
void meter_keep(struct meter *meter, cpc_t *cpc, int s);

#endif /* CPC_COMMAND_H */
