/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Complete the records of an archive without values that have not changed (vcpc record --changes). */
#ifndef VCPC_UNCHANGED_H
#define VCPC_UNCHANGED_H

#include <pcp/pmapi.h>

/*
 * struct vcpc_unchanged - the records of the current context
 * @take, @arg: receives each complete record
 * @n: number of metrics to complete; 0 if records are complete
 * @context: another context of the archive, if @n is not 0
 */
struct vcpc_unchanged {
	int (*take)(const pmHighResResult *r, void *arg);
	void *arg;
	pmID *pmids;
	int n;
	int context;
	struct timespec last;	/* time of the last record that was passed on */
};

/* Return 0, or an exit status after printing a message. */
int vcpc_unchanged_open(struct vcpc_unchanged *u);
/* Complete a record.  @arg is the struct; the result is that of its @take. */
int vcpc_unchanged_take(const pmHighResResult *r, void *arg);
void vcpc_unchanged_close(struct vcpc_unchanged *u);

#endif /* VCPC_UNCHANGED_H */
