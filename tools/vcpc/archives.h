/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expand archives, files of them, directories and lists into the names of archives. */
#ifndef VCPC_ARCHIVES_H
#define VCPC_ARCHIVES_H

#include <stddef.h>

/* struct vcpc_archives - @names: @n distinct base names, in the order of the arguments */
struct vcpc_archives {
	char **names;
	size_t n;
};

/*
 * Add what @what refers to: an archive, given by its name or one of its files, whether or not it
 * exists; all archives of a directory, sorted by name; or several of these, separated by commas.
 * Return 0, -ENOENT for a directory without archives, an error from opening it, or -ENOMEM.
 */
int vcpc_archives_add(struct vcpc_archives *archives, const char *what);
void vcpc_archives_free(struct vcpc_archives *archives);

#endif /* VCPC_ARCHIVES_H */
