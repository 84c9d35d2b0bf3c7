// SPDX-License-Identifier: GPL-2.0-or-later
/* Parse command lines as PCP's tools do. */
#include <kselftest_harness.h>
#include <pcp/pmapi.h>
#include <pcp/import.h>

_Static_assert(sizeof(pmOptions) == 256, "the original's size");

static pmLongOptions long_options[] = {
	PMOPT_ARCHIVE,
	PMOPT_START,
	PMOPT_ARCHIVE_LIST,
	PMAPI_OPTIONS_HEADER("Own"),
	{ "width", 1, 'w', "N", "how wide" },
	{ "only-long", 2, 0, "X", "without a letter" },
	PMAPI_OPTIONS_TEXT("Text."),
	PMAPI_OPTIONS_END
};

static pmOptions fresh(int flags)
{
	return (pmOptions){
		.flags = flags,
		.short_options = PMAPI_OPTIONS "w:",
		.long_options = long_options,
		.short_usage = "[options] metric",
	};
}

/* Redirect stderr to a file, until the contents are copied to @text. */
static void begin_messages(const char *path)
{
	setenv("PCP_STDERR", path, 1);
}

static void read_file(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "r");

	text[f ? fread(text, 1, size - 1, f) : 0] = '\0';
	if (f)
		fclose(f);
}

FIXTURE(options)
{
	char path[32], text[4096];
	pmOptions opts;
};

FIXTURE_SETUP(options)
{
	int fd;

	strcpy(self->path, "/tmp/options-XXXXXX");
	fd = mkstemp(self->path);
	ASSERT_LE(0, fd);
	close(fd);
	begin_messages(self->path);
	self->opts = fresh(0);
}

FIXTURE_TEARDOWN(options)
{
	pmFreeOptions(&self->opts);
	unlink(self->path);
}

#define ARGS(...) char *argv[] = { "/bin/prog", __VA_ARGS__, NULL }; \
	int argc = (int)(sizeof(argv) / sizeof(argv[0])) - 1

TEST_F(options, standard_and_own)
{
	ARGS("metric", "-w", "5", "-a", "one", "--archive=two", "-t", "1.5", "--only-long", "-S10",
	     "-s", "3", "--", "-z");

	ASSERT_EQ('w', pmGetOptions(argc, argv, &self->opts));
	EXPECT_STREQ("5", self->opts.optarg);
	ASSERT_EQ(0, pmGetOptions(argc, argv, &self->opts));
	EXPECT_EQ(NULL, self->opts.optarg);
	EXPECT_STREQ("only-long", long_options[self->opts.index].long_opt);
	ASSERT_EQ(-1, pmGetOptions(argc, argv, &self->opts));
	EXPECT_EQ(0, self->opts.errors);
	EXPECT_EQ(PMAPI_VERSION_2, self->opts.version);
	EXPECT_EQ(1, self->opts.narchives);
	EXPECT_STREQ("one,two", self->opts.archives[0]);
	EXPECT_EQ(PM_CONTEXT_ARCHIVE, self->opts.context);
	EXPECT_EQ(1, self->opts.interval.tv_sec);
	EXPECT_EQ(500000, self->opts.interval.tv_usec);
	EXPECT_STREQ("10", self->opts.start_optarg);
	EXPECT_EQ(3, self->opts.samples);
	EXPECT_STREQ("metric", argv[self->opts.optind]);
	EXPECT_STREQ("-z", argv[argc - 1]);
	EXPECT_EQ(0, (int)self->opts.tzflag);
	EXPECT_STREQ("prog", pmGetProgname());
}

TEST_F(options, one_by_one)
{
	ARGS("-a", "one", "--archive-list=two,three");

	self->opts.flags = PM_OPTFLAG_MULTI;
	ASSERT_EQ(-1, pmGetOptions(argc, argv, &self->opts));
	ASSERT_EQ(3, self->opts.narchives);
	EXPECT_STREQ("three", self->opts.archives[2]);
	EXPECT_STREQ("--archive-list=two,three", argv[3]);
}

TEST_F(options, hosts_and_archives)
{
	ARGS("-a", "one", "-h", "two", "-z");

	self->opts.flags = PM_OPTFLAG_MULTI | PM_OPTFLAG_MIXED;
	ASSERT_EQ(-1, pmGetOptions(argc, argv, &self->opts));
	EXPECT_EQ(0, self->opts.errors);
	EXPECT_EQ(1, self->opts.nhosts);
	EXPECT_EQ(1, self->opts.narchives);
	EXPECT_EQ(0, self->opts.context);
}

