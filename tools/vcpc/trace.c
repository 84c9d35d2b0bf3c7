// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc trace: turn the machine's tracing on and off, and show or export the results. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "options.h"
#include "trace.h"
#include "trace_export.h"
#include "vcpc.h"

#define DEFAULT_WATCH	1000000000ull
#define DEFAULT_DIRECT	1024
#define DEFAULT_RING	(1u << 20)
#define MOST		(1ul << 30)
#define DIRECT_MAP	"/sys/fs/bpf/vcpc/vc_direct"

static const char help_text[] =
	"Usage: vcpc trace on [--module | --probes] [--begins=kernel|user] [--processes]\n"
	"                     [--counts EVENT,...] [--events[=BYTES]] [--direct[=SLOTS]]\n"
	"                     [--max-tags N] [--max-open N]\n"
	"                     [--function BINARY:SYMBOL[=TAG]]... [-p PID] [--allow-unwind]\n"
	"                     [--usdt BINARY:PROVIDER:BEGIN,END[=TAG]]...\n"
	"       vcpc trace off\n"
	"       vcpc trace status\n"
	"       vcpc trace functions\n"
	"       vcpc trace show [--hist | -j] [-I INTERVAL] [--rounds N]\n"
	"       vcpc trace export [--format json|perfetto] [-o FILE] [--for TIME]\n"
	"\n"
	"Times the transactions of all programs that call pmtracebegin() and pmtraceend(),\n"
	"and counts their points, observations and counters, until tracing is turned off.\n"
	"With --function or --usdt, also times functions of programs that make no such calls.\n"
	"Requires root; the traced programs need no privilege.\n"
	"\n"
	"  --module      use the vcpc module only (default: probes if it is not loaded)\n"
	"  --probes      use probes on libshim only\n"
	"  --begins=kernel  read the clock in the kernel when a transaction begins (default with the\n"
	"                module)\n"
	"  --begins=user  read it in the program, which sends the time with the end; this costs less,\n"
	"                but omits transactions that have not ended (default with probes)\n"
	"  --processes   keep statistics by process, for 'vcpc top --by process'\n"
	"  --counts EVENT,...  make each traced thread count these events in its transactions\n"
	"  --events      record individual events, for 'export' (default size: 1 MiB)\n"
	"  --direct      allow programs to write their own statistics (SHIM_TRACE=direct)\n"
	"  --max-tags N  limit the number of tags with statistics\n"
	"  --max-open N  limit the number of open transactions that the kernel stores\n"
	"  --function BINARY:SYMBOL[=TAG]  make each call of this function a transaction; BINARY is a\n"
	"                path, a program in PATH, or a library such as libc.so.6\n"
	"  --usdt BINARY:PROVIDER:BEGIN,END[=TAG]  begin and end transactions at two static probes\n"
	"  -p PID        trace functions in this process only\n"
	"  --allow-unwind  trace functions of C++ and Rust programs; an exception (panic) that\n"
	"                propagates through such a function ends the program\n"
	"  --hist        also print the distribution of the durations\n"
	"  -j, --json    print one JSON object\n"
	"  -I, --interval TIME  print again at each interval, until interrupted or --rounds N times\n"
	"  --watch       same as --interval 1s\n"
	"  --format json  export in Chrome's trace event format, which Perfetto opens (default)\n"
	"  --format perfetto  export in Perfetto's own format, which takes a fifth of the space\n"
	"  -o FILE       export to FILE\n"
	"  --for TIME    also export events that occur within the next TIME\n"
	"\n"
	"bpftool can print the statistics: bpftool map dump pinned /sys/fs/bpf/vcpc/vc_stat\n";

/* Parse a number from 1 to 2^30, such as "123".  Return 0, or -1 for any other text. */
static int parse_number(const char *s, uint32_t *n)
{
	char *end;
	unsigned long number = strtoul(s, &end, 10);

	if (*s < '0' || *s > '9' || *end || !number || number > MOST)
		return -1;
	*n = number;
	return 0;
}

