// SPDX-License-Identifier: GPL-2.0-or-later
/* Parse the options of vcpc record, and print their help text. */
#include <stdio.h>

#include "record_options.h"
#include "vcpc.h"

#define DEFAULT_INTERVAL	1000000000ULL
#define OPTION_MAX_SIZE		300
#define OPTION_WITH		301
#define OPTION_ROTATE		302
#define OPTION_KEEP		303
#define OPTION_COMPRESS		305
#define OPTION_TRACE		304
#define OPTION_WHY		306
#define OPTION_CHANGES		307

int record_help(void)
{
	printf("Usage: vcpc record [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	       "       vcpc record {-p PID | -t TID | -a | -C CPUS} [OPTION...] [COMMAND [ARGUMENT...]]\n\n"
	       "Runs COMMAND, counts events in it and in all processes that it starts, and records the\n"
	       "counts in a PCP archive, at each interval and at the end.  If tracing is on ('vcpc trace\n"
	       "on'), also records the machine's transactions.  Exits with COMMAND's exit status.\n"
	       "In the second form, records targets that are already running, each separately.\n\n"
	       "  -o, --output ARCHIVE   create ARCHIVE.meta, .index and .0, which must not exist\n"
	       "                         (default: COMMAND-DATE-TIME, in the current directory)\n"
	       "  -I, --interval TIME    record at this interval: 100 or 100ms, 2s, 1min (default: 1s)\n"
	       "  -e, --events LIST      count these events, separated by commas; can be repeated\n"
	       "                         (default: common events that exist here; none if nothing\n"
	       "                         can be counted and tracing is on)\n"
	       "      --max-size SIZE    stop recording when the archive reaches this size: 500K, 64M, 2G\n"
	       "      --rotate LIMIT     write archives into the directory ARCHIVE; start a new one when\n"
	       "                         one reaches LIMIT (64M, 1h); 'vcpc replay ARCHIVE' reads all\n"
	       "      --keep N           with --rotate: keep only the latest N archives\n"
	       "      --changes          omit values of transactions that have not changed\n"
	       "      --compress         compress each archive (xz) when it is complete\n"
	       "      --trace            if tracing is off, turn it on during the recording\n"
	       "      --why              also record where transactions spend their time, and write their\n"
	       "                         stacks to ARCHIVE.folded; see vcpc-why(1)\n"
	       "      --with NAMES       also record these metrics of this machine's pmcd: metrics or\n"
	       "                         groups of metrics, separated by commas\n\n"
	       VCPC_COUNTING_HELP);
	return 0;
}

static int parse_size(const char *text, double *size)
{
	return vcpc_parse_size(text, size) ? 0 :
	       vcpc_usage("--max-size: invalid size '%s' (example: 64M)", text);
}

static int own_option(int letter, void *arg)
{
	struct record_job *job = arg;

	if (letter == 'o')
		job->archive = optarg;
	else if (letter == OPTION_TRACE)
		job->trace = 1;
	else if (letter == OPTION_WHY)
		job->why = true;
	else if (letter == OPTION_CHANGES)
		job->changes = true;
	else if (letter == OPTION_COMPRESS)
		job->compress = true;
	else if (letter == OPTION_WITH)
		job->others = optarg;
	else if (letter == OPTION_MAX_SIZE)
		return parse_size(optarg, &job->max_size);
	else if (letter == OPTION_ROTATE)
		return vcpc_rotate_parse(&job->rotate, optarg);
	else if (letter == OPTION_KEEP)
		return vcpc_rotate_parse_keep(&job->rotate, optarg);
	else
		return -1;
	return 0;
}

static int check_rotation(const struct record_job *job)
{
	if (job->rotate.keep && !vcpc_rotate_wanted(&job->rotate))
		return vcpc_usage("--keep %u requires --rotate, for example --rotate 64M", job->rotate.keep);
	if (vcpc_rotate_wanted(&job->rotate) && job->max_size > 0)
		return vcpc_usage("--max-size and --rotate are mutually exclusive (to limit the disk space of --rotate, use --keep)");
	return 0;
}

int record_parse(int argc, char **argv, struct record_job *job)
{
	static const struct option names[] = {
		VCPC_COUNTING_LONG,
		{ "changes", no_argument, NULL, OPTION_CHANGES },
		{ "compress", no_argument, NULL, OPTION_COMPRESS },
		{ "keep", required_argument, NULL, OPTION_KEEP },
		{ "max-size", required_argument, NULL, OPTION_MAX_SIZE },
		{ "output", required_argument, NULL, 'o' },
		{ "rotate", required_argument, NULL, OPTION_ROTATE },
		{ "trace", no_argument, NULL, OPTION_TRACE },
		{ "why", no_argument, NULL, OPTION_WHY },
		{ "with", required_argument, NULL, OPTION_WITH },
		{ NULL, 0, NULL, 0 }
	};
	static const struct vcpc_counting_options options = {
		.letters = VCPC_COUNTING_SHORT "o:", .names = names, .own = own_option,
	};
	int ret;

	job->counting.interval = DEFAULT_INTERVAL;
	ret = vcpc_counting_parse(argc, argv, &options, &job->counting, job);
	if (!ret && !vcpc_rotate_wanted(&job->rotate))
		ret = record_name_check(job->archive);
	if (!ret)
		ret = check_rotation(job);
	if (!ret)
		ret = vcpc_counting_command(&job->counting);
	if (ret || job->archive)
		return ret;
	job->archive = job->chosen;
	return record_name_choose(job->chosen, job->counting.argv[0]);
}
