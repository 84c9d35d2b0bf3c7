/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vcpc_assign_str(): copy a string into a trace event.  Linux 6.10 took the
 * source away from __assign_str(), because __string() has told it already.
 */
#ifndef VCPC_COMPAT_ASSIGN_STR_H
#define VCPC_COMPAT_ASSIGN_STR_H

#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define vcpc_assign_str(field, source)	__assign_str(field)
#else
#define vcpc_assign_str(field, source)	__assign_str(field, source)
#endif

#endif
