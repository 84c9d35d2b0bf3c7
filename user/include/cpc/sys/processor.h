/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solaris programs include this for binding to processors; everything is in solaris.h. */
#ifndef SHIM_SYS_PROCESSOR_H
#define SHIM_SYS_PROCESSOR_H

#include "../solaris.h"

#endif /* SHIM_SYS_PROCESSOR_H */