/* Parse a size such as "64K" or "1M". */
static int parse_size(const char *s, uint32_t *n)
{
	char digits[16];
	size_t len = strlen(s);
	unsigned int shift = 0;

	if (len && strchr("kK", s[len - 1]))
		shift = 10;
	else if (len && strchr("mM", s[len - 1]))
		shift = 20;
	len -= shift != 0;
	if (len >= sizeof(digits))
		return -1;
	memcpy(digits, s, len);
	digits[len] = '\0';
	if (parse_number(digits, n) || *n > (1u << 30) >> shift)
		return -1;
	*n <<= shift;
	return 0;
}

/* Describe the risk: granting a group access to this map must be a deliberate decision. */
static void say_who_trusts(void)
{
	puts("direct: all programs that can write to " DIRECT_MAP "\n"
	     "are one trust domain: each can change or forge the statistics of any other, including root's, and\n"
	     "turn direct tracing off for all. Currently only root can write to it; grant access only to trusted groups.");
}

static int want_counts(const struct vcpc_events *events)
{
	unsigned int bad;
	int err = events->n ? shim_trace_count(events->names, events->n, &bad) : 0;

	if (!err)
		return 0;
	if (bad < events->n)
		return vcpc_fail(err, "cannot count '%s' in transactions", events->names[bad]);
	if (err == -EINVAL)
		return vcpc_fail(0, "transactions can have at most 8 counts");
	return vcpc_fail(err, "cannot enable counting in transactions");
}

/*
 * Return whether probes miss the events of programs: programs that can open the module's device
 * send their events to it.  If SHIM_TRACE=probe is in the environment of this command, the programs
 * are assumed to have it as well.
 */
static int probes_see_nothing(const struct trace_options *options)
{
	const char *transport = getenv("SHIM_TRACE");

	return options->on.flags & SHIM_TRACE_F_PROBES && !access("/dev/vcpc", F_OK) &&
	       (!transport || strcasecmp(transport, "probe"));
}

/*
 * Set up counting and functions.  If events cannot be counted or functions cannot be traced, turn
 * tracing off again.
 */
static int set_up(const struct trace_options *options)
{
	int ret = want_counts(&options->counts);

	if (!ret)
		ret = functions_attach(&options->functions);
	if (ret && shim_trace_off())
		vcpc_fail(0, "tracing remains on; run 'vcpc trace off'");
	if (!ret && options->on.direct_slots)
		say_who_trusts();
	return ret;
}

/* Explain why the maps do not fit into memory.  Their statistics have a row for each tag and CPU. */
static int no_memory(const struct trace_options *options)
{
	uint64_t needed, available;

	if (shim_trace_memory(&options->on, &needed, &available) || needed <= available / 4 * 3)
		return vcpc_fail_tracing(-ENOMEM, "cannot turn tracing on");
	return vcpc_fail(0, "cannot turn tracing on: the BPF maps need %.0f MB of memory, which must be at most 3/4 of the %.0f MB that are available (try a smaller --max-tags, --max-open or --direct)",
			 (double)needed / 1e6, (double)available / 1e6);
}

static int do_on(struct trace_options *options)
{
	int err;

	if (options->on.flags & SHIM_TRACE_F_MODULE && options->on.flags & SHIM_TRACE_F_PROBES)
		return vcpc_fail(0, "--module and --probes are mutually exclusive");
	if (probes_see_nothing(options))
		return vcpc_fail(0, "--probes would trace nothing: the vcpc module is loaded, and programs send their events to it (try 'vcpc trace on --module'; to trace only programs that run with SHIM_TRACE=probe, try 'SHIM_TRACE=probe vcpc trace on --probes')");
	err = functions_find(&options->functions);
	if (err)
		return err;
	err = shim_trace_on(&options->on);
	switch (err) {
	case 0:
		return set_up(options);
	case -EEXIST:
		return vcpc_fail(0, "tracing is already on");
	case -ENOMEM:
		return no_memory(options);
	case -EOPNOTSUPP:
		return vcpc_fail(0, "this kernel has no BTF, so tracing requires the module");
	default:
		return vcpc_fail_tracing(err, "cannot turn tracing on");
	}
}

