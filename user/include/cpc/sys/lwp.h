/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where programs for Solaris look for the number of a thread; all of it is in solaris.h. */
#ifndef SHIM_SYS_LWP_H
#define SHIM_SYS_LWP_H

#include "../solaris.h"

#endif /* SHIM_SYS_LWP_H */
