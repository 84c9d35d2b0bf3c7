/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Warns if an archive whose values were shown is damaged, or lacks something. */
#ifndef VCPC_DAMAGE_H
#define VCPC_DAMAGE_H

#include <stdbool.h>

/* Whether a writer holds the archive's lock */
bool vcpc_is_written(const char *archive);
/*
 * Call this after @archive was read: 0, with a note on stderr if it lacks something or has
 * something unknown; or the exit status after a message if it is damaged
 */
int vcpc_damage(const char *archive);

#endif /* VCPC_DAMAGE_H */