static int do_off(struct trace_options *options)
{
	int err = shim_trace_off();

	(void)options;
	if (err == -ENOENT)
		return vcpc_fail(0, "tracing is already off");
	return err ? vcpc_fail(err, "cannot turn tracing off") : 0;
}

static int do_status(struct trace_options *options)
{
	int status = shim_trace_status();

	(void)options;
	if (status < 0)
		return vcpc_fail(status, "cannot determine whether tracing is on");
	puts(status == SHIM_TRACE_BY_MODULE ? "on, through the module" :
	     status == SHIM_TRACE_BY_PROBES ? "on, through probes on libshim" : "off");
	return 0;
}

static int do_functions(struct trace_options *options)
{
	(void)options;
	return functions_list();
}

static int do_show(struct trace_options *options)
{
	return trace_show(options);
}

static int do_export(struct trace_options *options)
{
	return trace_export(options);
}

static const struct action {
	const char *name;
	int (*fn)(struct trace_options *options);
	const char *takes;	/* letters of the accepted options */
} actions[] = {
	{ "on", do_on, "tMmbrPedcFUpu" },
	{ "off", do_off, "" },
	{ "status", do_status, "" },
	{ "functions", do_functions, "" },
	{ "show", do_show, "HjIwn" },
	{ "export", do_export, "ofO" },
};

static const struct action *find_action(const char *name)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strcmp(actions[i].name, name))
			return &actions[i];
	return NULL;
}

/* Return 0, or VCPC_EXIT_USAGE after printing a message. */
static int take_number(const char *option, uint32_t *n)
{
	if (!optarg || !parse_number(optarg, n))
		return 0;
	return vcpc_usage("%s: invalid number '%s' (1 to %lu)", option, optarg, MOST);
}

static int take_size(const char *option, uint32_t *n)
{
	if (!optarg || !parse_size(optarg, n))
		return 0;
	return vcpc_usage("%s: invalid size '%s' (1 byte to 1024M; examples: 65536, 64K, 1M)",
			  option, optarg);
}

static int take_format(struct trace_options *options)
{
	static const struct trace_format *const formats[] = { &trace_chrome, &trace_perfetto };

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!strcmp(optarg, formats[i]->name)) {
			options->format = formats[i];
			return 0;
		}
	}
	return vcpc_usage("unknown format '%s' (use json or perfetto)", optarg);
}

/*
 * Without a value, --begins means --begins=kernel.  If the option is repeated, the last one is
 * used.
 */
static int take_begins(uint32_t *flags)
{
	const char *who = optarg ? optarg : "kernel";

	if (strcmp(who, "kernel") && strcmp(who, "user"))
		return vcpc_usage("invalid value '%s' for --begins (use kernel or user)", who);
	*flags &= ~(SHIM_TRACE_F_BEGINS | SHIM_TRACE_F_USER_BEGINS);
	*flags |= *who == 'k' ? SHIM_TRACE_F_BEGINS : SHIM_TRACE_F_USER_BEGINS;
	return 0;
}

/* Process an option with a value.  Return the same as take_number(). */
static int take_value(int letter, struct trace_options *options)
{
	uint32_t n = 0;
	int wrong;

	switch (letter) {
	case 'b':
		return take_begins(&options->on.flags);
	case 't':
		return take_number("--max-tags", &options->on.max_tags);
	case 'M':
		return take_number("--max-open", &options->on.max_open);
	case 'e':
		options->on.ring_bytes = DEFAULT_RING;
		return take_size("--events", &options->on.ring_bytes);
	case 'c':
		return vcpc_events_add(&options->counts, optarg);
	case 'F':
	case 'U':
		return functions_add(&options->functions, optarg, letter == 'U');
	case 'p':
		wrong = take_number("-p", &n);
		options->functions.pid = (pid_t)n;
		return wrong;
	case 'd':
		options->on.direct_slots = DEFAULT_DIRECT;
		return take_number("--direct", &options->on.direct_slots);
	case 'n':
		wrong = take_number("--rounds", &n);
		options->rounds = n;
		return wrong;
	case 'I':
	case 'w':
		options->watch = DEFAULT_WATCH;
		return optarg ? vcpc_interval(optarg, &options->watch) : 0;
	case 'f':
		return vcpc_interval(optarg, &options->duration);
	case 'O':
		return take_format(options);
	default:
		return vcpc_usage(NULL);
	}
}

