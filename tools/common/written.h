/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Check that a command's output was written. */
#ifndef COMMON_WRITTEN_H
#define COMMON_WRITTEN_H

#include <stdio.h>

/*
 * Flush a command's output.  @file is its name, NULL for standard output.  Return 0, or 1 after
 * printing that part of the output is lost.
 */
int written(const char *command, FILE *out, const char *file);

#endif /* COMMON_WRITTEN_H */
