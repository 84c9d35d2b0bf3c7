/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vcpc record --with: record other metrics of this machine's pmcd into the same archive. */
#ifndef VCPC_WITH_H
#define VCPC_WITH_H

#include <shim/shim.h>

struct vcpc_with;

/*
 * Find the metrics of a comma-separated list of names and subtrees.  Return 0, or an exit status
 * after printing a message.
 */
int vcpc_with_open(const char *list, struct vcpc_with **with);
/* Record the metrics in @rec from now on.  Return 0, or an exit status after printing a message. */
int vcpc_with_add(struct vcpc_with *with, struct shim_recorder *rec);
/* Forget a recorder that was closed.  It need not have been added. */
void vcpc_with_end(struct vcpc_with *with, const struct shim_recorder *rec);
/* The first reason why values are missing although they were fetched, as -errno, or 0 */
int vcpc_with_missing(const struct vcpc_with *with);
void vcpc_with_close(struct vcpc_with *with);

#endif /* VCPC_WITH_H */
