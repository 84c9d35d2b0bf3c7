/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expand arguments into archive names.  An argument is the name of an archive, of one of its files,
 * or of a directory of archives, or a comma-separated list of these.
 */
#ifndef VCPC_ARCHIVES_H
#define VCPC_ARCHIVES_H

#include <stddef.h>

/* struct vcpc_archives - @n distinct base names, in the order of the arguments */
struct vcpc_archives {
	char **names;
	size_t n;
};

/*
 * Add the archives to which @what refers.  It is the name of an archive, which need not exist, or
 * of one of its files; a directory, whose archives are added sorted by name; or a comma-separated
 * list of these.  Return 0, -ENOENT for a directory without archives, an error from opening it, or
 * -ENOMEM.
 */
int vcpc_archives_add(struct vcpc_archives *archives, const char *what);
void vcpc_archives_free(struct vcpc_archives *archives);

#endif /* VCPC_ARCHIVES_H */
