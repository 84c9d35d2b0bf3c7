/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The name space that a program has loaded in place of its contexts' own. */
#ifndef SHIM_PCP_PMNS_LOADED_H
#define SHIM_PCP_PMNS_LOADED_H

#include "pmns_file.h"

/* NULL if none was asked for; PM_ERR_NOPMNS if it could not be loaded.  Given back by put(). */
int shim_pmns_loaded__get(struct shim_pmns_file **out);
void shim_pmns_loaded__put(struct shim_pmns_file *names);
/* Another one in place of the one that the caller has, which is given back */
void shim_pmns_loaded__replace(struct shim_pmns_file *old, struct shim_pmns_file *names);

#endif /* SHIM_PCP_PMNS_LOADED_H */
