// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc why: explain where transactions spend their time. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "options.h"
#include "vcpc.h"
#include "why.h"

#define DEFAULT_TIME	10000000000ull
#define LEARN_TIME	1000000000ull	/* ns between searches for new processes */

enum {
	OPTION_ABOVE = 256,
	OPTION_FOLDED,
	OPTION_FOLDED_DIFF,
	OPTION_FOR,
	OPTION_NO_STACKS,
	OPTION_PROBES,
};

struct job {
	struct shim_why_options options;
	uint64_t duration;
	double percent;
	const char *tag;
	struct why_view view;
};

static int why_help(void)
{
	printf("Usage: vcpc why [TAG] [--above pNN] [-p PID] [--for TIME] [-j | --folded | --folded-diff]\n\n"
	       "Explains where transactions of TAG spend their time: on a CPU, waiting for a CPU, or\n"
	       "blocked, and in which system calls and stacks.  Compares slow transactions with all\n"
	       "transactions.  Without TAG, explains the tag with the longest total duration.  Requires\n"
	       "root and a kernel with BTF.  Tracing does not have to be on, except for functions of\n"
	       "programs without trace calls ('vcpc trace on --function').\n\n"
	       "      --above pNN     transactions above this percentile are slow (default: p99)\n"
	       "  -p, --pid PID       explain only transactions of this process\n"
	       "      --for TIME      watch for this long (default: 10s); Ctrl-C stops earlier\n"
	       "      --no-stacks     do not collect stacks, which cause most of the overhead\n"
	       "      --probes        use probes on libshim even if the vcpc module is loaded\n"
	       "  -j, --json          print one JSON object\n"
	       "      --folded        print the slow transactions' stacks for a flame graph\n"
	       "      --folded-diff   print stacks for a differential flame graph: each with its\n"
	       "                      nanoseconds per typical and per slow transaction\n");
	return 0;
}

/** why_fail_open() - print why shim_why_open() failed; return the exit status */
int why_fail_open(int err)
{
	if (err == -EOPNOTSUPP)
		return vcpc_fail(0, "this kernel has no BTF, which 'vcpc why' requires ('vcpc trace' works without it if the vcpc module is loaded)");
	if (err == -ESTALE)
		return vcpc_fail(0, "a file with traced functions was replaced or removed ('vcpc trace functions' lists them); turn tracing off and on again");
	if (err == -EINVAL)
		return vcpc_fail_tracing(err, "cannot watch transactions (this requires a kernel with CONFIG_SCHED_INFO)");
	return vcpc_fail_tracing(err, "cannot watch transactions");
}

/* Return whether the process that is watched does not exist. */
static bool is_absent(const struct job *job)
{
	return job->options.pid && kill(job->options.pid, 0) && errno == ESRCH;
}

/*
 * Wait until the time is over, the process of -p has ended, or SIGINT or SIGTERM arrives.  Return 0,
 * or an exit status after printing a message.
 */
static int why_watch(const struct job *job)
{
	uint64_t left = job->duration, step;
	struct timespec time;
	sigset_t ends;
	int err = 0;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	for (; left && !err && !is_absent(job); left -= step) {
		step = left < LEARN_TIME ? left : LEARN_TIME;
		time = (struct timespec){ step / 1000000000, step % 1000000000 };
		if (sigtimedwait(&ends, NULL, &time) >= 0)
			break;
		if (job->view.symbols)
			err = why_learn(&job->view);
	}
	/* Programs of other users can delay the output, so the next signal ends this program. */
	sigprocmask(SIG_UNBLOCK, &ends, NULL);
	return err ? vcpc_fail(err, "cannot read the stacks") : 0;
}

/*
 * Return whether a tag is the requested one, on the first, second or third try: the caller's tag
 * with this name, the tag with this label, another user's tag with this name.
 */
static bool is_chosen(const struct job *job, size_t i, int try)
{
	const struct shim_why_tag *tag = shim_why_tag_at(job->view.why, i);
	char label[WHY_LABEL];

	if (try == 1)
		return !strcmp(why_label(&job->view, i, label, sizeof(label)), job->tag);
	return (try || tag->user == getuid()) && !strcmp(tag->name, job->tag);
}

/* Find the requested tag.  Return 0, or an exit status after printing a message. */
static int tag_choose(struct job *job)
{
	struct why_view *view = &job->view;
	char label[WHY_LABEL];

	if (!view->ntags)
		return vcpc_fail(0, "no transaction began and ended while 'vcpc why' was watching (to watch longer, use --for TIME)");
	for (int try = 0; job->tag && try < 3; try++)
		for (view->at = 0; view->at < view->ntags; view->at++)
			if (is_chosen(job, view->at, try))
				return 0;
	if (view->at == view->ntags)
		return vcpc_fail(0, "no transaction of '%s' began and ended while 'vcpc why' was watching; '%s' had the longest total duration",
				 job->tag, why_label(view, 0, label, sizeof(label)));
	return 0;
}

