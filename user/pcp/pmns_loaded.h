/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The name space that a program has loaded to replace those of its contexts. */
#ifndef SHIM_PCP_PMNS_LOADED_H
#define SHIM_PCP_PMNS_LOADED_H

#include "pmns_file.h"

/*
 * Get the loaded name space, to be released by put(); NULL if none was requested.  Returns 0, or
 * PM_ERR_NOPMNS if loading failed.
 */
int shim_pmns_loaded__get(struct shim_pmns_file **out);
void shim_pmns_loaded__put(struct shim_pmns_file *names);
/* Replace @old by @names if @old is still loaded, then put() @old.  Takes ownership of @names. */
void shim_pmns_loaded__replace(struct shim_pmns_file *old, struct shim_pmns_file *names);

#endif /* SHIM_PCP_PMNS_LOADED_H */
