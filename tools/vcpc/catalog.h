/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An archive's metrics by number, and its records one after the other. */
#ifndef VCPC_CATALOG_H
#define VCPC_CATALOG_H

#include <stddef.h>

#include "window.h"

struct vcpc_entry {
	char *name;
	pmDesc desc;
};

/* @entries: @n metrics, by pmid */
struct vcpc_catalog {
	struct vcpc_entry *entries;
	size_t n;
	size_t room;
	int err;
};

/* The metrics and groups named, or all if there is none: 0, or the exit status after a message */
int vcpc_catalog_read(struct vcpc_catalog *c, char **names);
void vcpc_catalog_free(struct vcpc_catalog *c);
struct vcpc_entry *vcpc_catalog_find(const struct vcpc_catalog *c, pmID pmid);

/*
 * Every record of a window, marks too, in order of time: 0, or the exit status
 * after a message.  A record that is corrupt ends it.
 */
int vcpc_records(const struct vcpc_window *w, const char *archive,
		 int (*take)(const pmHighResResult *r, void *arg), void *arg);

/* The name of an instance as of the record just read, or its number; in a buffer of the caller's */
const char *vcpc_instance(pmInDom indom, int inst, char *buf, size_t size);

#endif /* VCPC_CATALOG_H */
