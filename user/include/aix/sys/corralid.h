/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ID of a workload partition. On Linux there is one, the whole system, with ID 0. */
#ifndef SHIM_AIX_SYS_CORRALID_H
#define SHIM_AIX_SYS_CORRALID_H

typedef unsigned short cid_t;

#endif /* SHIM_AIX_SYS_CORRALID_H */
