/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Look up an archive's metrics by number, and read its records in order. */
#ifndef VCPC_CATALOG_H
#define VCPC_CATALOG_H

#include <stddef.h>

#include "window.h"

struct vcpc_entry {
	char *name;
	pmDesc desc;
};

/* @entries: @n metrics, sorted by PMID */
struct vcpc_catalog {
	struct vcpc_entry *entries;
	size_t n;
	size_t room;
	int err;
};

/*
 * Read the named metrics and groups, or all if none is named.  Return 0, or an exit status after
 * printing a message.
 */
int vcpc_catalog_read(struct vcpc_catalog *c, char **names);
void vcpc_catalog_free(struct vcpc_catalog *c);
/*
 * Find the entry of a metric.  *@next is the index of the expected entry, 0 at first, and is
 * updated.
 */
struct vcpc_entry *vcpc_catalog_find(const struct vcpc_catalog *c, pmID pmid, size_t *next);

/*
 * Call @take for every record of a window, including marks, in order of time.  If @take returns a
 * nonzero value, stop and return it.  A corrupt record also ends the loop.  Return 0, or the exit
 * status after a message.
 */
int vcpc_records(const struct vcpc_window *w, const char *archive,
		 int (*take)(const pmHighResResult *r, void *arg), void *arg);

/*
 * Write an instance's name to @buf, or its number if it has no name.  The name is valid for the
 * record that was just read.
 */
const char *vcpc_instance(pmInDom indom, int inst, char *buf, size_t size);

#endif /* VCPC_CATALOG_H */
