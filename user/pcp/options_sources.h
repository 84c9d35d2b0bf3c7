/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hosts and archives in a program's options. */
#ifndef SHIM_PCP_OPTIONS_SOURCES_H
#define SHIM_PCP_OPTIONS_SOURCES_H

#include <stdbool.h>

#include <pcp/pmapi.h>

void shim_options__usage_error(pmOptions *opts);
void shim_options__runtime_error(pmOptions *opts);

/* Functions in options.c: set single options, and check them when all options are known */
void shim_options__local_agent(pmOptions *opts, char *arg);
void shim_options__container(pmOptions *opts, char *arg);
void shim_options__finish(pmOptions *opts);

void shim_options_sources__host(pmOptions *opts, char *arg);
void shim_options_sources__hosts(pmOptions *opts, char *arg);	/* comma-separated */
void shim_options_sources__hosts_file(pmOptions *opts, char *arg);
void shim_options_sources__archive(pmOptions *opts, char *arg);
void shim_options_sources__archives(pmOptions *opts, char *arg);
void shim_options_sources__folio(pmOptions *opts, char *arg);
/* Add the archive that PCP's logger writes on this machine. */
void shim_options_sources__local_archive(pmOptions *opts);

/* pmOptions for a program of PMAPI version 3, which uses the times at the end */
struct shim_options3 {
	pmOptions opts;
	struct timespec start, finish, origin, interval;
};

_Static_assert(sizeof(struct timeval) == sizeof(struct timespec),
	       "pmOptions has the same layout in versions 2 and 4");

/* struct shim_options_times - the location of the times in a program of version 3 or 4 */
struct shim_options_times {
	struct timespec *start, *finish, *origin, *interval;
};

/* Return false if the program is of version 2, whose times are struct timeval. */
static inline bool shim_options__times(pmOptions *opts, struct shim_options_times *times)
{
	struct shim_options3 *v3 = (struct shim_options3 *)opts;

	if (opts->version < PMAPI_VERSION_3)
		return false;
	if (opts->version == PMAPI_VERSION_3) {
		*times = (struct shim_options_times){ &v3->start, &v3->finish, &v3->origin,
						      &v3->interval };
		return true;
	}
	*times = (struct shim_options_times){ (struct timespec *)&opts->start,
					      (struct timespec *)&opts->finish,
					      (struct timespec *)&opts->origin,
					      (struct timespec *)&opts->interval };
	return true;
}

#endif /* SHIM_PCP_OPTIONS_SOURCES_H */
