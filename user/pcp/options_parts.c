// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Single options, for programs that do not read them from a command line, such as PCP's Python
 * binding and some of its tools; and related functions that these use.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>
#include <unistd.h>

#include <pcp/libpcp.h>

#include "base/api.h"
#include "options_sources.h"
#include "zone.h"

/**
 * __pmAddOptArchive() - add an archive, as "-a" does
 * @opts: the options; on error, @errors is incremented, and pmflush() prints the reason
 * @arg: the archive, copied
 */
SHIM_API void __pmAddOptArchive(pmOptions *opts, char *arg)
{
	shim_options_sources__archive(opts, arg);
}

/**
 * __pmAddOptArchiveList() - add archives, as "--archive-list" does
 * @opts: the options
 * @arg: comma-separated names, copied
 */
SHIM_API void __pmAddOptArchiveList(pmOptions *opts, char *arg)
{
	shim_options_sources__archives(opts, arg);
}

/**
 * __pmAddOptArchiveFolio() - add the archives of a folio, as "--archive-folio" does
 * @opts: the options
 * @arg: the folio's path
 */
SHIM_API void __pmAddOptArchiveFolio(pmOptions *opts, char *arg)
{
	shim_options_sources__folio(opts, arg);
}

/**
 * __pmAddOptArchivePath() - add the archives that PCP's logger writes on this machine
 * @opts: the options
 */
SHIM_API void __pmAddOptArchivePath(pmOptions *opts)
{
	shim_options_sources__local_archive(opts);
}

/**
 * __pmAddOptHost() - add a host, as "-h" does
 * @opts: the options
 * @arg: the host, copied
 */
SHIM_API void __pmAddOptHost(pmOptions *opts, char *arg)
{
	shim_options_sources__host(opts, arg);
}

/**
 * __pmAddOptHostList() - add hosts, as "--host-list" does
 * @opts: the options
 * @arg: comma-separated names, copied
 */
SHIM_API void __pmAddOptHostList(pmOptions *opts, char *arg)
{
	shim_options_sources__hosts(opts, arg);
}

/**
 * __pmAddOptContainer() - set the container, as "--container" does
 * @opts: not used
 * @arg: its name, stored in the environment variable PCP_CONTAINER
 */
SHIM_API void __pmAddOptContainer(pmOptions *opts, char *arg)
{
	shim_options__container(opts, arg);
}

/**
 * __pmSetLocalContextFlag() - request a local context
 * @opts: the options
 *
 * Unlike "-L", this only sets the flag.  It is an error if there is already a context and
 * PM_OPTFLAG_MULTI is not set.
 */
SHIM_API void __pmSetLocalContextFlag(pmOptions *opts)
{
	if (!opts->context || (opts->flags & PM_OPTFLAG_MULTI)) {
		opts->Lflag = 1;
		return;
	}
	pmprintf("%s: at most one of -a, -h and -L allowed\n", pmGetProgname());
	opts->errors++;
}

/**
 * __pmSetLocalContextTable() - change which agents a local context has, as "-K" does
 * @opts: the options
 * @arg: as for pmSpecLocalPMDA()
 */
SHIM_API void __pmSetLocalContextTable(pmOptions *opts, char *arg)
{
	shim_options__local_agent(opts, arg);
}

/**
 * __pmEndOptions() - check combinations of options, as pmGetOptions() does at its end
 * @opts: the options; nothing is done if they were already checked
 */
SHIM_API void __pmEndOptions(pmOptions *opts)
{
	shim_options__finish(opts);
}

/**
 * __pmMktime() - like mktime(3), in the reporting zone
 * @tm: the date, which is normalized
 *
 * Return: seconds since 1970 UTC; -1 if that is out of range.
 */
SHIM_API time_t __pmMktime(struct tm *tm)
{
	time_t t;

	return shim_zone__make(tm, &t) ? -1 : t;
}

/**
 * __pmServerStart() - continue as a daemon, in a child that leads its own session
 * @argc: not used
 * @argv: not used
 * @flags: 1 to close standard input
 *
 * The parent exits with status 0.  If no child can be created, the caller continues itself.
 */
SHIM_API void __pmServerStart(int argc, char **argv, int flags)
{
	static const int job_control[] = { SIGTTOU, SIGTTIN, SIGTSTP };
	pid_t child;

	(void)argc;
	(void)argv;
	fflush(stdout);
	fflush(stderr);
	for (size_t i = 0; i < sizeof(job_control) / sizeof(job_control[0]); i++)
		signal(job_control[i], SIG_IGN);
	child = fork();
	if (child > 0) {
		fclose(stderr);
		exit(0);
	}
	if (child < 0)
		pmNotifyErr(LOG_ERR, "__pmServerStart: fork");
	if (setsid() < 0)
		pmNotifyErr(LOG_WARNING, "__pmServerStart: setsid");
	if (flags & 1)
		close(STDIN_FILENO);
}
