// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The standard options of PCP's tools, from the environment and from a command line.  Each has a
 * row in a table; an option without a row is returned to the caller.
 */
#define _GNU_SOURCE	/* for environ */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/process.h"
#include "options_sources.h"
#include "pmapi_v4.h"

static void set_align(pmOptions *opts, char *arg)
{
	opts->align_optarg = arg;
}

static void set_start(pmOptions *opts, char *arg)
{
	opts->start_optarg = arg;
}

static void set_finish(pmOptions *opts, char *arg)
{
	opts->finish_optarg = arg;
}

static void set_origin(pmOptions *opts, char *arg)
{
	opts->origin_optarg = arg;
}

static void set_debug(pmOptions *opts, char *arg)
{
	if (!pmSetDebug(arg))
		return;
	pmprintf("%s: unrecognized debug options specification (%s)\n", pmGetProgname(), arg);
	shim_options__usage_error(opts);
}

static void only_one(pmOptions *opts, const char *options)
{
	pmprintf("%s: at most one of %s allowed\n", pmGetProgname(), options);
	shim_options__usage_error(opts);
}

static void set_guimode(pmOptions *opts, char *arg)
{
	(void)arg;
	if (opts->guiport_optarg)
		only_one(opts, "-g and -p");
	else
		opts->guiflag = 1;
}

static void set_guiport(pmOptions *opts, char *arg)
{
	char *end;
	long port;

	if (opts->guiflag) {
		only_one(opts, "-g and -p");
		return;
	}
	opts->guiport_optarg = arg;
	port = strtol(arg, &end, 10);
	opts->guiport = *end || (int)port < 0 ? 0 : (int)port;
}

static void set_samples(pmOptions *opts, char *arg)
{
	char *end;

	opts->samples = (int)strtol(arg, &end, 10);
	if (!*end && opts->samples >= 0)
		return;
	pmprintf("%s: -s requires a positive numeric argument\n", pmGetProgname());
	shim_options__usage_error(opts);
}

static void set_interval(pmOptions *opts, char *arg)
{
	struct shim_options_times times;
	bool highres = shim_options__times(opts, &times);
	char *error;

	if (!(highres ? pmParseHighResInterval(arg, times.interval, &error) :
			pmParseInterval(arg, &opts->interval, &error)))
		return;
	pmprintf("%s: -t argument not in %s(3) format:\n%s\n", pmGetProgname(),
		 opts->version == PMAPI_VERSION_3 ? "pmParseHighResInterval" : "pmParseInterval",
		 error ? error : "");
	free(error);
	shim_options__usage_error(opts);
}

static void set_timezone(pmOptions *opts, char *arg)
{
	if (opts->tzflag)
		only_one(opts, "-Z and -z");
	else
		opts->timezone = arg;
}

static void set_hostzone(pmOptions *opts, char *arg)
{
	(void)arg;
	if (opts->timezone)
		only_one(opts, "-Z and -z");
	else
		opts->tzflag = 1;
}

static void set_local(pmOptions *opts, char *arg)
{
	(void)arg;
	opts->context = PM_CONTEXT_LOCAL;
	opts->Lflag = 1;
}

void shim_options__local_agent(pmOptions *opts, char *arg)
{
	const char *error = pmSpecLocalPMDA(arg);

	if (!error)
		return;
	pmprintf("%s: pmSpecLocalPMDA failed: %s\n", pmGetProgname(), error);
	shim_options__usage_error(opts);
}

static void note_names(pmOptions *opts, const char *file, int code)
{
	char text[PM_MAXERRMSGLEN];

	if (code >= 0) {
		opts->nsflag = 1;
		return;
	}
	pmprintf("%s: Cannot load namespace from \"%s\": %s\n", pmGetProgname(), file,
		 pmErrStr_r(code, text, sizeof(text)));
	shim_options__runtime_error(opts);
}

static void load_names(pmOptions *opts, char *arg)
{
	note_names(opts, arg, pmLoadASCIINameSpace(arg, 1));
}

static void load_unique_names(pmOptions *opts, char *arg)
{
	note_names(opts, arg, pmLoadASCIINameSpace(arg, 0));
}

