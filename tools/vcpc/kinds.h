/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Count events on each of several kinds of core. */
#ifndef VCPC_KINDS_H
#define VCPC_KINDS_H

#include "vcpc.h"

#define VCPC_KINDS_MAX	8

/*
 * Replace each event that all cores count by one for each kind of core that has it, and fill in
 * @events->rows.  A second call has no effect.
 *
 * Return: 0, or an exit status after printing a message.
 */
int vcpc_kinds_split(struct shim_handle *handle, struct vcpc_events *events);

void vcpc_event_row_name(const struct vcpc_event_rows *rows, unsigned int i, const struct shim_set *set,
		   char *buf, size_t size);

/*
 * Explain why an event cannot be counted, if its PMU or the kinds of core are the reason.
 *
 * Return: an exit status after printing a message; 0, without a message, for any other reason.
 */
int vcpc_kinds_explain(const char *event);

#endif /* VCPC_KINDS_H */
