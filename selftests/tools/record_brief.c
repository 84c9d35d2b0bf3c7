// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vcpc record records every transaction of a program that exits immediately, including those at its
 * start.
 */
#include <libgen.h>
#include <pcp/trace.h>

#include "../bpf/bpf_test.h"

#define DIR		"/tmp/vcpc-record-brief"
#define TRANSACTIONS	5
#define OTHER_TAGS	1500

static char program[200], vcpc[256];

/* Run as the recorded program, which starts with a point and ends with a transaction. */
static int brief(void)
{
	pmtracepoint("brief start");
	for (int i = 0; i < TRANSACTIONS; i++) {
		pmtracebegin("brief");
		pmtraceend("brief");
	}
	return 0;
}

/*
 * Create tags of other programs.  Reading them takes the recorder longer than the brief program
 * runs.
 */
static void make_tags(void)
{
	char tag[32];

	for (int i = 0; i < OTHER_TAGS; i++) {
		snprintf(tag, sizeof(tag), "other %d", i);
		pmtracepoint(tag);
	}
}

/* Record the brief program in archive @nr, and return the exit status. */
static int record(int nr)
{
	char command[1000];

	snprintf(command, sizeof(command), "%s record -o %s/%d -e page-faults -- %s --brief 2>%s/err",
		 vcpc, DIR, nr, program, DIR);
	return system(command);
}

/* Return the number that 'vcpc compare' prints for a tag's @what, or -1. */
static long compared(int nr, const char *tag, const char *what)
{
	char command[1000];
	long number = -1;
	FILE *out;

	snprintf(command, sizeof(command), "%s compare %s/%d %s/%d | awk '/^%s( |$)/ { inside = 1 } "
		 "inside && $1 == \"%s\" { print $2; exit }'", vcpc, DIR, nr, DIR, nr, tag, what);
	out = popen(command, "r");
	if (!out)
		return -1;
	if (fscanf(out, "%ld", &number) != 1)
		number = -1;
	pclose(out);
	return number;
}

FIXTURE(record_brief) {
	const char *missing;
};

FIXTURE_SETUP(record_brief)
{
	ASSERT_EQ(0, trace_place(0, &self->missing));
	ASSERT_EQ(0, system("rm -rf " DIR " && mkdir " DIR));
	if (access("/dev/vcpc", F_OK))
		setenv("SHIM_TRACE", "probe", 1);
	if (!self->missing)
		ASSERT_EQ(0, shim_trace_on(NULL));
}

FIXTURE_TEARDOWN(record_brief)
{
	shim_trace_off();
	ASSERT_EQ(0, system("rm -rf " DIR));
}

TEST_F(record_brief, has_all)
{
	const char *many = getenv("RECORDINGS");
	int recordings = many ? atoi(many) : 5;

	if (self->missing)
		SKIP(return, "%s", self->missing);
	make_tags();
	for (int i = 0; i < recordings; i++) {
		ASSERT_EQ(0, record(i));
		EXPECT_EQ(TRANSACTIONS, compared(i, "brief", "count"));
		EXPECT_EQ(1, compared(i, "brief start", "count"));
	}
}

int main(int argc, char **argv)
{
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char folder[sizeof(program)];

	if (argc > 1 && !strcmp(argv[1], "--brief"))
		return brief();
	if (n < 0)
		return KSFT_FAIL;
	strcpy(folder, program);
	snprintf(vcpc, sizeof(vcpc), "%s/../../bin/vcpc", dirname(folder));
	if (access(vcpc, X_OK))
		snprintf(vcpc, sizeof(vcpc), "vcpc");
	return test_harness_run(argc, argv);
}
