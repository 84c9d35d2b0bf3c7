/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A name space that was read from a file. */
#ifndef SHIM_PCP_PMNS_FILE_H
#define SHIM_PCP_PMNS_FILE_H

#include <stdbool.h>

#include "pmns_tree.h"

/*
 * struct shim_pmns_file - names and their metrics, and their tree
 * @refs: guarded by the lock in pmns_loaded.c
 * @entries: the @n metrics in file order; this structure owns the names
 */
struct shim_pmns_file {
	unsigned int refs;
	struct shim_pmns_tree *tree;
	struct shim_pmns_entry *entries;
	unsigned int n;
	size_t room;
};

/*
 * Read a file; with @dups, a metric may have several names.  Returns 0; -errno if the file cannot
 * be read; PM_ERR_PMNS if it is malformed, with the reason in *@what.
 */
int shim_pmns_file__read(const char *path, bool dups, struct shim_pmns_file **out,
			 const char **what);
/* A name space of the metrics for which @keep returns true */
int shim_pmns_file__subset(const struct shim_pmns_file *from,
			   bool (*keep)(const void *arg, uint32_t pmid), const void *arg,
			   struct shim_pmns_file **out);
void shim_pmns_file__free(struct shim_pmns_file *names);

#endif /* SHIM_PCP_PMNS_FILE_H */
