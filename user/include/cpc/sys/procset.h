/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Solaris programs include this for the ID types of processor_bind(); everything is in solaris.h.
 */
#ifndef SHIM_SYS_PROCSET_H
#define SHIM_SYS_PROCSET_H

#include "../solaris.h"

#endif /* SHIM_SYS_PROCSET_H */