TEST_F(options, archives_each_once)
{
	ARGS("-a", "ab,b", "-a", "b", "-a", "a", "--archive-list=c,,", "-a", "ab,b");

	ASSERT_EQ(-1, pmGetOptions(argc, argv, &self->opts));
	ASSERT_EQ(1, self->opts.narchives);
	EXPECT_STREQ("ab,b,a,c,,", self->opts.archives[0]);
}

TEST_F(options, hosts_of_a_list)
{
	ARGS("--host-list=,one,,two,");
	pmLongOptions with_hosts[] = { PMOPT_HOST_LIST, PMAPI_OPTIONS_END };

	self->opts.long_options = with_hosts;
	self->opts.flags = PM_OPTFLAG_MULTI;
	ASSERT_EQ(-1, pmGetOptions(argc, argv, &self->opts));
	ASSERT_EQ(2, self->opts.nhosts);
	EXPECT_STREQ("one", self->opts.hosts[0]);
	EXPECT_STREQ("two", self->opts.hosts[1]);
}

TEST_F(options, hosts_of_a_file)
{
	ARGS("-H", self->path);
	FILE *f = fopen(self->path, "w");

	ASSERT_NE(NULL, f);
	fputs("# hosts\none\n\n two # words\nthree", f);
	fclose(f);
	self->opts.flags = PM_OPTFLAG_MULTI;
	self->opts.short_options = "H:";
	ASSERT_EQ(-1, pmGetOptions(argc, argv, &self->opts));
	ASSERT_EQ(3, self->opts.nhosts);
	EXPECT_STREQ("two", self->opts.hosts[1]);
	EXPECT_STREQ("three", self->opts.hosts[2]);
}

/*
 * A folio must begin with the lines "PCPFolio" and "Version: 1", and its archives must have a host
 * and a base name.
 */
TEST_F(options, folios_that_are_none)
{
	static const char *const bad[] = {
		"", "PCPFolio\n", "Folio\nVersion: 1\n", "PCPFolio\nVersion: 2\n",
		"PCPFolio\nArchive: h base\n", "PCPFolio\nVersion: 1\nArchive: h\n",
	};
	pmLongOptions with_folio[] = { PMOPT_ARCHIVE_FOLIO, PMAPI_OPTIONS_END };

	setenv("PCP_STDERR", "/dev/null", 1);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ARGS("--archive-folio", self->path);
		FILE *f = fopen(self->path, "w");

		ASSERT_NE(NULL, f);
		fputs(bad[i], f);
		fclose(f);
		self->opts = (pmOptions){ .short_options = "", .long_options = with_folio };
		ASSERT_EQ(-1, pmGetOptions(argc, argv, &self->opts));
		EXPECT_EQ(1, self->opts.errors);
		EXPECT_EQ(PM_OPTFLAG_RUNTIME_ERR, self->opts.flags &
			  (PM_OPTFLAG_RUNTIME_ERR | PM_OPTFLAG_USAGE_ERR)) {
			TH_LOG("%s", bad[i]);
		}
		pmFreeOptions(&self->opts);
	}
	unsetenv("PCP_STDERR");
}

TEST_F(options, environment)
{
	ARGS("-s", "4");

	setenv("PCP_ARCHIVE", "from", 1);
	setenv("PCP_SAMPLES", "3", 1);
	setenv("PCP_FINISH_TIME", "20", 1);
	ASSERT_EQ(-1, pmGetOptions(argc, argv, &self->opts));
	EXPECT_STREQ("from", self->opts.archives[0]);
	EXPECT_EQ(4, self->opts.samples);
	EXPECT_STREQ("20", self->opts.finish_optarg);
}

/* If two variables set the same option, the one that is later in the environment is used. */
TEST_F(options, order_of_the_environment)
{
	static char *const orders[2][3] = {
		{ (char *)"PCP_ORIGIN=1", (char *)"PCP_ORIGIN_TIME=2", NULL },
		{ (char *)"PCP_ORIGIN_TIME=2", (char *)"PCP_ORIGIN=1", NULL },
	};
	char **own = environ;

	for (int i = 0; i < 2; i++) {
		pmOptions opts = { .version = PMAPI_VERSION_2 };

		ARGS("-a", "/nowhere");
		environ = (char **)orders[i];
		optind = 0;
		EXPECT_EQ(-1, pmGetOptions(argc, argv, &opts));
		environ = own;
		EXPECT_STREQ(i ? "1" : "2", opts.origin_optarg);
		pmFreeOptions(&opts);
	}
}

