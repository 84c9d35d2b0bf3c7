// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parse random command lines and single options, which can refer to files in the current directory.
 * Print the results.  The program is built with libshim and with PCP's own library.
 *
 * usage: options options|getopt|parts SEED TIMES
 */
#include <stdlib.h>
#include <unistd.h>

#include <pcp/pmapi.h>

/*
 * PCP's library exports these functions.  This project's <pcp/libpcp.h> declares them, but PCP's
 * installed headers do not.
 */
extern void __pmAddOptArchive(pmOptions *opts, char *arg);
extern void __pmAddOptArchiveList(pmOptions *opts, char *arg);
extern void __pmAddOptArchiveFolio(pmOptions *opts, char *arg);
extern void __pmAddOptArchivePath(pmOptions *opts);
extern void __pmAddOptHost(pmOptions *opts, char *arg);
extern void __pmAddOptHostList(pmOptions *opts, char *arg);
extern void __pmAddOptContainer(pmOptions *opts, char *arg);
extern void __pmSetLocalContextFlag(pmOptions *opts);
extern void __pmEndOptions(pmOptions *opts);
extern time_t __pmMktime(struct tm *tm);

#include "random.h"

#define MAX_ARGS 8

static pmLongOptions long_options[] = {
	PMAPI_GENERAL_OPTIONS,
	PMOPT_ARCHIVE_LIST,
	PMOPT_HOST_LIST,
	PMOPT_ARCHIVE_FOLIO,
	PMOPT_HOSTSFILE,
	PMAPI_OPTIONS_HEADER("Own options"),
	{ "verbose", 0, 'v', NULL, "say more" },
	{ "verbatim", 0, 'q', NULL, NULL },
	{ "width", 1, 'w', "CHARACTERS", "how wide lines are" },
	{ "only-long", 2, 0, "X", "without a letter" },
	PMAPI_OPTIONS_TEXT("And a text behind them."),
	PMAPI_OPTIONS_END
};

static const char *const words[] = {
	"-v", "-vq", "-w5", "-w", "7", "-qw3", "--verbose", "--verb", "--verbo", "--width=3", "--width",
	"--only-long", "--only-long=5", "--nope", "--verbose=1", "-k", "-vk", "--", "-", "metric",
	"other", "-s", "-s5", "--samples=9", "-sx", "-t", "2min", "-t1.5", "-tfoo", "-S", "-S5",
	"-T10", "-A1min", "-O-0", "--start=1", "--finish", "-Z", "-ZEST", "-z", "-g", "-p5", "-p",
	"-a", "-ax", "--archive=y,z", "--archive-list=one,two", "-h", "-hhost", "--host=h2",
	"--host-list=p,q", "--archive-list=one,,a,", "--archive-list=y,z,y",
	"--host-list=p,,q,", "--host-list=,", "--host-list=", "--host-list=p",
	"-p70000", "-p4294967303", "-Hhosts", "--archive-folio=folio", "--archive-folio=none",
	"-D", "-Dlog", "-Dnope", "-V", "-?", "--help", "-v5", "-ga", "",
};

/*
 * Omit PM_OPTFLAG_MIXED: if hosts are combined with archives, the original finds no source for -z
 * and -O.
 */
#if PMAPI_VERSION == PMAPI_VERSION_3
#define FRACTION(t)	((long)(t).tv_nsec)
#else
#define FRACTION(t)	((long)(t).tv_usec)
#endif

static const int flags[] = {
	0, 0, 0, PM_OPTFLAG_MULTI, PM_OPTFLAG_POSIX,
	PM_OPTFLAG_QUIET, PM_OPTFLAG_ENV_ONLY,
};

static int own_samples(int option, pmOptions *opts)
{
	(void)opts;
	return option == 's';
}

static void show_list(const char *name, int n, char **list)
{
	printf(" %s %d", name, n);
	for (int i = 0; i < n; i++)
		show_text(list[i]);
}

static void show_all(const pmOptions *o)
{
	printf("%x %d %d %d", o->flags, o->errors, o->context, o->optind);
	show_list("hosts", o->nhosts, o->hosts);
	show_list("archives", o->narchives, o->archives);
	printf(" %ld.%09ld", (long)o->interval.tv_sec, FRACTION(o->interval));
	show_text(o->align_optarg);
	show_text(o->start_optarg);
	show_text(o->finish_optarg);
	show_text(o->origin_optarg);
	show_text(o->guiport_optarg);
	show_text(o->timezone);
	printf(" %d %d %d%d%d%d\n", o->samples, o->guiport, o->guiflag, o->tzflag, o->nsflag,
	       o->Lflag);
}

/* Write some of these lines; the first @ordered ones are usually in order. */
static void write_file(const char *name, const char *const *lines, size_t n, size_t ordered)
{
	FILE *f = fopen(name, "w");

	if (!f)
		exit(3);
	for (size_t i = 0; i < ordered && random_below(12); i++)
		fputs(lines[random_below(12) ? i : random_below(n)], f);
	for (size_t more = random_below(4); more; more--)
		fputs(lines[random_below(n)], f);
	fclose(f);
}

/*
 * Write the files; the last line of hosts ends with a newline, because otherwise the original
 * writes past its end.
 */
