/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Look up event names and encodings in libpfm4. */
#ifndef SHIM_CORE_PFM_H
#define SHIM_CORE_PFM_H

#include <linux/vcpc.h>

int shim_pfm__encode(const char *name, struct vcpc_request *out);
int shim_pfm__walk(int (*fn)(void *arg, const char *name, const char *desc), void *arg);
int shim_pfm__cpu(const char **name);

#endif /* SHIM_CORE_PFM_H */
