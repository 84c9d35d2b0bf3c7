/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solaris programs include this for thread numbers; everything is in solaris.h. */
#ifndef SHIM_SYS_LWP_H
#define SHIM_SYS_LWP_H

#include "../solaris.h"

#endif /* SHIM_SYS_LWP_H */
