/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hosts and archives that a program's options name. */
#ifndef SHIM_PCP_OPTIONS_SOURCES_H
#define SHIM_PCP_OPTIONS_SOURCES_H

#include <pcp/pmapi.h>

void shim_options__usage_error(pmOptions *opts);
void shim_options__runtime_error(pmOptions *opts);

/* options.c: single options, and what is checked when all are known */
void shim_options__local_agent(pmOptions *opts, char *arg);
void shim_options__container(pmOptions *opts, char *arg);
void shim_options__finish(pmOptions *opts);

void shim_options_sources__host(pmOptions *opts, char *arg);
void shim_options_sources__hosts(pmOptions *opts, char *arg);	/* with commas between them */
void shim_options_sources__hosts_file(pmOptions *opts, char *arg);
void shim_options_sources__archive(pmOptions *opts, char *arg);
void shim_options_sources__archives(pmOptions *opts, char *arg);
void shim_options_sources__folio(pmOptions *opts, char *arg);
/* The archive that PCP's logger writes on this machine */
void shim_options_sources__local_archive(pmOptions *opts);

/*
 * struct shim_options3 - pmOptions as a program of PMAPI version 3 has it
 * @start, @finish, @origin, @interval: used in place of those in @opts
 *
 * A program of version 2 has only @opts, so check its version before the other members are used.
 */
struct shim_options3 {
	pmOptions opts;
	struct timespec start, finish, origin, interval;
};

/* NULL if the program is of version 2 */
static inline struct shim_options3 *shim_options__v3(pmOptions *opts)
{
	return opts->version >= PMAPI_VERSION_3 ? (struct shim_options3 *)opts : NULL;
}

#endif /* SHIM_PCP_OPTIONS_SOURCES_H */