static void set_derived(pmOptions *opts, char *arg)
{
	char text[PM_MAXERRMSGLEN];
	int code = pmLoadDerivedConfig(arg);

	if (code >= 0)
		return;
	pmprintf("%s: pmLoadDerivedConfig failed: %s\n", pmGetProgname(),
		 pmErrStr_r(code, text, sizeof(text)));
	shim_options__usage_error(opts);
}

/*
 * Set the variable PCP_CONTAINER, which contexts read when they connect to a host; other contexts
 * do not use it.
 */
void shim_options__container(pmOptions *opts, char *arg)
{
	if (setenv("PCP_CONTAINER", arg ? arg : "", 1))
		shim_options__runtime_error(opts);
}

static void show_version(pmOptions *opts, char *arg)
{
	(void)arg;
	pmprintf("%s version %s\n", pmGetProgname(), pmGetAPIConfig("pcp_version"));
	opts->flags |= PM_OPTFLAG_EXIT;
}

static void show_help(pmOptions *opts, char *arg)
{
	(void)arg;
	shim_options__usage_error(opts);
}

static const struct {
	int option;		/* 0 if there is only a long name */
	const char *name;
	const char *variable;	/* environment variable, or NULL */
	void (*set)(pmOptions *opts, char *arg);
} standard[] = {
	{ 'A', PMLONGOPT_ALIGN, "PCP_ALIGN_TIME", set_align },
	{ 'a', PMLONGOPT_ARCHIVE, "PCP_ARCHIVE", shim_options_sources__archive },
	{ 0, PMLONGOPT_ARCHIVE_LIST, "PCP_ARCHIVE_LIST", shim_options_sources__archives },
	{ 0, PMLONGOPT_ARCHIVE_FOLIO, "PCP_FOLIO", shim_options_sources__folio },
	{ 'D', PMLONGOPT_DEBUG, "PCP_DEBUG", set_debug },
	{ 'g', PMLONGOPT_GUIMODE, "PCP_GUIMODE", set_guimode },
	{ 'h', PMLONGOPT_HOST, "PCP_HOST", shim_options_sources__host },
	{ 0, PMLONGOPT_HOST_LIST, "PCP_HOST_LIST", shim_options_sources__hosts },
	{ 'H', PMLONGOPT_HOSTSFILE, NULL, shim_options_sources__hosts_file },
	{ 'K', PMLONGOPT_SPECLOCAL, "PCP_SPECLOCAL", shim_options__local_agent },
	{ 'L', PMLONGOPT_LOCALPMDA, "PCP_LOCALPMDA", set_local },
	{ 'L', PMLONGOPT_LOCALPMDA, "PCP_LOCALMODE", set_local },
	{ 'n', PMLONGOPT_NAMESPACE, "PCP_NAMESPACE", load_names },
	{ 'N', PMLONGOPT_UNIQNAMES, "PCP_UNIQNAMES", load_unique_names },
	{ 'O', PMLONGOPT_ORIGIN, "PCP_ORIGIN_TIME", set_origin },
	{ 'O', PMLONGOPT_ORIGIN, "PCP_ORIGIN", set_origin },
	{ 'p', PMLONGOPT_GUIPORT, "PCP_GUIPORT", set_guiport },
	{ 'S', PMLONGOPT_START, "PCP_START_TIME", set_start },
	{ 's', PMLONGOPT_SAMPLES, "PCP_SAMPLES", set_samples },
	{ 'T', PMLONGOPT_FINISH, "PCP_FINISH_TIME", set_finish },
	{ 't', PMLONGOPT_INTERVAL, "PCP_INTERVAL", set_interval },
	{ 'z', PMLONGOPT_HOSTZONE, "PCP_HOSTZONE", set_hostzone },
	{ 'Z', PMLONGOPT_TIMEZONE, "PCP_TIMEZONE", set_timezone },
	{ 'V', PMLONGOPT_VERSION, NULL, show_version },
	{ 0, PMLONGOPT_CONTAINER, NULL, shim_options__container },
	{ 0, PMLONGOPT_DERIVED, NULL, set_derived },
	{ '?', PMLONGOPT_HELP, NULL, show_help },
};

#define STANDARD (sizeof(standard) / sizeof(standard[0]))

/*
 * Apply the options in the environment in order.  If two variables set one option, the last one
 * wins.
 */
