// SPDX-License-Identifier: GPL-2.0-or-later
/* A program with more privileges than its caller ignores the caller's environment. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/import.h>
#include <pcp/pmapi.h>

#include "kselftest_harness.h"

#define NOBODY		65534
#define NOT_SECURE	77

/* Called in the set-user-ID program. Return 0, or the number of the variable that was used. */
static int privileged(void)
{
	static pmLongOptions options[] = { PMOPT_ARCHIVE, PMAPI_OPTIONS_END };
	pmOptions opts = { .short_options = "a:", .long_options = options };
	char *const argv[] = { "x", NULL };
	char *value;

	if (!getauxval(AT_SECURE))
		return NOT_SECURE;
	pmprintf("to a file of the caller's choice\n");
	pmflush();
	value = pmGetOptionalConfig("SHIM_TEST_CONFIG");
	if (value)
		return 1;
	value = pmGetOptionalConfig("SHIM_TEST_ENVIRONMENT");
	if (value)
		return 2;
	pmGetOptions(1, argv, &opts);
	return opts.narchives ? 3 : 0;
}

/* A copy of this program that belongs to root, as an unprivileged caller runs it */
static int run(const char *program, const char *dir)
{
	char file[128], conf[128];
	int status;
	pid_t pid = fork();

	if (!pid) {
		snprintf(file, sizeof(file), "PCP_STDERR=%s/written", dir);
		snprintf(conf, sizeof(conf), "PCP_CONF=%s/conf", dir);
		char *const env[] = { file, conf, "PCP_ARCHIVE=/no/such/archive",
				      "SHIM_TEST_ENVIRONMENT=yes", NULL };
		char *const argv[] = { (char *)program, "privileged", NULL };

		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(NOT_SECURE);
		execve(program, argv, env);
		_exit(NOT_SECURE);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int copy_with(const char *to, mode_t mode)
{
	char command[256];

	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", getpid(), to);
	return system(command) || chmod(to, mode);
}

FIXTURE(caller) {
	char dir[32];
	char program[64], written[64];
};

FIXTURE_SETUP(caller)
{
	char conf[64];
	FILE *f;

	strcpy(self->dir, "/var/tmp/secure.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	chmod(self->dir, 0777);
	snprintf(self->program, sizeof(self->program), "%s/program", self->dir);
	snprintf(self->written, sizeof(self->written), "%s/written", self->dir);
	snprintf(conf, sizeof(conf), "%s/conf", self->dir);
	f = fopen(conf, "w");
	fprintf(f, "SHIM_TEST_CONFIG=yes\n");
	fclose(f);
}

FIXTURE_TEARDOWN(caller)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", self->dir);
	EXPECT_EQ(0, system(command));
}

TEST_F(caller, of_a_set_user_id_program)
{
	int what;

	if (getuid())
		SKIP(return, "needs root, to give a program away");
	ASSERT_EQ(0, copy_with(self->program, 04755));
	what = run(self->program, self->dir);
	if (what == NOT_SECURE)
		SKIP(return, "set-user-ID has no effect here");
	EXPECT_EQ(0, what);
	EXPECT_EQ(-1, access(self->written, F_OK));
}

TEST_F(caller, of_a_program_of_its_own)
{
	char variable[96];

	snprintf(variable, sizeof(variable), "%s/conf", self->dir);
	setenv("PCP_CONF", variable, 1);
	setenv("PCP_STDERR", self->written, 1);
	pmprintf("to a file of the caller's choice\n");
	EXPECT_EQ(0, pmflush());
	EXPECT_EQ(0, access(self->written, F_OK));
	EXPECT_STREQ("yes", pmGetOptionalConfig("SHIM_TEST_CONFIG"));
	EXPECT_STREQ("yes", getenv("SHIM_TEST_CONFIG"));
}

#define main harness_main
TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "privileged"))
		return privileged();
	return harness_main(argc, argv);
}
