/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions of vcpc compare --fail-if, which limit how much a quantity may change. */
#ifndef VCPC_LIMIT_H
#define VCPC_LIMIT_H

#include <stdbool.h>

#include "welch.h"

/*
 * struct vcpc_limit - "checkout:instructions > +2%"
 * @text: as the user wrote it
 * @name: name of the quantity, without surrounding blanks
 * @more: '>': the condition holds if the change is above @change; otherwise it holds if it is below
 * @equal: the condition also holds if the change equals @change
 * @one_run: the condition ends with "from one run": judge a time although its variation is unknown
 * @percent: @change is in percent of the first side's mean, otherwise in the quantity's unit
 */
struct vcpc_limit {
	const char *text;
	char *name;
	bool more, equal, one_run, percent;
	double change;
};

/* Return 0, or an exit status after printing a message. */
int vcpc_limit_parse(struct vcpc_limit *limit, const char *text);
/*
 * Return whether the condition is about this quantity.  All punctuation in names is treated as
 * equal.
 */
bool vcpc_limit_names(const struct vcpc_limit *limit, const char *scope, const char *what);

enum vcpc_judgment { VCPC_WITHIN, VCPC_UNCERTAIN, VCPC_BEYOND };

/*
 * Judge whether a difference meets the condition.  If it has an interval, the result is "beyond"
 * only if the whole interval meets the condition, and "uncertain" if only part of it does.
 */
enum vcpc_judgment vcpc_limit_judge(const struct vcpc_limit *limit,
				    const struct vcpc_difference *d);

#endif /* VCPC_LIMIT_H */
