/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A request's attributes. */
#ifndef SHIM_CPC_ATTR_H
#define SHIM_CPC_ATTR_H

#include "impl.h"

int shim_attr__check(cpc_t *cpc, uint_t nattrs, const cpc_attr_t *attrs, int *picnum);
int shim_attr__pack(const cpc_t *cpc, const struct cpc_request *req, struct vcpc_request *packed);
const char *shim_attr__at(const cpc_t *cpc, size_t i);

#endif /* SHIM_CPC_ATTR_H */