static void take_environment(pmOptions *opts)
{
	for (char **entry = environ; entry && *entry; entry++)
		for (size_t i = 0; i < STANDARD; i++) {
			const char *name = standard[i].variable;
			size_t len = name ? strlen(name) : 0;

			if (name && !strncmp(*entry, name, len) && (*entry)[len] == '=' &&
			    shim_environ__get(name))
				standard[i].set(opts, *entry + len + 1);
		}
}

static void options_begin(char *const *argv, pmOptions *opts)
{
	if (opts->flags & PM_OPTFLAG_INIT)
		return;
	opts->flags |= PM_OPTFLAG_INIT;
	if (!opts->version)
		opts->version = PMAPI_VERSION_2;
	if (argv && argv[0])
		pmSetProgname(argv[0]);
	take_environment(opts);
}

/*
 * Return whether an option is the standard option in a row.  A long option without a character is
 * recognized by its name.
 */
static bool is_standard(const pmOptions *opts, int option, size_t row)
{
	if (option)
		return standard[row].option == option;
	return !standard[row].option &&
	       !strcmp(standard[row].name, opts->long_options[opts->index].long_opt);
}

static bool take_standard(pmOptions *opts, int option)
{
	for (size_t i = 0; i < STANDARD; i++) {
		if (!is_standard(opts, option, i))
			continue;
		standard[i].set(opts, opts->optarg);
		return true;
	}
	return false;
}

static bool wants_archive(const pmOptions *opts)
{
	return opts->align_optarg || opts->start_optarg || opts->origin_optarg;
}

static void set_context(pmOptions *opts)
{
	if (opts->Lflag)
		opts->context = PM_CONTEXT_LOCAL;
	else if (opts->nhosts && opts->narchives)
		opts->context = 0;
	else if (opts->nhosts)
		opts->context = PM_CONTEXT_HOST;
	else if (opts->narchives)
		opts->context = PM_CONTEXT_ARCHIVE;
}

/* Set defaults and check combinations after all options are known. */
void shim_options__finish(pmOptions *opts)
{
	if (opts->flags & PM_OPTFLAG_DONE)
		return;
	opts->flags |= PM_OPTFLAG_DONE;
	if (opts->origin_optarg && !opts->nhosts && !opts->narchives && !opts->Lflag)
		shim_options_sources__local_archive(opts);
	set_context(opts);
	if (wants_archive(opts) && (!opts->narchives || opts->nhosts || opts->Lflag)) {
		pmprintf("%s: time window options are supported for archives only\n",
			 pmGetProgname());
		shim_options__usage_error(opts);
	}
	if (opts->tzflag && (opts->Lflag || (!opts->nhosts && !opts->narchives))) {
		pmprintf("%s: use of timezone from metric source requires a source\n",
			 pmGetProgname());
		shim_options__usage_error(opts);
	}
	if (opts->errors && !(opts->flags & PM_OPTFLAG_RUNTIME_ERR))
		opts->flags |= PM_OPTFLAG_USAGE_ERR;
}

/**
 * pmGetOptions() - get the next non-standard option of a command line
 * @argc: number of arguments
 * @argv: the arguments; non-option arguments are moved to the end
 * @opts: the known options, and the results; zeroed by the caller, except for the fields that the
 *	caller sets.  Free the results with pmFreeOptions()
 *
 * Standard options are also read from environment variables.
 *
 * Return: the option's character, 0 for a long option that has none, -1 at the end, after which
 * @errors is the number of errors.
 */
SHIM_API int pmGetOptions(int argc, char *const *argv, pmOptions *opts)
{
	int option;

	options_begin(argv, opts);
	if (!(opts->flags & PM_OPTFLAG_ENV_ONLY) && opts->short_options) {
		while ((option = pmgetopt_r(argc, argv, opts)) != -1) {
			if (opts->override && opts->override(option, opts))
				return option;
			if (!take_standard(opts, option))
				return option;
		}
	}
	shim_options__finish(opts);
	return -1;
}

/**
 * pmGetOptions_v4() - pmGetOptions() of PMAPI version 4
 * @argc: number of arguments
 * @argv: the arguments
 * @opts: the known options, with struct timespec instead of struct timeval
 *
 * Return: as for pmGetOptions().
 */
SHIM_API int pmGetOptions_v4(int argc, char *const *argv, pmOptions *opts)
{
	opts->version = PMAPI_VERSION_4;
	return pmGetOptions(argc, argv, opts);
}
