/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where programs for Solaris look for binding to processors; all of it is in solaris.h. */
#ifndef SHIM_SYS_PROCESSOR_H
#define SHIM_SYS_PROCESSOR_H

#include "../solaris.h"

#endif /* SHIM_SYS_PROCESSOR_H */
