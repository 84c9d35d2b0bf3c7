// SPDX-License-Identifier: GPL-2.0-or-later
/* A program with more privileges than its caller ignores the caller's environment. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/import.h>
#include <pcp/pmapi.h>
#include <pcp/trace.h>
#include <shim/shim.h>

#include "core/pfm.h"

#include "kselftest_harness.h"

#define NOBODY		65534
#define NOT_SECURE	77

/* Run in the set-user-ID program.  Return 0, or the number of the variable that was used. */
static int privileged(void)
{
	static pmLongOptions options[] = { PMOPT_ARCHIVE, PMAPI_OPTIONS_END };
	pmOptions opts = { .short_options = "a:", .long_options = options };
	char *const argv[] = { "x", NULL };
	struct vcpc_request request;
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
	if (opts.narchives)
		return 3;
	return shim_pfm__encode("cpu-clock", &request) == -ELIBACC ? 0 : 4;
}

/* Make all calls whose files and hosts the environment can select. */
static int use_all(void)
{
	static pmLongOptions options[] = {
		PMOPT_ARCHIVE, PMOPT_HOST, PMOPT_TIMEZONE, PMAPI_OPTIONS_END
	};
	pmOptions opts = { .short_options = "a:h:Z:", .long_options = options };
	char *const argv[] = { "x", NULL };
	struct shim_handle *handle;

	pmtracebegin("tag");
	pmtraceend("tag");
	pmNewContext(PM_CONTEXT_HOST, "local:");
	pmNewContext(PM_CONTEXT_LOCAL, NULL);
	pmGetOptions(1, argv, &opts);
	for (int i = 0; i < opts.narchives; i++)
		pmNewContext(PM_CONTEXT_ARCHIVE, opts.archives[i]);
	pmGetConfig("PCP_VAR_DIR");
	pmLoadDerivedConfig("/nonexistent");
	pmprintf("text\n");
	pmflush();
	if (!shim_open(&handle))
		shim_close(handle);
	return 0;
}

