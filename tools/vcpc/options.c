// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parse options, and reject options of related tools with a hint.
 *
 * The counting commands use the letters of perf stat; the replaying commands use PCP's letters.  If
 * a command does not accept a letter that users of these tools may expect, or that an earlier
 * version had, the letter has a row in a table here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "vcpc.h"

#define EACH_CPU	"-a and -C record each CPU separately, so nothing is added up"
#define ALL_CPUS	"transactions of all CPUs are included"
#define ALL_RECORDS	"this command uses all records; 'vcpc replay' accepts an interval (-t) and a number of rows (-s)"
#define ARCHIVES	"this command accepts archives as arguments, without an option"
#define ONLY_LISTS	"this command only lists events; to count them, use 'vcpc stat'"
#define WITH_SEPARATOR	"use -x SEP for output with separators, for example -x,"
#define PER_THREAD	"use --per-thread for the counts of each thread"
#define METRICS		"this command accepts metrics as arguments after the archive, without an option"
#define TABLES		"use 'vcpc replay' to print values with --csv or --json"
#define RAW		"use 'vcpc replay --raw' to print the values of counters instead of rates"
#define INSTANCES	"use 'vcpc replay -i' to select instances"

/*
 * @commands: names, separated by blanks
 * @letters: the options; @name: a long option, or NULL
 */
static const struct refusal {
	const char *commands, *letters, *name, *text;
} refusals[] = {
	{ "stat", "i", NULL, "use -I TIME to print the counts of each interval (processes that COMMAND starts are always counted)" },
	{ "stat", "c", "csv", WITH_SEPARATOR },
	{ "stat", "T", "threads", PER_THREAD },
	{ "stat", "B", NULL, "digits are always grouped; -x and -j print plain numbers" },
	{ "stat", "M", NULL, "metrics are always printed, next to the events from which they are computed" },
	{ "stat", "n", NULL, "use -e task-clock to measure only the time" },
	{ "stat", "S", NULL, "run sync(1) before 'vcpc stat'" },
	{ "stat", "g", NULL, "use braces for groups: -e '{cycles,instructions}'" },
	{ "stat record", "", "timeout", "use --for TIME" },
	{ "stat record", "", "interval-print", "use -I TIME" },
	{ "record", "i", NULL, "use -I TIME to set the interval" },
	{ "record", "r", NULL, "record COMMAND several times; 'vcpc compare' takes several archives per side" },
	{ "record", "xj", NULL, "an archive is not text; 'vcpc replay' prints it with --csv or --json" },
	{ "record", "d", "detailed", "use -e LIST to name the events" },
	{ "record", "D", "delay", "recording starts with the command; 'vcpc replay -S 100ms' skips the beginning" },
	{ "record", "A", "per-core", EACH_CPU },
	{ "record", "T", "per-thread", "use -t TID,... to record threads separately, --trace to turn tracing on" },
	{ "top", "id", NULL, "use -I TIME to set the interval" },
	{ "top", "r", NULL, "use --reverse to reverse the order" },
	{ "top", "o", NULL, "use 'vcpc top --once >FILE'" },
	{ "top", "e", NULL, "use 'vcpc trace on --counts EVENT,...' to count events in transactions" },
	{ "top", "pt", NULL, "use --by process and --filter TEXT to select processes" },
	{ "top", "xj", NULL, "use 'vcpc trace show --json'" },
	{ "top trace why", "aCAG", "per-core", ALL_CPUS },
	{ "why", "t", NULL, "use -p PID; its threads are watched together" },
	{ "top trace", "D", NULL, "use sleep(1) before this command to wait" },
	{ "trace", "i", NULL, "use -I TIME to set the interval of 'vcpc trace show'" },
	{ "trace", "e", NULL, "use --counts EVENT,... to count events in transactions, --events to record individual events" },
	{ "trace", "t", NULL, "all threads are traced; use --processes for statistics of each process" },
	{ "trace", "r", NULL, "use --rounds N" },
	{ "trace", "d", NULL, "use --hist for the distribution of the durations" },
	{ "trace", "x", NULL, "use -j" },
	{ "events", "eptaCIirxjodDAG", "per-core", ONLY_LISTS },
	{ "replay", "I", NULL, "use -t TIME to set the interval" },
	{ "replay", "x", "field-separator", "use --csv" },
	{ "replay summary dump compare", "e", "events", METRICS },
	{ "report summary dump compare", "Its", NULL, ALL_RECORDS },
	{ "summary dump", "jx", "json", TABLES },
	{ "compare", "x", NULL, "use -j" },
	{ "compare label check", "a", "archive", ARCHIVES },
	{ "report summary compare", "i", NULL, INSTANCES },
	{ "report summary compare", "r", NULL, RAW },
	{ "dump", "i", NULL, "use --instances" },
	{ "dump", "r", NULL, "use --records" },
	{ "replay summary dump compare", "o", NULL, "redirect the output: >FILE" },
	{ "label check", "STAOts", NULL, "this command reads whole archives" },
	{ "check", "Zz", NULL, "this command prints no times" },
};

