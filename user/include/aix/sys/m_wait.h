/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AIX programs include this for the macros of wait() statuses, all of which are in <sys/wait.h>. */
#ifndef SHIM_AIX_SYS_M_WAIT_H
#define SHIM_AIX_SYS_M_WAIT_H

#include <sys/wait.h>

#endif /* SHIM_AIX_SYS_M_WAIT_H */
