/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_SETFD_H
#define VCPC_SETFD_H

#include <linux/compiler.h>

struct vcpc_user;

int vcpc_setfd_create(struct vcpc_user *user, void __user *uarg);

#endif