static void write_files(void)
{
	static const char *const folio[] = {
		"PCPFolio\n", "Version: 1\n", "Archive: host base\n", "Archive:\thost\t/abs/base  x\n",
		"Archive: host\n", "Archive:\n", "Archive:host base\n", "Archives: host more\n",
		" Archive: host in\n", "archive: host low\n", "\n", "# words\n", "Version: 2\n",
		"Version:1\n", "PCPFoliox\n", "Version: 12\n", "Archive: h dir/base\n", "Archive: h last",
	};
	static const char *const hosts[] = {
		"one\n", "\n", " two\n", "three four\n", "# five\n", "six # seven\n", "\teight\n",
		"nine#\n",
	};

	write_file("folio", folio, sizeof(folio) / sizeof(folio[0]), 4);
	write_file("hosts", hosts, sizeof(hosts) / sizeof(hosts[0]), 0);
}

static void once(int raw)
{
	/* Copy the arguments, because the original modifies them. */
	static char program[] = "/bin/program", copies[MAX_ARGS + 1][32];
	char *argv[MAX_ARGS + 2] = { program };
	int argc = 1 + (int)random_below(MAX_ARGS + 1), option;
	pmOptions opts = {
		.flags = flags[random_below(sizeof(flags) / sizeof(flags[0]))],
		.version = PMAPI_VERSION,
		.short_options = PMAPI_OPTIONS "vqw:H:",
		.long_options = long_options,
		.short_usage = random_below(2) ? "[options] [metric]" : NULL,
		.override = random_below(8) ? NULL : own_samples,
	};

	if (!random_below(4))
		write_files();
	for (int i = 1; i < argc; i++)
		argv[i] = strcpy(copies[i - 1], words[random_below(sizeof(words) / sizeof(words[0]))]);
	for (int i = 1; i < argc; i++)
		show_text(argv[i]);
	printf("\n%x:", opts.flags);
	while ((option = raw ? pmgetopt_r(argc, argv, &opts) : pmGetOptions(argc, argv, &opts)) != -1) {
		printf(" %d", option);
		show_text(opts.optarg);
		printf(" %d %d %d", opts.index, opts.optind, opts.optopt);
	}
	putchar('\n');
	show_all(&opts);
	for (int i = 1; i < argc; i++)
		show_text(argv[i]);
	putchar('\n');
	fflush(stdout);
	if (random_below(20) == 0)
		pmUsageMessage(&opts);
	else
		pmflush();
	pmFreeOptions(&opts);
}

/* Set an option as a program does that got the value from elsewhere. */
static void add_part(pmOptions *opts)
{
	static const char *const names[] = { "a", "b", "one,two", "a,c", "", "folio", "none" };
	/* The text is not freed, because the original keeps some texts. */
	char *arg = strdup(names[random_below(sizeof(names) / sizeof(names[0]))]);
	uint32_t part = random_below(8);

	printf(" %u:%s", part, arg);
	fflush(stdout);
	switch (part) {
	case 0:
		__pmAddOptArchive(opts, arg);
		break;
	case 1:
		__pmAddOptArchiveList(opts, arg);
		break;
	case 2:
		__pmAddOptArchiveFolio(opts, arg);
		break;
	case 3:
		__pmAddOptHost(opts, arg);
		break;
	case 4:
		__pmAddOptHostList(opts, arg);
		break;
	case 5:
		__pmAddOptContainer(opts, arg);
		show_text(getenv("PCP_CONTAINER"));
		break;
	case 6:
		__pmSetLocalContextFlag(opts);
		break;
	default:
		opts->origin_optarg = random_below(3) ? "5" : NULL;
		opts->tzflag = random_below(5) == 0;
	}
}

static void show_made_time(void)
{
	struct tm tm = {
		.tm_year = (int)random_below(300), .tm_mon = (int)random_below(30) - 9, .tm_mday = (int)random_below(80) - 20,
		.tm_hour = (int)random_below(50) - 12, .tm_min = (int)random_below(150), .tm_sec = (int)random_below(150),
		.tm_isdst = -1,
	};
	time_t t = __pmMktime(&tm);

	printf("%lld %d %d %d %d\n", (long long)t, tm.tm_year, tm.tm_yday, tm.tm_wday, tm.tm_hour);
}

static void once_by_parts(void)
{
	pmOptions opts = { .flags = flags[random_below(sizeof(flags) / sizeof(flags[0]))], .version = PMAPI_VERSION };

	if (!random_below(4))
		write_files();
	for (uint32_t n = random_below(5); n > 0; n--)
		add_part(&opts);
	if (!opts.nhosts && !opts.narchives && !random_below(4))
		__pmAddOptArchivePath(&opts);
	__pmEndOptions(&opts);
	if (!random_below(3))
		__pmSetLocalContextFlag(&opts);
	show_all(&opts);
	fflush(stdout);
	if (!random_below(3)) {
		pmOptions other = { .flags = (int)random_below(512), .long_options = long_options };

		pmUsageMessage(&other);
	}
	pmflush();
	pmFreeOptions(&opts);
	show_made_time();
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	random_state = strtoull(argv[2], NULL, 10);
	/* The output includes messages. */
	dup2(STDOUT_FILENO, STDERR_FILENO);
	write_files();
	for (int n = atoi(argv[3]); n > 0; n--) {
		if (!strcmp(argv[1], "parts"))
			once_by_parts();
		else
			once(!strcmp(argv[1], "getopt"));
	}
	return 0;
}
