/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The name space that a program has loaded in place of its contexts' own. */
#ifndef SHIM_PCP_PMNS_LOADED_H
#define SHIM_PCP_PMNS_LOADED_H

#include "pmns_file.h"

/*
 * The loaded name space, for put(); NULL if none was asked for.  Returns 0, or PM_ERR_NOPMNS if
 * loading it failed.
 */
int shim_pmns_loaded__get(struct shim_pmns_file **out);
void shim_pmns_loaded__put(struct shim_pmns_file *names);
/* Load @names, which is taken over, in place of @old if that still is loaded; then put() @old */
void shim_pmns_loaded__replace(struct shim_pmns_file *old, struct shim_pmns_file *names);

#endif /* SHIM_PCP_PMNS_LOADED_H */