/* Return whether a list of words contains this one. */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; (at = strstr(at, word)) != NULL; at += len)
		if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

/*
 * Return the reason why this command rejects an option (a letter or a long name), or NULL if it
 * does not reject the option.
 */
static const char *find_refusal(int letter, const char *name)
{
	const char *command = strrchr(program_invocation_name, ' ');
	size_t len = name ? strcspn(name, "=") : 0;

	for (size_t i = 0; command && i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *r = &refusals[i];
		bool named = len && r->name && strlen(r->name) == len && !strncmp(name, r->name, len);

		if ((named || (letter > 0 && letter < 128 && strchr(r->letters, letter))) &&
		    has_word(r->commands, command + 1))
			return r->text;
	}
	return NULL;
}

static bool is_value(const struct option *names, int value)
{
	while (names->name && names->val != value)
		names++;
	return names->name;
}

/*
 * Print why an option is invalid. @c is the result of getopt_long(), or 0 if the option is
 * rejected.
 */
static int refuse(int c, const char *name, const char *reason)
{
	const char letter[] = { (char)optopt, '\0' };
	const char *dashes = name ? "--" : "-";
	const char *option = name ? name : letter;
	int len = (int)strcspn(option, name ? "=" : "");

	if (reason)
		vcpc_fail(0, "%s%.*s: %s", dashes, len, option, reason);
	else if (c == ':')
		vcpc_fail(0, "option '%s%.*s' requires an argument", dashes, len, option);
	else if (name && optopt)
		vcpc_fail(0, "option '%s%.*s' takes no argument", dashes, len, option);
	else
		vcpc_fail(0, "unknown%s option '%s%.*s'", name ? " or ambiguous" : "", dashes, len, option);
	return '?';
}

/**
 * vcpc_getopt() - get the next option
 * @argc: main()'s argument
 * @argv: main()'s argument
 * @letters: as for getopt(3)
 * @names: as for getopt_long(3)
 *
 * Return: the option's letter; -1 after the last one; '?' after a message.
 */
int vcpc_getopt(int argc, char **argv, const char *letters, const struct option *names)
{
	const char *name = NULL, *reason, *arg;
	bool stops = *letters == '+';
	int c, index = -1;
	char all[80];

	snprintf(all, sizeof(all), "%s:%s", stops ? "+" : "", letters + stops);
	opterr = optopt = 0;
	c = getopt_long(argc, argv, all, names, &index);
	if (c == -1)
		return c;
	arg = argv[optind - 1];
	if (c == '?' ? !optopt || (is_value(names, optopt) && strchr(arg, '=')) : c == ':')
		name = strncmp(arg, "--", 2) ? NULL : arg + 2;
	if (index >= 0)
		name = names[index].name;
	if (c != '?' && c != ':')
		optopt = c;
	reason = find_refusal(name ? 0 : optopt, name);
	return reason || c == '?' || c == ':' ? refuse(c, name, reason) : c;
}
