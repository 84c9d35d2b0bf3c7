/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Warn if an archive whose values were shown is damaged or incomplete. */
#ifndef VCPC_DAMAGE_H
#define VCPC_DAMAGE_H

#include <stdbool.h>

#include "window.h"

/*
 * struct vcpc_read - the part of an archive that a command has read, in addition to its metadata
 * @window: the time span
 * @points: only values at some points in time, or nothing, were read; otherwise records were read
 * @damaged: reading found damage
 */
struct vcpc_read {
	const struct vcpc_window *window;
	bool points;
	bool damaged;
};

/* Return whether a writer holds the archive's lock. */
bool vcpc_is_written(const char *archive);
/*
 * Call this after @archive has been read. Return 0, with a note on stderr if the part that was read
 * is incomplete or contains unknown records, or the exit status after a message if it is damaged.
 */
int vcpc_damage(const char *archive, const struct vcpc_read *read);

#endif /* VCPC_DAMAGE_H */
