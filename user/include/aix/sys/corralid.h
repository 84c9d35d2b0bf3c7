/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The id of a workload partition: on Linux there is one, the whole system, 0. */
#ifndef SHIM_AIX_SYS_CORRALID_H
#define SHIM_AIX_SYS_CORRALID_H

typedef unsigned short cid_t;

#endif /* SHIM_AIX_SYS_CORRALID_H */
