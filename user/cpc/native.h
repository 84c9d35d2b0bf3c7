/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Event names of the processors that Solaris ran on, as programs spell them out. */
#ifndef SHIM_CPC_NATIVE_H
#define SHIM_CPC_NATIVE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/vcpc.h>

bool shim_native__pack(const char *name, struct vcpc_request *packed);
const char *shim_native__at(size_t i);
bool shim_native__are_listed(void);

#endif /* SHIM_CPC_NATIVE_H */
