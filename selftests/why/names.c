// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If a tag, a program and a function have hostile names, each output of vcpc why contains the names
 * as data, and a strict reader of its format finds them.  Functions of programs that exit at once
 * have names, regardless of the user that runs these programs.
 */
#include <libgen.h>
#include <sys/prctl.h>
#include <time.h>

#include "../bpf/bpf_test.h"
#include "../tools/json.h"

#define OUT	"/tmp/vcpc-why-names.out"
#define TAG	"</script><b>\"=cmd|x\033[31m;\u202e\n"
#define PROGRAM	"/tmp/=cmd <b>\"\033[31m;\u202e"
/* The name, of the same length, that replaces function_with_another_name() in the copied program */
#define FUNCTION "</script>=cmd\"<b>\033[31m;\u202e"
#define BEFORE	"function_with_another_name"

_Static_assert(sizeof(FUNCTION) == sizeof(BEFORE), "same length");

static char vcpc[256], libs[256];

void function_with_another_name(void);

static __attribute__((noinline, noclone)) void wait_a_while(void)
{
	const struct timespec ms = { .tv_nsec = 2000000 };

	nanosleep(&ms, NULL);
	__asm__ volatile("");	/* prevents a tail call */
}

__attribute__((noinline, noclone)) void function_with_another_name(void)
{
	wait_a_while();	/* the stack does not contain the caller of a C library function */
	__asm__ volatile("");
}

static void transact(const char *tag)
{
	pmtracebegin(tag);
	function_with_another_name();
	pmtraceend(tag);
}

/* Make one transaction and exit.  If @in_child, make it in a child, which executes no program. */
static void exit_at_once(bool in_child)
{
	pid_t child = in_child ? fork() : 0;

	if (!child)
		transact(in_child ? "forked" : "executed");
	else
		waitpid(child, NULL, 0);
	_exit(0);
}

/* Run as the program to be explained, which is a copy of this one with a hostile name. */
static void __attribute__((constructor)) be_explained(void)
{
	const char *how = getenv("WHY_NAMES_CHILD");

	if (!how)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!strcmp(how, "hostile"))
		transact(TAG);
	exit_at_once(!strcmp(how, "forks"));
}

FIXTURE(names) {
	const char *missing;
	pid_t child;
	char *text;
};


static void find_files(char *exe, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", exe, size - 1);
	char copy[200], *folder;

	exe[len > 0 ? len : 0] = '\0';
	snprintf(copy, sizeof(copy), "%s", exe);
	folder = dirname(copy);
	snprintf(vcpc, sizeof(vcpc), "%s/../../bin/vcpc", folder);
	snprintf(libs, sizeof(libs), "%s/../../lib", folder);
	if (access(vcpc, X_OK))
		snprintf(vcpc, sizeof(vcpc), "vcpc");
}

/* Copy a program, and replace the function's name in the copy. Return 0, or -1. */
static int copy_program(const char *from, const char *to)
{
	const int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	const off_t size = lseek(in, 0, SEEK_END);
	char *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, in, 0), *at = data;
	int changed = 0, err;

	if (out < 0 || data == MAP_FAILED)
		return -1;
	while ((at = memmem(at, data + size - at, BEFORE, strlen(BEFORE)))) {
		memcpy(at, FUNCTION, strlen(FUNCTION));
		changed++;
	}
	err = write(out, data, size) != size || !changed ? -1 : 0;
	munmap(data, size);
	close(in);
	close(out);
	return err;
}

static pid_t execute(const char *how, uid_t user)
{
	pid_t pid = fork();

	if (!pid) {
		setenv("WHY_NAMES_CHILD", how, 1);
		if (!access(libs, F_OK))
			setenv("LD_LIBRARY_PATH", libs, 1);
		if (!setuid(user))
			execl(PROGRAM, PROGRAM, NULL);
		_exit(127);
	}
	return pid;
}

static pid_t execute_hostile(void)
{
	return execute("hostile", 0);
}

/* Repeatedly execute the program as another user.  Each process exits after milliseconds. */
static pid_t execute_often(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		waitpid(execute("once", 65534), NULL, 0);
		waitpid(execute("forks", 65534), NULL, 0);
		usleep(20000);
	}
}

/* Start the program with @how.  Return its process ID, or 0 and the reason in @missing. */
static pid_t start(struct __test_metadata *_metadata, pid_t (*how)(void), const char **missing)
{
	char exe[200];

	EXPECT_EQ(0, trace_place(SHIM_TRACE_F_PROBES, missing));
	setenv("SHIM_TRACE", "probe", 1);
	if (*missing)
		return 0;
	find_files(exe, sizeof(exe));
	EXPECT_EQ(0, copy_program(exe, PROGRAM));
	return how();
}

