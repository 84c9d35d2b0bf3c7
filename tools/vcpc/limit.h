/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions of vcpc compare --fail-if: by how much a quantity may change. */
#ifndef VCPC_LIMIT_H
#define VCPC_LIMIT_H

#include <stdbool.h>

#include "welch.h"

/*
 * struct vcpc_limit - "checkout:instructions > +2%"
 * @text: as the user wrote it
 * @name: name of the quantity, without surrounding blanks
 * @more: '>': the condition holds if the change is above @change; otherwise it holds if it
 *   is below
 * @equal: the condition also holds if the change equals @change
 * @one_run: "from one run" follows: a time is judged although its variation is unknown
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
/* Whether the condition is about this quantity; all punctuation in names is equal */
bool vcpc_limit_names(const struct vcpc_limit *limit, const char *scope, const char *what);

enum vcpc_judgment { VCPC_WITHIN, VCPC_UNCERTAIN, VCPC_BEYOND };

/*
 * Whether a difference meets the condition.  With an interval, it is beyond only if the whole
 * interval is, and uncertain if only a part is.
 */
enum vcpc_judgment vcpc_limit_judge(const struct vcpc_limit *limit,
				    const struct vcpc_difference *d);

#endif /* VCPC_LIMIT_H */
