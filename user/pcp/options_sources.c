// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The hosts and archives in a program's options.  This file also defines calls that set single
 * options, for programs that do not read them from a command line, such as PCP's Python binding and
 * some of its tools.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/lines.h"
#include "config.h"
#include "options_sources.h"
#include "date.h"

#define ONE "host or archive"
#define KIND "of hosts or archives"

/* Count a usage error.  Usage errors are reported at the end if there was no runtime error. */
void shim_options__usage_error(pmOptions *opts)
{
	opts->errors++;
}

void shim_options__runtime_error(pmOptions *opts)
{
	opts->flags |= PM_OPTFLAG_RUNTIME_ERR;
	opts->errors++;
}

/* Take ownership of @name, which is NULL if memory ran out. */
static void source_append(pmOptions *opts, char ***list, int *n, char *name)
{
	char **grown = name ? realloc(*list, (size_t)(*n + 1) * sizeof(**list)) : NULL;

	if (!grown) {
		pmprintf("%s: %s\n", pmGetProgname(), strerror(ENOMEM));
		shim_options__runtime_error(opts);
		free(name);
		return;
	}
	*list = grown;
	grown[(*n)++] = name;
}

/*
 * Check whether hosts and archives are mixed: they exclude each other unless the program allows
 * both.
 */
static int is_mixed(pmOptions *opts, int others, const char *what)
{
	if (!others || (opts->flags & PM_OPTFLAG_MIXED))
		return 0;
	pmprintf("%s: only one %s allowed\n", pmGetProgname(), what);
	shim_options__usage_error(opts);
	return 1;
}

static void add_host(pmOptions *opts, const char *name)
{
	source_append(opts, &opts->hosts, &opts->nhosts, strdup(name));
}

static void add_named_host(pmOptions *opts, const char *name)
{
	if (*name)
		add_host(opts, name);
}

static void too_many_hosts(pmOptions *opts, const char *arg)
{
	pmprintf("%s: too many hosts requested: %s\n", pmGetProgname(), arg);
	shim_options__usage_error(opts);
}

void shim_options_sources__host(pmOptions *opts, char *arg)
{
	if (is_mixed(opts, opts->narchives, ONE))
		return;
	if (opts->nhosts && !(opts->flags & PM_OPTFLAG_MULTI))
		too_many_hosts(opts, arg);
	else
		add_host(opts, arg);
}

/* Call @add for each name in a comma-separated list.  A trailing comma adds no name. */
static void each_of(pmOptions *opts, const char *arg, void (*add)(pmOptions *, const char *))
{
	char *copy = strdup(arg), *rest = copy;

	while (rest && *rest)
		add(opts, strsep(&rest, ","));
	if (!copy)
		shim_options__runtime_error(opts);
	free(copy);
}

void shim_options_sources__hosts(pmOptions *opts, char *arg)
{
	if (is_mixed(opts, opts->narchives, KIND))
		return;
	each_of(opts, arg, add_named_host);
	if (opts->nhosts > 1 && !(opts->flags & PM_OPTFLAG_MULTI))
		too_many_hosts(opts, arg);
}

/* The first word of each line is the name of a host, and '#' starts a comment. */
/* If an error ended reading a file, report it. */
static void not_read(pmOptions *opts, const char *what, const char *name, int err)
{
	if (err >= 0)
		return;
	pmprintf("%s: cannot read %s %s: %s\n", pmGetProgname(), what, name, strerror(-err));
	shim_options__runtime_error(opts);
}

void shim_options_sources__hosts_file(pmOptions *opts, char *arg)
{
	char *line = NULL, *name, *rest;
	size_t room = 0;
	int more;
	FILE *f;

	if (is_mixed(opts, opts->narchives, KIND))
		return;
	f = fopen(arg, "re");
	if (!f) {
		pmprintf("%s: cannot open hosts file %s: %s\n", pmGetProgname(), arg,
			 strerror(errno));
		shim_options__runtime_error(opts);
		return;
	}
	while ((more = shim_lines__next(f, &line, &room)) > 0) {
		line[strcspn(line, "#")] = '\0';
		name = strtok_r(line, " \t\r\n", &rest);
		if (!name)
			continue;
		if (opts->nhosts && !(opts->flags & PM_OPTFLAG_MULTI)) {
			too_many_hosts(opts, arg);
			break;
		}
		add_host(opts, name);
	}
	not_read(opts, "hosts file", arg, more);
	free(line);
	fclose(f);
}

/*
 * Return whether a comma-separated list contains a name.  An empty name is found only at the start.
 */
static int is_in(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (;; list++) {
		if (!strncmp(list, name, len) && (!list[len] || list[len] == ','))
			return 1;
		list = len ? strchr(list, ',') : NULL;
		if (!list)
			return 0;
	}
}

/*
 * Add an archive once.  With PM_OPTFLAG_MULTI it is separate, otherwise it is joined with the
 * others.
 */
