/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processor sets of Solaris. Linux has none, so every processor and thread is in PS_NONE. */
#ifndef SHIM_SYS_PSET_H
#define SHIM_SYS_PSET_H

#include "../solaris.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int psetid_t;

#define PS_NONE		(-1)
#define PS_QUERY	(-2)
#define PS_MYID		(-3)

int pset_bind(psetid_t pset, idtype_t idtype, id_t id, psetid_t *opset);
int pset_assign(psetid_t pset, processorid_t cpu, psetid_t *opset);

#ifdef __cplusplus
}
#endif

#endif /* SHIM_SYS_PSET_H */
