/* SPDX-License-Identifier: GPL-2.0 */
/* VCPC_CLONE_FLAGS: the type of the clone flags that task_newtask reports */
#ifndef VCPC_COMPAT_CLONE_FLAGS_H
#define VCPC_COMPAT_CLONE_FLAGS_H

#include <linux/types.h>

#include "compat/have.h"

#ifdef HAVE_NEWTASK_U64
#define VCPC_CLONE_FLAGS	u64
#else
#define VCPC_CLONE_FLAGS	unsigned long
#endif

#endif
