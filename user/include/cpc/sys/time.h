/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C library's <sys/time.h>, with hrtime_t and gethrtime() as on Solaris */
#ifdef __GNUC__
#pragma GCC system_header
#endif
#include_next <sys/time.h>

#ifndef SHIM_SYS_TIME_H
#define SHIM_SYS_TIME_H

#include "../hrtime.h"

#endif /* SHIM_SYS_TIME_H */
