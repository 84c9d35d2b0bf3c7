/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The part of <pcp/pmapi.h> that parses a program's arguments as PCP's tools do. Include
 * <pcp/pmapi.h>.
 */
#ifndef PCP_PMAPI_OPTIONS_H
#define PCP_PMAPI_OPTIONS_H

#include <pcp/pmapi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The options common to all tools, for short_options */
#define PMAPI_OPTIONS	"A:a:D:gh:n:O:p:S:s:T:t:VZ:z?"

/* For long_options: a heading in the usage message, a line of text, and the end */
#define PMAPI_OPTIONS_HEADER(s)	{ "", 0, '-', 0, (s) }
#define PMAPI_OPTIONS_TEXT(s)	{ "", 0, '|', 0, (s) }
#define PMAPI_OPTIONS_END	{ NULL, 0, 0, 0, NULL }

#define PMLONGOPT_ALIGN		"align"
#define PMLONGOPT_ARCHIVE	"archive"
#define PMLONGOPT_ARCHIVE_FOLIO	"archive-folio"
#define PMLONGOPT_ARCHIVE_LIST	"archive-list"
#define PMLONGOPT_CONTAINER	"container"
#define PMLONGOPT_DEBUG		"debug"
#define PMLONGOPT_DERIVED	"derived"
#define PMLONGOPT_FINISH	"finish"
#define PMLONGOPT_GUIMODE	"guimode"
#define PMLONGOPT_GUIPORT	"guiport"
#define PMLONGOPT_HELP		"help"
#define PMLONGOPT_HOST		"host"
#define PMLONGOPT_HOSTSFILE	"hostsfile"
#define PMLONGOPT_HOSTZONE	"hostzone"
#define PMLONGOPT_HOST_LIST	"host-list"
#define PMLONGOPT_INTERVAL	"interval"
#define PMLONGOPT_LOCALPMDA	"local-PMDA"
#define PMLONGOPT_NAMESPACE	"namespace"
#define PMLONGOPT_ORIGIN	"origin"
#define PMLONGOPT_SAMPLES	"samples"
#define PMLONGOPT_SPECLOCAL	"spec-local"
#define PMLONGOPT_START		"start"
#define PMLONGOPT_TIMEZONE	"timezone"
#define PMLONGOPT_UNIQNAMES	"uniqnames"
#define PMLONGOPT_VERSION	"version"

#define PMOPT_ALIGN	{ PMLONGOPT_ALIGN, 1, 'A', "TIME", \
			  "align sample times on natural boundaries" }
#if PMAPI_VERSION >= PMAPI_VERSION_4
#define PMOPT_ARCHIVE	{ PMLONGOPT_ARCHIVE, 1, 'a', "FILE", \
			  "metrics source is a PCP archive" }
#define PMOPT_DEBUG	{ PMLONGOPT_DEBUG, 1, 'D', "DBG", "set debug options, see pmdbg(1)" }
#else
#define PMOPT_ARCHIVE	{ PMLONGOPT_ARCHIVE, 1, 'a', "FILE", \
			  "metrics source is a PCP archive" }
#define PMOPT_DEBUG	{ PMLONGOPT_DEBUG, 1, 'D', "DBG", NULL }
#endif
#define PMOPT_GUIMODE	{ PMLONGOPT_GUIMODE, 0, 'g', 0, \
			  "start in GUI mode with new time control" }
#define PMOPT_HOST	{ PMLONGOPT_HOST, 1, 'h', "HOST", \
			  "metrics source is PMCD on host" }
#define PMOPT_HOSTSFILE	{ PMLONGOPT_HOSTSFILE, 1, 'H', "FILE", \
			  "read metric source hosts from a file" }
#define PMOPT_SPECLOCAL	{ PMLONGOPT_SPECLOCAL, 1, 'K', "SPEC", \
			  "optional additional PMDA spec for local connection" }
#define PMOPT_LOCALPMDA	{ PMLONGOPT_LOCALPMDA, 0, 'L', 0, \
			  "metrics source is local connection to a PMDA" }
#define PMOPT_NAMESPACE	{ PMLONGOPT_NAMESPACE, 1, 'n', "FILE", \
			  "use an alternative PMNS" }
#define PMOPT_UNIQNAMES	{ PMLONGOPT_UNIQNAMES, 1, 'N', "FILE", \
			  "like -n but only one name allowed for each PMID" }
#define PMOPT_ORIGIN	{ PMLONGOPT_ORIGIN, 1, 'O', "TIME", \
			  "initial sample time within the time window" }