/* Process an option.  Return the same as take_number(). */
static int trace_option(int letter, struct trace_options *options)
{
	switch (letter) {
	case 'm':
		options->on.flags |= SHIM_TRACE_F_MODULE;
		return 0;
	case 'r':
		options->on.flags |= SHIM_TRACE_F_PROBES;
		return 0;
	case 'u':
		options->functions.unwind = true;
		return 0;
	case 'P':
		options->on.flags |= SHIM_TRACE_F_PROCESSES;
		return 0;
	case 'H':
		options->hist = 1;
		return 0;
	case 'j':
		options->json = 1;
		return 0;
	case 'o':
		options->output = optarg;
		return 0;
	default:
		return take_value(letter, options);
	}
}

/*
 * Return 0, -1 for --help, or VCPC_EXIT_USAGE after printing a message.  Set @used to the letters
 * of the options that were used.
 */
static int trace_parse(int argc, char **argv, struct trace_options *options, char *used,
		       size_t size)
{
	static const struct option longs[] = {
		{ "allow-unwind", no_argument, NULL, 'u' },
		{ "begins", optional_argument, NULL, 'b' },
		{ "counts", required_argument, NULL, 'c' },
		{ "direct", optional_argument, NULL, 'd' },
		{ "events", optional_argument, NULL, 'e' },
		{ "for", required_argument, NULL, 'f' },
		{ "format", required_argument, NULL, 'O' },
		{ "function", required_argument, NULL, 'F' },
		{ "help", no_argument, NULL, 'h' },
		{ "hist", no_argument, NULL, 'H' },
		{ "interval", required_argument, NULL, 'I' },
		{ "json", no_argument, NULL, 'j' },
		{ "max-open", required_argument, NULL, 'M' },
		{ "max-tags", required_argument, NULL, 't' },
		{ "module", no_argument, NULL, 'm' },
		{ "output", required_argument, NULL, 'o' },
		{ "pid", required_argument, NULL, 'p' },
		{ "probes", no_argument, NULL, 'r' },
		{ "processes", no_argument, NULL, 'P' },
		{ "rounds", required_argument, NULL, 'n' },
		{ "usdt", required_argument, NULL, 'U' },
		{ "watch", optional_argument, NULL, 'w' },
		{ NULL, 0, NULL, 0 }
	};
	int letter;

	while ((letter = vcpc_getopt(argc, argv, "hI:jo:p:", longs)) != -1) {
		if (letter == 'h')
			return -1;
		if (trace_option(letter, options))
			return VCPC_EXIT_USAGE;
		if (!strchr(used, letter) && strlen(used) < size - 1)
			used[strlen(used)] = letter;
	}
	return 0;
}

static int run_action(int argc, char **argv, struct trace_options *options, const char *used)
{
	const struct action *action;

	if (argc - optind > 1)
		return vcpc_usage("unexpected argument '%s'", argv[optind + 1]);
	if (optind == argc)
		return vcpc_usage("an action is required: on, off, status, functions, show or export");
	action = find_action(argv[optind]);
	if (!action)
		return vcpc_usage("unknown action '%s' (use on, off, status, functions, show or export)", argv[optind]);
	if (used[strspn(used, action->takes)])
		return vcpc_usage("'%s' does not accept this option", action->name);
	return action->fn(options);
}

int vcpc_cmd_trace(int argc, char **argv)
{
	struct trace_options options = {
		.on.size = sizeof(options.on), .format = &trace_chrome,
	};
	char used[24] = "";
	int ret = trace_parse(argc, argv, &options, used, sizeof(used));

	if (ret < 0)
		fputs(help_text, stdout);
	if (!ret)
		ret = run_action(argc, argv, &options, used);
	vcpc_events_free(&options.counts);
	functions_free(&options.functions);
	return ret < 0 ? 0 : ret;
}
