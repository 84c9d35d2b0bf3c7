/* SPDX-License-Identifier: GPL-2.0 */
/*
 * __uninitialized: a variable that the compiler need not clear first, in kernels
 * that clear all (CONFIG_INIT_STACK_ALL_ZERO).  New in Linux 6.14, and taken
 * into some of the stable releases before it.
 */
#ifndef VCPC_COMPAT_UNINITIALIZED_H
#define VCPC_COMPAT_UNINITIALIZED_H

#include <linux/compiler_attributes.h>

#ifndef __uninitialized
#define __uninitialized
#endif

#endif
