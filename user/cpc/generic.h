/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libcpc's generic events: the same name on every machine that can count it. */
#ifndef SHIM_CPC_GENERIC_H
#define SHIM_CPC_GENERIC_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/vcpc.h>

bool shim_generic__is(const char *name);
bool shim_generic__pack(const char *name, struct vcpc_request *packed);
const char *shim_generic__at(size_t i, struct vcpc_request *packed);

#endif /* SHIM_CPC_GENERIC_H */