#define PMOPT_GUIPORT	{ PMLONGOPT_GUIPORT, 1, 'p', "N", \
			  "port for connection to existing time control" }
#define PMOPT_START	{ PMLONGOPT_START, 1, 'S', "TIME", \
			  "start of the time window" }
#define PMOPT_SAMPLES	{ PMLONGOPT_SAMPLES, 1, 's', "N", \
			  "terminate after this many samples" }
#define PMOPT_FINISH	{ PMLONGOPT_FINISH, 1, 'T', "TIME", \
			  "end of the time window" }
#define PMOPT_INTERVAL	{ PMLONGOPT_INTERVAL, 1, 't', "DELTA", \
			  "sampling interval" }
#define PMOPT_VERSION	{ PMLONGOPT_VERSION, 0, 'V', 0, \
			  "display version number and exit" }
#define PMOPT_TIMEZONE	{ PMLONGOPT_TIMEZONE, 1, 'Z', "TZ", \
			  "set reporting timezone" }
#define PMOPT_HOSTZONE	{ PMLONGOPT_HOSTZONE, 0, 'z', 0, \
			  "set reporting timezone to local time of metrics source" }
#define PMOPT_HELP	{ PMLONGOPT_HELP, 0, '?', 0, \
			  "show this usage message and exit" }

#define PMOPT_ARCHIVE_LIST { PMLONGOPT_ARCHIVE_LIST, 1, 0, "FILES", \
			  "comma-separated list of metric source archives" }
#define PMOPT_ARCHIVE_FOLIO { PMLONGOPT_ARCHIVE_FOLIO, 1, 0, "FILE", \
			  "read metric source archives from a folio" }
#define PMOPT_HOST_LIST	{ PMLONGOPT_HOST_LIST, 1, 0, "HOSTS", \
			  "comma-separated list of metric source hosts" }
#define PMOPT_CONTAINER	{ PMLONGOPT_CONTAINER, 1, 0, "NAME", \
			  "specify an individual container to be queried" }
#define PMOPT_DERIVED	{ PMLONGOPT_DERIVED, 1, 0, "FILE", \
			  "load derived metric definitions from FILE(s)" }

#define PMAPI_GENERAL_OPTIONS	\
	PMAPI_OPTIONS_HEADER("General options"), \
	PMOPT_ALIGN, PMOPT_ARCHIVE, PMOPT_DEBUG, PMOPT_GUIMODE, PMOPT_HOST, PMOPT_NAMESPACE, \
	PMOPT_ORIGIN, PMOPT_GUIPORT, PMOPT_START, PMOPT_SAMPLES, PMOPT_FINISH, PMOPT_INTERVAL, \
	PMOPT_TIMEZONE, PMOPT_HOSTZONE, PMOPT_VERSION, PMOPT_HELP

/* pmOptions.flags: set by the library or by the caller */
#define PM_OPTFLAG_INIT		(1 << 0)
#define PM_OPTFLAG_DONE		(1 << 1)
#define PM_OPTFLAG_MULTI	(1 << 2)	/* several hosts, or several separate archives */
#define PM_OPTFLAG_USAGE_ERR	(1 << 3)	/* out: the arguments are wrong */
#define PM_OPTFLAG_RUNTIME_ERR	(1 << 4)	/* out: another error has occurred */
#define PM_OPTFLAG_EXIT		(1 << 5)	/* out: the program should exit successfully */
#define PM_OPTFLAG_POSIX	(1 << 6)	/* the first non-option argument ends the options */
#define PM_OPTFLAG_MIXED	(1 << 7)	/* allow both hosts and archives */
#define PM_OPTFLAG_ENV_ONLY	(1 << 8)	/* use only the environment, no arguments */
#define PM_OPTFLAG_LONG_ONLY	(1 << 9)	/* accept -option as --option */
#define PM_OPTFLAG_BOUNDARIES	(1 << 10)	/* always compute the window */
#define PM_OPTFLAG_STDOUT_TZ	(1 << 11)	/* print the time zone in use */
#define PM_OPTFLAG_NOFLUSH	(1 << 12)	/* the caller calls pmflush() */
#define PM_OPTFLAG_QUIET	(1 << 13)	/* do not print messages about wrong arguments */

/* has_arg: 0, 1, or 2 if the argument is optional; short_opt: a character, or 0 */
typedef struct pmLongOptions {
	const char *long_opt;
	int has_arg;
	int short_opt;
	const char *argname;
	const char *message;	/* for the usage message, or NULL */
} pmLongOptions;