/* As an unprivileged user, run a copy of this program that belongs to root. */
static int run(const char *program, const char *dir)
{
	char file[128], conf[128];
	int status;
	pid_t pid = fork();

	if (!pid) {
		snprintf(file, sizeof(file), "PCP_STDERR=%s/written", dir);
		snprintf(conf, sizeof(conf), "PCP_CONF=%s/conf", dir);
		char *const env[] = { file, conf, "PCP_ARCHIVE=/no/such/archive",
				      "SHIM_TEST_ENVIRONMENT=yes", "LIBPFM_DISABLED_PMUS=core",
				      NULL };
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

#define VARIABLES	200

/*
 * Return whether @text, from the file of this program, is the name of a variable that the library
 * may read.
 */
static bool is_variable(const char *text)
{
	static const char *const begins[] = {
		"PCP_", "PMCD_", "PMPROXY_", "SHIM_", "VCPC_", "TMPDIR", "HOME",
	};
	size_t len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins) && !text[len]; i++)
		if (!strncmp(text, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* Set all variables whose names are in this program's file to @value.  Return their number. */
static int set_all(char *env[VARIABLES + 1], const char *value)
{
	int fd = open("/proc/self/exe", O_RDONLY), n = 0;
	struct stat st;
	const char *file;

	if (fd < 0 || fstat(fd, &st))
		return 0;
	file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	for (off_t i = 1; i + 64 < st.st_size && n < VARIABLES; i++)
		if (!file[i - 1] && isupper(file[i]) && memchr(file + i, 0, 64) &&
		    is_variable(file + i) && asprintf(&env[n], "%s=%s", file + i, value) > 0)
			n++;
	env[n] = NULL;
	close(fd);
	return n;
}

/* Run a program as a user, with all variables set to @value. */
static void run_all(const char *program, uid_t user, const char *value)
{
	char *const argv[] = { (char *)program, "all", NULL };
	char *env[VARIABLES + 1];
	pid_t pid = fork();
	int null;

	if (!pid) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, 2);
		alarm(5);	/* do not wait: no process answers */
		if (set_all(env, value) < 30 || setgid(user) || setuid(user))
			_exit(1);
		execve(program, argv, env);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

/* Return whether the program opens or changes the directory or file that the variables name. */
static bool uses_path(const char *program, uid_t user, const char *dir, bool folder)
{
	int watch = inotify_init1(IN_NONBLOCK);
	char events[4096], bait[64];
	bool used;

	snprintf(bait, sizeof(bait), "%s/bait", dir);
	if (folder)
		mkdir(bait, 0777);
	else
		close(open(bait, O_CREAT | O_WRONLY, 0666));
	chmod(bait, 0777);
	inotify_add_watch(watch, bait, IN_OPEN | IN_CREATE | IN_MODIFY | IN_ACCESS | IN_DELETE |
			  IN_DELETE_SELF);
	run_all(program, user, bait);
	used = read(watch, events, sizeof(events)) > 0;
	close(watch);
	remove(bait);
	return used;
}

/* Return whether the program connects to the socket @fd, which @value names. */
static bool uses_socket(const char *program, uid_t user, int fd, const char *value)
{
	int got;

	listen(fd, 10);
	run_all(program, user, value);
	got = accept(fd, NULL, NULL);
	if (got >= 0)
		close(got);
	close(fd);
	return got >= 0;
}

static bool uses_unix(const char *program, uid_t user, const char *dir)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	bool used;

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/bait", dir);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || chmod(at.sun_path, 0777))
		return false;
	used = uses_socket(program, user, fd, at.sun_path);
	unlink(at.sun_path);
	return used;
}

/* Return whether the program uses PCP_TRACE_PORT, with the default host, which is this machine. */
static bool uses_port(const char *program, uid_t user)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	char value[16];

	if (bind(fd, (struct sockaddr *)&at, len) || getsockname(fd, (struct sockaddr *)&at, &len))
		return false;
	snprintf(value, sizeof(value), "%d", ntohs(at.sin_port));
	return uses_socket(program, user, fd, value);
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
		SKIP(return, "requires root, to change the owner of a program");
	ASSERT_EQ(0, copy_with(self->program, 04755));
	what = run(self->program, self->dir);
	if (what == NOT_SECURE)
		SKIP(return, "set-user-ID has no effect here");
	EXPECT_EQ(0, what);
	EXPECT_EQ(-1, access(self->written, F_OK));
}

TEST_F(caller, selects_no_file_and_no_host)
{
	if (getuid())
		SKIP(return, "requires root, to change the owner of a program");
	ASSERT_EQ(0, copy_with(self->program, 04755));
	if (run(self->program, self->dir) == NOT_SECURE)
		SKIP(return, "set-user-ID has no effect here");
	EXPECT_FALSE(uses_path(self->program, NOBODY, self->dir, true));
	EXPECT_FALSE(uses_path(self->program, NOBODY, self->dir, false));
	EXPECT_FALSE(uses_unix(self->program, NOBODY, self->dir));
	EXPECT_FALSE(uses_port(self->program, NOBODY));
}

/*
 * If the user may select the files, the program uses them, which shows that the test above can
 * fail.
 */
TEST_F(caller, selects_those_of_its_own_program)
{
	ASSERT_EQ(0, copy_with(self->program, 0755));
	EXPECT_TRUE(uses_path(self->program, getuid(), self->dir, true));
	EXPECT_TRUE(uses_path(self->program, getuid(), self->dir, false));
	EXPECT_TRUE(uses_unix(self->program, getuid(), self->dir));
	EXPECT_TRUE(uses_port(self->program, getuid()));
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
	if (argc == 2 && !strcmp(argv[1], "all"))
		return use_all();
	return harness_main(argc, argv);
}
