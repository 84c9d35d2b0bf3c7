/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Metric names: the tree of names of an archive, of this machine, or of a file, and name spaces in
 * files
 */
#ifndef SHIM_PCP_PMNS_H
#define SHIM_PCP_PMNS_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "archive/reader.h"

struct shim_pmns_tree;

/* Return a metric that every context has.  These metrics describe unpacked event records. */
const struct shim_desc *shim_pmns_tree__builtin(uint32_t pmid);
/* Get the public descriptor of a metric that every context has.  Return 0 or PM_ERR_PMID. */
int shim_desc__builtin(pmID pmid, pmDesc *out);
void shim_desc__copy(const struct shim_desc *desc, pmDesc *out);

/* A metric's full name */
struct shim_pmns_entry {
	const char *name;
	uint32_t pmid;
};

/*
 * Build a tree of these names, in their order, and of the built-in names.  The names must outlive
 * the tree.
 */
int shim_pmns_tree__of(const struct shim_pmns_entry *entries, unsigned int n,
		       struct shim_pmns_tree **out);
int shim_pmns_tree__new(const struct shim_archive *ar, struct shim_pmns_tree **out);
void shim_pmns_tree__free(struct shim_pmns_tree *pmns);

/* Names in a tree are identified by numbers.  "" is the root. */
#define SHIM_PMNS_NONE UINT32_MAX

uint32_t shim_pmns_tree__find(const struct shim_pmns_tree *pmns, const char *name);
/* Return whether this is the name of a metric.  If so, set *@pmid to the metric. */
bool shim_pmns_tree__metric(const struct shim_pmns_tree *pmns, uint32_t at, uint32_t *pmid);
/*
 * Get the names directly below a name (newest first; @status may be NULL), or the names of all
 * metrics at and below it, in one allocation that the caller frees.  Return their number, or
 * -ENOMEM.
 */
int shim_pmns_tree__children(const struct shim_pmns_tree *pmns, uint32_t parent, char ***offspring,
			     int **status);
int shim_pmns_tree__leaves(const struct shim_pmns_tree *pmns, uint32_t top, char ***names);
/*
 * Return a negative number if @a is before @b.  Older names come first, and a group follows the
 * names in it.
 */
int shim_pmns_tree__order(const struct shim_pmns_tree *pmns, uint32_t a, uint32_t b);

/*
 * struct shim_pmns_file - names and their metrics, and their tree
 * @refs: guarded by the lock in pmns_file.c
 * @entries: the @n metrics in file order; this structure owns the names
 */
struct shim_pmns_file {
	unsigned int refs;
	struct shim_pmns_tree *tree;
	struct shim_pmns_entry *entries;
	unsigned int n;
	size_t room;
};

/* Create a name space of the metrics for which @keep returns true. */
int shim_pmns_file__subset(const struct shim_pmns_file *from,
			   bool (*keep)(const void *arg, uint32_t pmid), const void *arg,
			   struct shim_pmns_file **out);

/*
 * Get the loaded name space, to be released with put(), or NULL if none was requested.  Return 0,
 * or PM_ERR_NOPMNS if loading failed.
 */
int shim_pmns_loaded__get(struct shim_pmns_file **out);
void shim_pmns_loaded__put(struct shim_pmns_file *names);
/* If @old is still loaded, replace it with @names; then put() @old.  Take ownership of @names. */
void shim_pmns_loaded__replace(struct shim_pmns_file *old, struct shim_pmns_file *names);

/*
 * Read a name space's file without its comments, directives and macros.  Return 0 with the text in
 * *@out, which the caller frees; -errno; or PM_ERR_PMNS for directives that are unknown, do not
 * match, or are nested too deeply.
 */
int shim_pmns_preprocess__read(const char *path, char **out);

/* Functions in pmns_lookup.c: look-ups in a given tree */
int shim_pmns_lookup__metrics(const struct shim_pmns_tree *tree, int n, const char *const *names,
			      pmID *pmids);
int shim_pmns_lookup__children(const struct shim_pmns_tree *tree, const char *name,
			       char ***offspring, int **status);
int shim_pmns_lookup__leaves(const struct shim_pmns_tree *tree, const char *name, char ***names);
int shim_pmns_lookup__list(const char *const *names, unsigned int n, char ***out);
/* Return whether a name may not lead to the metric for which it was added. */
bool shim_pmns_tree__is_ambiguous(const struct shim_pmns_tree *pmns);
/*
 * List the names of @desc that belong to its metric in the tree, in the tree's order.  @desc may be
 * NULL.
 */
int shim_pmns_lookup__desc_names(const struct shim_pmns_tree *tree, const struct shim_desc *desc,
				 char ***out);

#endif /* SHIM_PCP_PMNS_H */
