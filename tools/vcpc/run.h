/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Read one recorded run as a list of quantities that can be compared with another run's. */
#ifndef VCPC_RUN_H
#define VCPC_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "tally.h"

/*
 * struct vcpc_quantity - one number of a run
 * @scope: a transaction's or point's tag; "" for the whole run
 * @what: the kind of number: an event, "time", "count", ..., or a metric's name
 * @seconds: @value is a time, in seconds
 * @resolution: half the width of a percentile's histogram bucket; 0 if @value is exact
 * @order: position of the scope: the whole run is first, the others are in order of appearance
 * @counted: if it is the mean of a count in transactions, the number of transactions; otherwise 0
 */
struct vcpc_quantity {
	char *scope;
	char *what;
	long order;
	bool seconds;
	double value;
	double resolution;
	double counted;
};

/* @list: @n quantities, grouped by scope, the whole run's scope first */
struct vcpc_run {
	struct vcpc_quantity *list;
	size_t n, room;
};

/*
 * Add up a run's archive within a window; only the window's options are used.  If @names is not
 * empty, read only these metrics.  Return 0, or an exit status after printing a message.  Damage in
 * the part that was read is also a failure.
 */
int vcpc_run_read(struct vcpc_run *run, const char *archive, const struct vcpc_window *options,
		  char **names);
/*
 * Like vcpc_run_read(), for all metrics, but use the records that @tally has added up in the
 * current context.
 */
int vcpc_run_of(struct vcpc_run *run, const struct vcpc_tally *tally);
void vcpc_run_free(struct vcpc_run *run);

#endif /* VCPC_RUN_H */