static void add_archive(pmOptions *opts, const char *name)
{
	int multi = opts->flags & PM_OPTFLAG_MULTI;
	char *joined;

	for (int i = 0; i < opts->narchives; i++)
		if (multi ? !strcmp(opts->archives[i], name) : is_in(opts->archives[i], name))
			return;
	if (!opts->narchives || multi) {
		source_append(opts, &opts->archives, &opts->narchives, strdup(name));
		return;
	}
	if (asprintf(&joined, "%s,%s", opts->archives[0], name) < 0) {
		shim_options__runtime_error(opts);
		return;
	}
	free(opts->archives[0]);
	opts->archives[0] = joined;
}

void shim_options_sources__archive(pmOptions *opts, char *arg)
{
	if (!is_mixed(opts, opts->nhosts, ONE))
		add_archive(opts, arg);
}

void shim_options_sources__archives(pmOptions *opts, char *arg)
{
	if (is_mixed(opts, opts->nhosts, KIND))
		return;
	if (opts->flags & PM_OPTFLAG_MULTI)
		each_of(opts, arg, add_archive);
	else
		add_archive(opts, arg);
}

/*
 * Parse "Archive: host base", where base is relative to the folio's directory.  Return 0, or -1 on
 * error.
 */
static int add_folio_line(pmOptions *opts, const char *folio, char *line, int number)
{
	static const char key[] = "Archive:";
	const char *slash = strrchr(folio, '/');
	char *host, *base, *path, *rest;

	if (strncmp(line, key, strlen(key)))
		return 0;
	strtok_r(line, " \t\r\n", &rest);
	host = strtok_r(NULL, " \t\r\n", &rest);
	base = strtok_r(NULL, " \t\r\n", &rest);
	if (!base) {
		pmprintf("%s: missing %s on archive folio line %d\n", pmGetProgname(),
			 host ? "path" : "host", number);
		return -1;
	}
	if (*base == '/') {
		add_archive(opts, base);
		return 0;
	}
	if (asprintf(&path, "%.*s/%s", slash ? (int)(slash - folio) : 1, slash ? folio : ".",
		     base) < 0)
		return -1;
	add_archive(opts, path);
	free(path);
	return 0;
}

/* Check the first two lines.  Return 0, or -1 after printing a message. */
static int check_folio(FILE *f, const char *name)
{
	char line[64];

	if (!fgets(line, sizeof(line), f))
		pmprintf("%s: archive folio %s has no header\n", pmGetProgname(), name);
	else if (strncmp(line, "PCPFolio", 8))
		pmprintf("%s: archive folio %s has bad magic\n", pmGetProgname(), name);
	else if (!fgets(line, sizeof(line), f))
		pmprintf("%s: archive folio %s has no version\n", pmGetProgname(), name);
	else if (strncmp(line, "Version: 1", 10))
		pmprintf("%s: unknown version archive folio %s\n", pmGetProgname(), name);
	else
		return 0;
	return -1;
}

void shim_options_sources__folio(pmOptions *opts, char *arg)
{
	char *line = NULL;
	size_t room = 0;
	int err, more = 0;
	FILE *f;

	if (is_mixed(opts, opts->nhosts, KIND))
		return;
	f = fopen(arg, "re");
	if (!f) {
		pmprintf("%s: cannot open archive folio %s: %s\n", pmGetProgname(), arg,
			 strerror(errno));
		shim_options__runtime_error(opts);
		return;
	}
	err = check_folio(f, arg);
	for (int number = 3; !err && (more = shim_lines__next(f, &line, &room)) > 0; number++)
		err = add_folio_line(opts, arg, line, number);
	if (err)
		shim_options__runtime_error(opts);
	not_read(opts, "archive folio", arg, more);
	free(line);
	fclose(f);
}

void shim_options_sources__local_archive(pmOptions *opts)
{
	char host[256], *path;
	const char *dir;
	int err = shim_config__get("PCP_LOG_DIR", &dir);

	if (err) {
		pmprintf("%s: cannot read pcp.conf: %s\n", pmGetProgname(), strerror(-err));
		shim_options__runtime_error(opts);
		return;
	}
	if (gethostname(host, sizeof(host)))
		strcpy(host, "localhost");
	host[sizeof(host) - 1] = '\0';
	if (asprintf(&path, "%s/pmlogger/%s", dir ? dir : "/var/log/pcp", host) < 0) {
		shim_options__runtime_error(opts);
		return;
	}
	add_archive(opts, path);
	free(path);
}

static void free_list(char ***list, int *n)
{
	for (int i = 0; i < *n; i++)
		free((*list)[i]);
	free(*list);
	*list = NULL;
	*n = 0;
}

/**
 * pmFreeOptions() - free the allocations of pmGetOptions()
 * @opts: the options
 */
SHIM_API void pmFreeOptions(pmOptions *opts)
{
	if (!opts)
		return;
	free_list(&opts->hosts, &opts->nhosts);
	free_list(&opts->archives, &opts->narchives);
}

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
 * @arg: the container's name, stored in the environment variable PCP_CONTAINER
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
 * __pmSetLocalContextTable() - change the agents of a local context, as "-K" does
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
 * The parent exits with status 0.  If no child can be created, the caller itself continues.
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
