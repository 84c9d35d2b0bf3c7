/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The type of a processor's number in AIX programs */
#ifndef SHIM_AIX_SYS_PROCESSOR_H
#define SHIM_AIX_SYS_PROCESSOR_H

typedef short cpu_t;

#define PROCESSOR_CLASS_ANY	((cpu_t)-1)

#endif /* SHIM_AIX_SYS_PROCESSOR_H */
