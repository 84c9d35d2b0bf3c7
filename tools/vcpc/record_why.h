/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vcpc record --why: record where transactions spend their time, in the archives and in a file of
 * stacks for each archive.
 */
#ifndef VCPC_RECORD_WHY_H
#define VCPC_RECORD_WHY_H

#include <stdint.h>

#include "why.h"

#define VCPC_STACKS_SUFFIX	".folded"

/**
 * struct record_why - threads that are watched during a recording
 * @view: its member @why is the handle, or NULL without --why
 * @learned: time of the last search for new processes, in seconds
 * @status: exit status if stacks could not be written
 */
struct record_why {
	struct why_view view;
	int64_t learned;
	int status;
};

int record_why_open(struct record_why *why, const char *archive);
void record_why_tick(struct record_why *why);
void record_why_write(struct record_why *why, const char *archive);
int record_why_close(struct record_why *why);

#endif /* VCPC_RECORD_WHY_H */
