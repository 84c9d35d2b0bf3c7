/* SPDX-License-Identifier: GPL-2.0 */
/* vcpc_clone_flags_t: the type of clone flags in the probe of task_newtask */
#ifndef VCPC_COMPAT_CLONE_FLAGS_H
#define VCPC_COMPAT_CLONE_FLAGS_H

#include <linux/types.h>

#include "compat/have.h"

#ifdef HAVE_NEWTASK_U64
typedef u64 vcpc_clone_flags_t;
#else
typedef unsigned long vcpc_clone_flags_t;
#endif

#endif