/*
 * The members of pmOptions, with the types of override and of the times:
 *
 * @short_options, @long_options: in: the accepted options, as for getopt
 * @short_usage: in: first line of the usage message
 * @override: in: called first for each option; returns 1 if the caller has handled it
 * @index: index of a long option in @long_options
 * @errors: out: number of errors
 * @context, @nhosts, and so on: out: the values of the standard options; @context is PM_CONTEXT_x,
 *   or 0
 * @start, @finish, @origin, @interval: out: from pmGetContextOptions(); in version 3 these are the
 *	members at the end, if @version is set to 3
 * @tzflag: out: use the host's time zone
 * @nsflag: out: a name space was loaded
 */
#define __PM_OPTIONS_MEMBERS(override_type, time)	\
	int version;					\
	int flags;					\
	const char *short_options;			\
	pmLongOptions *long_options;			\
	const char *short_usage;			\
	override_type override;				\
	int index;					\
	int optind;					\
	int opterr;					\
	int optopt;					\
	char *optarg;					\
	int __initialized;				\
	char *__nextchar;				\
	int __ordering;					\
	int __posixly_correct;				\
	int __first_nonopt;				\
	int __last_nonopt;				\
	int errors;					\
	int context;					\
	int nhosts;					\
	int narchives;					\
	char **hosts;					\
	char **archives;				\
	time						\
	char *align_optarg;				\
	char *start_optarg;				\
	char *finish_optarg;				\
	char *origin_optarg;				\
	char *guiport_optarg;				\
	char *timezone;					\
	int samples;					\
	int guiport;					\
	int padding;					\
	unsigned int guiflag : 1;			\
	unsigned int tzflag : 1;			\
	unsigned int nsflag : 1;			\
	unsigned int Lflag : 1;				\
	unsigned int zeroes : 28;

#define __PM_OPTIONS_TIMES(type)	type start; type finish; type origin; type interval;

struct pmOptions;
typedef int (*pmOptionOverride)(int option, struct pmOptions *opts);

typedef struct pmOptions {
#if PMAPI_VERSION == PMAPI_VERSION_3
	__PM_OPTIONS_MEMBERS(pmOptionOverride, struct timeval unused[4];)
	__PM_OPTIONS_TIMES(struct timespec)
#else
	__PM_OPTIONS_MEMBERS(pmOptionOverride, __PM_OPTIONS_TIMES(__pmTime))
#endif
} pmOptions;

int pmgetopt_r(int argc, char *const *argv, pmOptions *opts);
int pmGetOptions(int argc, char *const *argv, pmOptions *opts) __PM_AS(pmGetOptions_v4);
int pmGetContextOptions(int ctx, pmOptions *opts) __PM_AS(pmGetContextOptions_v4);
void pmUsageMessage(pmOptions *opts);
void pmFreeOptions(pmOptions *opts);

#if PMAPI_VERSION >= PMAPI_VERSION_4

struct pmOptions_v2;
typedef int (*pmOptionOverride_v2)(int option, struct pmOptions_v2 *opts);

typedef struct pmOptions_v2 {
	__PM_OPTIONS_MEMBERS(pmOptionOverride_v2, __PM_OPTIONS_TIMES(struct timeval))
} pmOptions_v2;

int pmgetopt_r_v2(int argc, char *const *argv, pmOptions_v2 *opts) __PM_AS(pmgetopt_r);
int pmGetOptions_v2(int argc, char *const *argv, pmOptions_v2 *opts) __PM_AS(pmGetOptions);
int pmGetContextOptions_v2(int ctx, pmOptions_v2 *opts) __PM_AS(pmGetContextOptions);
void pmUsageMessage_v2(pmOptions_v2 *opts) __PM_AS(pmUsageMessage);
void pmFreeOptions_v2(pmOptions_v2 *opts) __PM_AS(pmFreeOptions);

#else

#define pmOptionOverride_v2	pmOptionOverride
#define pmOptions_v2		pmOptions
#define pmgetopt_r_v2		pmgetopt_r
#define pmGetOptions_v2		pmGetOptions
#define pmGetContextOptions_v2	pmGetContextOptions
#define pmUsageMessage_v2	pmUsageMessage
#define pmFreeOptions_v2	pmFreeOptions

#endif

#ifdef __cplusplus
}
#endif

#endif /* PCP_PMAPI_OPTIONS_H */
