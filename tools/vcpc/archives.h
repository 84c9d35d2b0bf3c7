/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of archives, each for itself, of what a user gives: archives, files of theirs, folders, lists. */
#ifndef VCPC_ARCHIVES_H
#define VCPC_ARCHIVES_H

#include <stddef.h>

/* struct vcpc_archives - @names: @n base names, each once, in the order of the arguments */
struct vcpc_archives {
	char **names;
	size_t n;
};

/*
 * Adds what @what stands for: an archive, by its name or that of one of its files, also if there is
 * none; all archives of a folder, by name; or several of these with commas between.
 * 0, -ENOENT for a folder without archives, or an error of opening it.
 */
int vcpc_archives_add(struct vcpc_archives *archives, const char *what);
void vcpc_archives_free(struct vcpc_archives *archives);

#endif /* VCPC_ARCHIVES_H */
