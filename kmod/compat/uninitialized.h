/* SPDX-License-Identifier: GPL-2.0 */
/*
 * __uninitialized: exempts a variable from zeroing in kernels that zero all
 * variables (CONFIG_INIT_STACK_ALL_ZERO).  New in Linux 6.14, and backported to
 * some stable releases.
 */
#ifndef VCPC_COMPAT_UNINITIALIZED_H
#define VCPC_COMPAT_UNINITIALIZED_H

#include <linux/compiler_attributes.h>

#ifndef __uninitialized
#define __uninitialized
#endif

#endif
