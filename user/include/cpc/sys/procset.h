/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Included by Solaris programs for the id types of processor_bind(); everything is in solaris.h. */
#ifndef SHIM_SYS_PROCSET_H
#define SHIM_SYS_PROCSET_H

#include "../solaris.h"

#endif /* SHIM_SYS_PROCSET_H */
