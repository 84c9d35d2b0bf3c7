/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A request's attributes. */
#ifndef SHIM_CPC_ATTR_H
#define SHIM_CPC_ATTR_H

#include <linux/vcpc.h>
#include <stdbool.h>
#include <stddef.h>

#include "impl.h"

int shim_attr__check(cpc_t *cpc, uint_t nattrs, const cpc_attr_t *attrs, int *picnum);
int shim_attr__pack(const cpc_t *cpc, const struct cpc_request *req, struct vcpc_request *packed);
const char *shim_attr__at(const cpc_t *cpc, size_t i);

/*
 * Map libcpc's generic event names, which are the same on every machine that can count the events.
 */

bool shim_generic__is(const char *name);
bool shim_generic__pack(const char *name, struct vcpc_request *packed);
const char *shim_generic__at(size_t i, struct vcpc_request *packed);

/* Map event names of the processors on which Solaris ran, in the spelling that programs use. */

bool shim_native__pack(const char *name, struct vcpc_request *packed);
const char *shim_native__at(size_t i);
bool shim_native__are_listed(void);

#endif /* SHIM_CPC_ATTR_H */
