// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmdavcpc: a PMDA that provides the metrics of this machine's module, trace maps and CPUs to pmcd.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

#define DEFAULT_WINDOW	1.0	/* seconds */

static struct {
	const char *config;
	double window;
	bool names;
	bool trace;	/* serve PCP's own trace.*, whose domain is 10 */
} settings = { .window = DEFAULT_WINDOW };

static pmLongOptions long_options[] = {
	PMDA_OPTIONS_HEADER("Options"),
	PMOPT_DEBUG,
	PMDAOPT_DOMAIN,
	PMDAOPT_LOGFILE,
	PMDAOPT_USERNAME,
	{ "config", 1, 'c', "FILE", "configuration file with the events to count [default /etc/vcpc.conf, if it exists]" },
	{ "window", 1, 'T', "SECONDS", "read trace statistics at most once every SECONDS [default 1]" },
	{ "trace", 0, 't', 0, "also provide trace.* in domain 10, if pmdatrace is not installed" },
	{ "names", 0, 'N', 0, "print the name space and exit" },
	PMOPT_HELP,
	PMDA_OPTIONS_END
};

static pmdaOptions options = {
	.short_options = "D:c:d:l:NtT:U:?",
	.long_options = long_options,
};

static void usage(void)
{
	pmdaUsageMessage(&options);
	exit(1);
}

static void parse(int argc, char **argv, pmdaInterface *dispatch)
{
	char *end;
	int letter;

	while ((letter = pmdaGetOptions(argc, argv, &options, dispatch)) != EOF) {
		switch (letter) {
		case 'c':
			settings.config = options.optarg;
			break;
		case 'N':
			settings.names = true;
			break;
		case 't':
			settings.trace = true;
			break;
		case 'T':
			settings.window = strtod(options.optarg, &end);
			if (end == options.optarg || *end || !(settings.window >= 0) ||
			    settings.window > 86400)
				options.errors++;
			break;
		default:
			options.errors++;
		}
	}
	if (options.errors)
		usage();
}

static struct shim_machine *open_machine(void)
{
	struct shim_machine *machine;
	unsigned int line = 0;
	int ret = shim_machine__new(settings.config, &line, &machine);
	const char *path = settings.config ? settings.config : "/etc/vcpc.conf";

	if (!ret)
		return machine;
	if (line)
		fprintf(stderr, "pmdavcpc: %s: line %u: %s\n", path, line, strerror(-ret));
	else
		fprintf(stderr, "pmdavcpc: %s: %s\n", path, strerror(-ret));
	exit(1);
}

/*
 * The library allocates a buffer for each reply and frees it after sending.  Keep these buffers on
 * the heap, up to a maximum size: a fault for each page of a new mapping would take longer than
 * filling it.
 */
static void keep_buffers(void)
{
	mallopt(M_MMAP_THRESHOLD, 16 << 20);
	mallopt(M_TRIM_THRESHOLD, 16 << 20);
}

int main(int argc, char **argv)
{
	struct agent agent = { .number = SHIM_DOMAIN_VCPC };
	pmdaInterface dispatch;

	keep_buffers();
	pmSetProgname(argv[0]);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, (char *)pmGetProgname(), SHIM_DOMAIN_VCPC,
		   "vcpc.log", NULL);
	parse(argc, argv, &dispatch);
	if (settings.trace)
		dispatch.domain = agent.number = SHIM_DOMAIN_TRACE;
	agent.window_ns = settings.window * 1e9;
	agent.machine = open_machine();
	if (agent_tables(&agent)) {
		fprintf(stderr, "pmdavcpc: %s\n", strerror(ENOMEM));
		return 1;
	}
	if (settings.names)
		return agent_names(&agent) ? 1 : 0;
	pmdaOpenLog(&dispatch);
	if (options.username)
		pmSetProcessIdentity(options.username);
	pmdaConnect(&dispatch);
	agent_answers(&dispatch, &agent);
	if (dispatch.status)
		return 1;
	pmdaMain(&dispatch);
	return 0;
}
