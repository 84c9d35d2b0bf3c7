/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Warns if an archive whose values were shown is damaged, or lacks something. */
#ifndef VCPC_DAMAGE_H
#define VCPC_DAMAGE_H

#include <stdbool.h>

#include "window.h"

/*
 * struct vcpc_read - what a command has read of an archive, besides its metadata
 * @window: the part of its time
 * @points: only values at some times of it, or nothing; otherwise its records
 * @damaged: reading came upon damage
 */
struct vcpc_read {
	const struct vcpc_window *window;
	bool points;
	bool damaged;
};

/* Whether a writer holds the archive's lock */
bool vcpc_is_written(const char *archive);
/*
 * Call this after @archive was read: 0, with a note on stderr if what was read lacks something or
 * has something unknown; or the exit status after a message if it is damaged
 */
int vcpc_damage(const char *archive, const struct vcpc_read *read);

#endif /* VCPC_DAMAGE_H */