TEST_F(options, mistakes)
{
	static const struct {
		char *args[4];
		int flag;
		const char *message;
	} rows[] = {
		{ { "-s", "x" }, PM_OPTFLAG_USAGE_ERR, "prog: -s requires a positive numeric argument\n" },
		{ { "-k" }, 0, "prog: invalid option -- 'k'\n" },
		{ { "-w" }, 0, "prog: option requires an argument -- 'w'\n" },
		{ { "--nope" }, 0, "prog: unrecognized option '--nope'\n" },
		{ { "--arch=x", "-hy" }, 0, "prog: option '--arch=x' is ambiguous; possibilities: "
		  "'--archive' '--archive-list'\n" },
		{ { "-ax", "-hy" }, 0, "prog: only one host or archive allowed\n" },
		{ { "-ZUTC", "-z" }, 0, "prog: at most one of -Z and -z allowed\n" },
		{ { "-S5" }, 0, "prog: time window options are supported for archives only\n" },
		{ { "-z" }, 0, "prog: use of timezone from metric source requires a source\n" },
		{ { "-tfoo" }, 0, "prog: -t argument not in pmParseInterval(3) format:\nfoo\n"
		  "^ -- unexpected value\n\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *argv[] = { "prog", rows[i].args[0], rows[i].args[1], NULL };
		pmOptions opts = fresh(0);

		truncate(self->path, 0);
		EXPECT_EQ(-1, pmGetOptions(rows[i].args[1] ? 3 : 2, argv, &opts));
		EXPECT_LE(1, opts.errors);
		EXPECT_EQ(PM_OPTFLAG_USAGE_ERR, opts.flags & PM_OPTFLAG_USAGE_ERR);
		pmflush();
		read_file(self->path, self->text, sizeof(self->text));
		EXPECT_NE(NULL, strstr(self->text, rows[i].message))
			TH_LOG("%s: %s", rows[i].args[0], self->text);
		pmFreeOptions(&opts);
	}
}

/*
 * For an ambiguous option, the possible options are listed: the first one, then the others in
 * reverse order.  Another name of the first option is listed only with PM_OPTFLAG_LONG_ONLY.
 */
TEST_F(options, possibilities)
{
	pmLongOptions alike[] = {
		{ "port", 1, 'p', "N", "" }, { "pore", 0, 'o', NULL, "" }, { "point", 1, 'p', "N", "" },
		{ "pole", 0, 'l', NULL, "" }, PMAPI_OPTIONS_END
	};
	const struct {
		char *arg;
		int flag;
		const char *message;
	} rows[] = {
		{ "--po", 0, "prog: option '--po' is ambiguous; possibilities: '--port' '--pole' '--pore'\n" },
		{ "-po", PM_OPTFLAG_LONG_ONLY,
		  "prog: option '-po' is ambiguous; possibilities: '--port' '--pole' '--point' '--pore'\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		pmOptions opts = fresh(rows[i].flag);

		ARGS(rows[i].arg);
		opts.long_options = alike;
		truncate(self->path, 0);
		EXPECT_EQ('?', pmgetopt_r(argc, argv, &opts));
		pmflush();
		read_file(self->path, self->text, sizeof(self->text));
		EXPECT_STREQ(rows[i].message, self->text);
		pmFreeOptions(&opts);
	}
}

TEST_F(options, usage)
{
	ARGS("-?");

	ASSERT_EQ(-1, pmGetOptions(argc, argv, &self->opts));
	pmUsageMessage(&self->opts);
	read_file(self->path, self->text, sizeof(self->text));
	EXPECT_STREQ("Usage: prog [options] metric\n"
		     "  -a FILE, --archive=FILE\n"
		     "                        metrics source is a PCP archive\n"
		     "  -S TIME, --start=TIME start of the time window\n"
		     "  --archive-list=FILES  comma-separated list of metric source archives\n"
		     "\nOwn:\n"
		     "  -w N, --width=N       how wide\n"
		     "  --only-long=X         without a letter\n"
		     "Text.\n", self->text);
}

TEST_F(options, no_context)
{
	ARGS("-a", "/nowhere", "-S5");

	ASSERT_EQ(-1, pmGetOptions(argc, argv, &self->opts));
	EXPECT_EQ(PM_ERR_GENERIC, pmGetContextOptions(-1, &self->opts));
	EXPECT_EQ(1, self->opts.errors);
	EXPECT_EQ(PM_OPTFLAG_RUNTIME_ERR, self->opts.flags & PM_OPTFLAG_RUNTIME_ERR);
}

/* Get the time window of an archive of 10 s. */
TEST_F(options, window_of_a_context)
{
	char base[] = "/tmp/options-archive-XXXXXX", path[64], file[80];
	static const char *const parts[] = { "0", "index", "meta" };
	pmOptions opts;
	int ctx, other;

	ASSERT_NE(NULL, mkdtemp(base));
	snprintf(path, sizeof(path), "%s/a", base);
	ASSERT_LE(0, pmiStart(path, 0));
	EXPECT_EQ(0, pmiSetTimezone("EST5"));
	EXPECT_EQ(0, pmiAddMetric("a.b", PM_ID_NULL, PM_TYPE_32, PM_INDOM_NULL, PM_SEM_INSTANT,
				  pmiUnits(0, 0, 0, 0, 0, 0)));
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(0, pmiPutValue("a.b", NULL, "1"));
		EXPECT_EQ(0, pmiWrite(1600000000 + 10 * i, 0));
	}
	EXPECT_EQ(0, pmiEnd());
	ARGS("-a", path, "-S2", "-O-1", "-z");
	setenv("TZ", "UTC", 1);
	EXPECT_EQ(-1, pmGetOptions(argc, argv, &self->opts));
	ctx = pmNewContext(self->opts.context, self->opts.archives[0]);
	EXPECT_LE(0, ctx);
	/* The time is in the archive's zone, EST5, five hours west of UTC. */
	self->opts.finish_optarg = "@07:26:47";
	EXPECT_EQ(0, pmGetContextOptions(ctx, &self->opts));
	EXPECT_EQ(1600000002, self->opts.start.tv_sec);
	EXPECT_EQ(1600000007, self->opts.finish.tv_sec);
	EXPECT_EQ(1600000006, self->opts.origin.tv_sec);
	/*
	 * The window is also computed for a context that the program has created.  Without a
	 * context, the window starts now.
	 */
	opts = (pmOptions){ .version = PMAPI_VERSION_2, .context = PM_CONTEXT_ARCHIVE,
			    .start_optarg = (char *)"2" };
	EXPECT_EQ(0, pmGetContextOptions(ctx, &opts));
	EXPECT_EQ(1600000002, opts.start.tv_sec);
	EXPECT_EQ(1600000010, opts.finish.tv_sec);
	/* The window is that of the given context, and the current context does not change. */
	other = pmNewContext(PM_CONTEXT_ARCHIVE, path);
	EXPECT_LE(0, other);
	EXPECT_EQ(0, pmGetContextOptions(ctx, &opts));
	EXPECT_EQ(other, pmWhichContext());
	pmDestroyContext(other);
	EXPECT_EQ(0, pmUseContext(ctx));
	opts.context = 0;
	EXPECT_EQ(0, pmGetContextOptions(ctx, &opts));
	EXPECT_LT(1700000000, opts.start.tv_sec);
	pmDestroyContext(ctx);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		snprintf(file, sizeof(file), "%s.%s", path, parts[i]);
		EXPECT_EQ(0, unlink(file));
	}
	EXPECT_EQ(0, rmdir(base));
}

TEST_F(options, folio)
{
	ARGS("--archive-folio=/nowhere/folio");
	pmLongOptions with_folio[] = { PMOPT_ARCHIVE_FOLIO, PMAPI_OPTIONS_END };
	char option[64];
	FILE *f = fopen(self->path, "w");

	ASSERT_NE(NULL, f);
	fputs("PCPFolio\nVersion: 1\nArchive: host base\nArchive: host /abs/base\n", f);
	fclose(f);
	snprintf(option, sizeof(option), "--archive-folio=%s", self->path);
	argv[1] = option;
	unsetenv("PCP_STDERR");
	self->opts.flags = PM_OPTFLAG_MULTI;
	self->opts.long_options = with_folio;
	ASSERT_EQ(-1, pmGetOptions(argc, argv, &self->opts));
	ASSERT_EQ(2, self->opts.narchives);
	EXPECT_STREQ("/tmp/base", self->opts.archives[0]);
	EXPECT_STREQ("/abs/base", self->opts.archives[1]);
}

TEST_HARNESS_MAIN
