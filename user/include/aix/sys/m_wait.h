/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where programs for AIX look for what a status of wait() means; all of it is in <sys/wait.h>. */
#ifndef SHIM_AIX_SYS_M_WAIT_H
#define SHIM_AIX_SYS_M_WAIT_H

#include <sys/wait.h>

#endif /* SHIM_AIX_SYS_M_WAIT_H */
