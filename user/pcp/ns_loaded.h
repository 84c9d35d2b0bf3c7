/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The name space that a program has loaded in place of its contexts' own. */
#ifndef SHIM_PCP_NS_LOADED_H
#define SHIM_PCP_NS_LOADED_H

#include "ns_file.h"

/* NULL if none was asked for; PM_ERR_NOPMNS if it could not be loaded.  Given back by put(). */
int shim_loaded__get(struct shim_names **out);
void shim_loaded__put(struct shim_names *names);
/* Another one in place of the one that the caller has, which is given back */
void shim_loaded__replace(struct shim_names *old, struct shim_names *names);

#endif /* SHIM_PCP_NS_LOADED_H */
