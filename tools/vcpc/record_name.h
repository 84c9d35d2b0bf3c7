/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The name and the labels of the archive that vcpc record creates. */
#ifndef VCPC_RECORD_NAME_H
#define VCPC_RECORD_NAME_H

#define RECORD_NAME	128

/*
 * Choose a name for a recording of @command, or of running targets if it is NULL.  Return 0, or an
 * exit status.
 */
int record_name_choose(char name[RECORD_NAME], const char *command);
/*
 * Check that an archive can have this name; NULL is accepted.  Return 0, or an exit status after a
 * message.
 */
int record_name_check(const char *archive);

/*
 * Describe the recording for readers of the archive.  Return 0, or an exit status after printing a
 * message.
 */
struct shim_recorder;
int record_label(struct shim_recorder *rec, char *const *argv);

#endif /* VCPC_RECORD_NAME_H */
