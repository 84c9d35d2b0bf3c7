/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The number and kind of processors, as AIX programs query them */
#ifndef SHIM_AIX_SYS_SYSTEMCFG_H
#define SHIM_AIX_SYS_SYSTEMCFG_H

#include <unistd.h>

/* AIX defines no implementation or version for these processors, so both are 0. */
struct shim_system_configuration {
	int implementation;
	int version;
	int ncpus;
	int max_ncpus;
};

static inline struct shim_system_configuration shim_system_configuration_now(void)
{
	struct shim_system_configuration now = { 0, 0, 0, 0 };

	now.ncpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	now.max_ncpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	return now;
}

#define _system_configuration	(shim_system_configuration_now())

#endif /* SHIM_AIX_SYS_SYSTEMCFG_H */
