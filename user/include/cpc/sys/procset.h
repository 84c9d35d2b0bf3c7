/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where programs for Solaris look for whom processor_bind() means; all of it is in solaris.h. */
#ifndef SHIM_SYS_PROCSET_H
#define SHIM_SYS_PROCSET_H

#include "../solaris.h"

#endif /* SHIM_SYS_PROCSET_H */