static int job_print(struct job *job)
{
	int err = shim_why_tags_get(job->view.why, job->percent, &job->view.ntags);

	/* All processes with stacks existed before, so their mappings can be read now. */
	if (job->view.symbols)
		symbols_renew(job->view.symbols);
	if (err)
		return vcpc_fail(err, "cannot read the statistics");
	err = tag_choose(job);
	if (err) {
		why_print_drops(&job->view, stderr);
		return err;
	}
	if (job->view.json)
		return why_print_json(&job->view);
	return job->view.folded ? why_print_folded(&job->view) : why_print(&job->view);
}

/* Watch and print.  Return 0, or an exit status after printing a message. */
static int explain(struct job *job)
{
	int err;

	if (job->view.symbols && !shim_why_sampled_cpus(job->view.why))
		fprintf(stderr, "%s: threads cannot be sampled on this kernel, so only stacks of waits are collected\n",
			program_invocation_name);
	err = why_watch(job);
	return err ? err : job_print(job);
}

/* Symbols are opened first, so that they include programs that start while BPF programs load. */
static int why_run(struct job *job)
{
	bool stacks = job->options.flags & SHIM_WHY_F_STACKS;
	int err;

	if (is_absent(job))
		return vcpc_fail(ESRCH, "-p %u", job->options.pid);
	job->view.symbols = stacks ? symbols_open() : NULL;
	if (stacks && !job->view.symbols)
		return vcpc_fail(ENOMEM, "symbols");
	err = shim_why_open(&job->options, &job->view.why);
	if (err)
		err = why_fail_open(err);
	else
		err = explain(job);
	shim_why_close(job->view.why);
	symbols_close(job->view.symbols);
	return err;
}

static int take_percent(const char *text, struct job *job)
{
	const char *digits = *text == 'p' ? text + 1 : text;
	char *end;

	job->percent = strtod(digits, &end);
	job->view.above = digits;
	if (*digits >= '0' && *digits <= '9' && !*end && job->percent < 100)
		return 0;
	return vcpc_usage("--above: invalid percentile '%s' (below 100; examples: p99, p99.9)", text);
}

static int take_pid(const char *text, struct job *job)
{
	char *end;
	unsigned long pid = strtoul(text, &end, 10);

	job->options.pid = pid;
	if (*text >= '1' && *text <= '9' && !*end && pid <= 1u << 22)
		return 0;
	return vcpc_usage("-p: '%s' is not a process ID", text);
}

static int why_option(int letter, struct job *job)
{
	switch (letter) {
	case OPTION_ABOVE:
		return take_percent(optarg, job);
	case 'p':
		return take_pid(optarg, job);
	case OPTION_FOR:
		return vcpc_interval(optarg, &job->duration);
	case OPTION_NO_STACKS:
		job->options.flags &= ~SHIM_WHY_F_STACKS;
		return 0;
	case OPTION_PROBES:
		job->options.flags |= SHIM_WHY_F_PROBES;
		return 0;
	case 'j':
		job->view.json = true;
		return 0;
	case OPTION_FOLDED_DIFF:
		job->view.differential = true;
		/* fall through */
	case OPTION_FOLDED:
		job->view.folded = true;
		return 0;
	default:
		return vcpc_usage(NULL);
	}
}

/* Return 0, -1 for --help, or VCPC_EXIT_USAGE after printing a message. */
static int why_parse(int argc, char **argv, struct job *job)
{
	static const struct option longs[] = {
		{ "above", required_argument, NULL, OPTION_ABOVE },
		{ "folded", no_argument, NULL, OPTION_FOLDED },
		{ "folded-diff", no_argument, NULL, OPTION_FOLDED_DIFF },
		{ "for", required_argument, NULL, OPTION_FOR },
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ "no-stacks", no_argument, NULL, OPTION_NO_STACKS },
		{ "pid", required_argument, NULL, 'p' },
		{ "probes", no_argument, NULL, OPTION_PROBES },
		{ NULL, 0, NULL, 0 }
	};
	int letter;

	while ((letter = vcpc_getopt(argc, argv, "hjp:", longs)) != -1) {
		if (letter == 'h')
			return -1;
		if (why_option(letter, job))
			return VCPC_EXIT_USAGE;
	}
	job->tag = argv[optind];
	if (argc - optind > 1)
		return vcpc_usage("at most one TAG is allowed");
	if (job->view.json && job->view.folded)
		return vcpc_usage("--json and --folded are mutually exclusive");
	if (job->view.folded && !(job->options.flags & SHIM_WHY_F_STACKS))
		return vcpc_usage("--folded prints stacks, but --no-stacks collects none");
	return 0;
}

int vcpc_cmd_why(int argc, char **argv)
{
	struct job job = {
		.options = { .size = sizeof(job.options), .flags = SHIM_WHY_F_STACKS },
		.duration = DEFAULT_TIME, .percent = 99, .view.above = "99",
	};
	int ret = why_parse(argc, argv, &job);

	if (ret < 0)
		return why_help();
	return ret ? ret : why_run(&job);
}
