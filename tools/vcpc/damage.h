/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saying that an archive of which values were shown is damaged. */
#ifndef VCPC_DAMAGE_H
#define VCPC_DAMAGE_H

/* For the end of a command that has read @archive: 0, or the exit status after a message */
int vcpc_damage(const char *archive);

#endif /* VCPC_DAMAGE_H */