static void stop(pid_t child, char *text)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	unlink(PROGRAM);
	unlink(OUT);
	free(text);
}

FIXTURE_SETUP(names)
{
	self->child = start(_metadata, execute_hostile, &self->missing);
	ASSERT_LE(0, self->child);
}

FIXTURE_TEARDOWN(names)
{
	stop(self->child, self->text);
}

FIXTURE(exited) {
	const char *missing;
	pid_t child;
	char *text;
};

FIXTURE_SETUP(exited)
{
	self->child = start(_metadata, execute_often, &self->missing);
	ASSERT_LE(0, self->child);
}

FIXTURE_TEARDOWN(exited)
{
	stop(self->child, self->text);
}

static char *why(const char *options)
{
	char command[400], *text = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(command, sizeof(command), "'%s' why --probes --for 3s %s >" OUT, vcpc, options);
	if (system(command))
		return NULL;
	f = fopen(OUT, "r");
	if (f && getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

/*
 * Return whether a text could control a terminal, because it contains a control character other
 * than a line feed, or a text direction override.
 */
static bool steers(const char *text)
{
	for (const unsigned char *s = (const unsigned char *)text; *s; s++)
		if ((*s < ' ' && *s != '\n') || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0) ||
		    (*s == 0xe2 && s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae))
			return true;
	return false;
}

static unsigned int strings_with(const struct json *j, const char *part)
{
	unsigned int n = 0;

	for (; j; j = j->next)
		n += (j->type == JSON_STRING && strstr(j->text, part)) + strings_with(j->first, part);
	return n;
}

TEST_F(names, json)
{
	const char *at;
	struct json *json;

	UNLESS_MISSING();
	at = self->text = why("--json");
	ASSERT_NE(NULL, at);
	EXPECT_FALSE(steers(at));
	json = json_value(&at, 0);
	ASSERT_NE(NULL, json);
	EXPECT_STREQ("\n", at);
	EXPECT_EQ(1, strings_with(json, TAG));
	EXPECT_LE(1, strings_with(json, "</script>=cmd\"<b>"));
	json_free(json);
}

TEST_F(names, text)
{
	UNLESS_MISSING();
	self->text = why("2>&1");
	ASSERT_NE(NULL, self->text);
	EXPECT_FALSE(steers(self->text)) {
		TH_LOG("%s", self->text);
	}
	EXPECT_NE(NULL, strstr(self->text, "</script><b>\"=cmd|x?[31m"));
	EXPECT_NE(NULL, strstr(self->text, "\n      </script>=cmd\"<b>_[31m____")) {
		TH_LOG("%s", self->text);
	}
}

/* Semicolons separate frames, so they are replaced in names.  The weight follows the last space. */
TEST_F(names, folded)
{
	static const char function[] = "</script>=cmd\"<b>_[31m____";
	char *line, *field, *lines, *fields;
	unsigned int found = 0;

	UNLESS_MISSING();
	self->text = why("--folded");
	ASSERT_NE(NULL, self->text);
	EXPECT_FALSE(steers(self->text));
	for (line = strtok_r(self->text, "\n", &lines); line; line = strtok_r(NULL, "\n", &lines)) {
		char *weight = strrchr(line, ' ');

		ASSERT_NE(NULL, weight);
		ASSERT_EQ(strlen(weight + 1), strspn(weight + 1, "0123456789"));
		*weight = '\0';
		field = strtok_r(line, ";", &fields);
		EXPECT_EQ(0, strncmp(field, "</script><b>\"=cmd|x?[31m", 24));
		EXPECT_LE(27, strlen(field));
		while ((field = strtok_r(NULL, ";", &fields)))
			if (!strcmp(field, function))
				found++;
	}
	EXPECT_LE(1, found);
}

/* Return the number of lines that contain the names of the function and of its caller. */
static unsigned int lines_with_names(const char *text)
{
	unsigned int found = 0;

	while ((text = strstr(text, ";be_explained;</script>=cmd\"<b>_[31m____;"))) {
		found++;
		text++;
	}
	return found;
}

TEST_F(exited, executed)
{
	UNLESS_MISSING();
	self->text = why("executed --folded");
	ASSERT_NE(NULL, self->text);
	EXPECT_LE(1, lines_with_names(self->text)) {
		TH_LOG("%s", self->text);
	}
}

TEST_F(exited, forked)
{
	UNLESS_MISSING();
	self->text = why("forked --folded");
	ASSERT_NE(NULL, self->text);
	EXPECT_LE(1, lines_with_names(self->text)) {
		TH_LOG("%s", self->text);
	}
}

TEST_HARNESS_MAIN
