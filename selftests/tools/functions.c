// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vcpc trace --function and --usdt trace this program's functions and USDT probes, and reject
 * invalid arguments.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#define TRACED __attribute__((noipa))
#define HIDDEN __attribute__((used, visibility("hidden")))

HIDDEN volatile unsigned short wanted __attribute__((section(".probes")));

TRACED int traced_function(int n);
TRACED void marked(void);

int traced_function(int n)
{
	return n * wanted;
}

/*
 * Define a USDT probe as <sys/sdt.h> does, with the provider "shop" and a semaphore that counts
 * tracers.
 */
#define MARK(name)									\
	__asm__ volatile("990: nop\n"							\
		".pushsection .note.stapsdt, \"\", \"note\"\n"			\
		".balign 4; .4byte 992f - 991f, 994f - 993f, 3\n"			\
		"991: .asciz \"stapsdt\"; 992: .balign 4\n"				\
		"993: .8byte 990b, _.stapsdt.base, wanted\n"				\
		".asciz \"shop\"; .asciz \"" name "\"; .asciz \"\"\n"		\
		"994: .balign 4; .popsection\n"					\
		".ifndef _.stapsdt.base\n"						\
		".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"	\
		".weak _.stapsdt.base; .hidden _.stapsdt.base\n"			\
		"_.stapsdt.base: .space 1; .size _.stapsdt.base, 1; .popsection\n"	\
		".endif")

void marked(void)
{
	MARK("order_begin");
	traced_function(1);
	MARK("order_end");
}

/* Run a command, and store the output of both streams in @out.  Return its exit status, or -1. */
static int run(char *out, size_t size, const char *command)
{
	char full[1024];
	size_t len;
	FILE *f;
	int status;

	snprintf(full, sizeof(full), "%s 2>&1", command);
	f = popen(full, "r");
	if (!f)
		return -1;
	len = fread(out, 1, size - 1, f);
	out[len] = '\0';
	status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define CALLS	5

/* With this variable, the program only calls the traced function. */
static void __attribute__((constructor)) only_call(void)
{
	if (!getenv("FUNCTIONS_ONLY_CALL"))
		return;
	for (int i = 0; i < CALLS; i++)
		traced_function(i);
	_exit(0);
}

FIXTURE(functions) {
	char out[8192], self[200], command[600];
};

FIXTURE_SETUP(functions)
{
	ssize_t len = readlink("/proc/self/exe", self->self, sizeof(self->self) - 1);

	ASSERT_LT(0, len);
	run(self->out, sizeof(self->out), "vcpc trace off");
}

FIXTURE_TEARDOWN(functions)
{
	run(self->out, sizeof(self->out), "vcpc trace off");
}

/* Format a command with the path of this program as the argument of %s, and run it. */
#define RUN(...) ({									\
	snprintf(self->command, sizeof(self->command), __VA_ARGS__);			\
	run(self->out, sizeof(self->out), self->command); })
#define PRINTED(text) (strstr(self->out, text) != NULL)

#define REFUSED(status, text, ...) do {						\
	EXPECT_EQ(status, RUN(__VA_ARGS__)) TH_LOG("%s", self->out);			\
	EXPECT_TRUE(PRINTED(text)) TH_LOG("%s", self->out);				\
	EXPECT_EQ(0, RUN("vcpc trace status"));					\
	EXPECT_TRUE(PRINTED("off"));							\
} while (0)

TEST_F(functions, a_function)
{
	ASSERT_EQ(0, RUN("vcpc trace on --function %s:traced_function=work", self->self)) TH_LOG("%s", self->out);
	for (int i = 0; i < 1234; i++)
		traced_function(i);
	ASSERT_EQ(0, RUN("vcpc trace show"));
	EXPECT_TRUE(PRINTED("\nwork ")) TH_LOG("%s", self->out);
	EXPECT_TRUE(PRINTED("1234")) TH_LOG("%s", self->out);
	ASSERT_EQ(0, RUN("vcpc trace functions"));
	EXPECT_TRUE(PRINTED("work")) TH_LOG("%s", self->out);
	EXPECT_TRUE(PRINTED(self->self)) TH_LOG("%s", self->out);
	EXPECT_EQ(1, RUN("vcpc trace on --function %s:traced_function", self->self));
	EXPECT_TRUE(PRINTED("already on"));
}

TEST_F(functions, in_archives)
{
	ASSERT_EQ(0, RUN("vcpc trace on --function libc.so.6:fflush"));
	ASSERT_EQ(0, RUN("vcpc record -o /tmp/functions.$$ -I 20ms -e page-faults -- vcpc --version && "
			 "vcpc summary /tmp/functions.$$ && vcpc report /tmp/functions.$$ -o /tmp/functions.html && "
			 "grep -c fflush /tmp/functions.html && rm /tmp/functions.$$.* /tmp/functions.html")) TH_LOG("%s", self->out);
	EXPECT_TRUE(PRINTED("fflush")) TH_LOG("%s", self->out);
}

TEST_F(functions, with_counts)
{
	ASSERT_EQ(0, RUN("vcpc trace on --function %s:traced_function=work -p %d --counts page-faults",
			 self->self, getpid())) TH_LOG("%s", self->out);
	for (int i = 0; i < 12; i++)
		traced_function(i);
	ASSERT_EQ(0, RUN("vcpc trace show --json"));
	EXPECT_TRUE(PRINTED("page-faults")) TH_LOG("%s", self->out);
	EXPECT_TRUE(PRINTED("\"transactions\":12")) TH_LOG("%s", self->out);
	REFUSED(1, "has not mapped a file 'x'", "vcpc trace off && vcpc trace on -p 999999999 --function x:f");
}

TEST_F(functions, marks)
{
	ASSERT_EQ(0, wanted);
	ASSERT_EQ(0, RUN("vcpc trace on --usdt %s:shop:order_begin,order_end=order -p %d", self->self, getpid()))
		TH_LOG("%s", self->out);
	EXPECT_NE(0, wanted);
	for (int i = 0; i < 77; i++)
		marked();
	ASSERT_EQ(0, RUN("vcpc trace show --json"));
	EXPECT_TRUE(PRINTED("\"order\"")) TH_LOG("%s", self->out);
	EXPECT_TRUE(PRINTED("77")) TH_LOG("%s", self->out);
	ASSERT_EQ(0, RUN("vcpc trace off"));
	for (int i = 0; i < 1000 && wanted; i++)
		usleep(1000);
	EXPECT_EQ(0, wanted);
}

TEST_F(functions, libraries_and_programs_by_name)
{
	EXPECT_EQ(0, RUN("vcpc trace on --function libc.so.6:read --function vcpc:main && vcpc trace functions"))
		TH_LOG("%s", self->out);
	EXPECT_TRUE(PRINTED("/libc.so.6")) TH_LOG("%s", self->out);
	EXPECT_EQ(0, RUN("vcpc trace off && vcpc trace on -p %d --function libc.so.6:read && vcpc trace functions",
			 getpid())) TH_LOG("%s", self->out);
	EXPECT_TRUE(PRINTED("/root/")) TH_LOG("%s", self->out);
}

/* Remove the symbols from a copy of this program: its header then declares no sections. */
static int hide_symbols(const char *path)
{
	Elf64_Ehdr header;
	int fd = open(path, O_RDWR | O_CLOEXEC), ret = -1;

	if (pread(fd, &header, sizeof(header), 0) == sizeof(header)) {
		header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
		ret = pwrite(fd, &header, sizeof(header), 0) == sizeof(header) ? 0 : -1;
	}
	close(fd);
	return ret;
}

/* The owner of a file can replace it after vcpc has read its symbols. */
TEST_F(functions, a_file_that_is_replaced)
{
	char event[sizeof(struct inotify_event) + NAME_MAX + 1];
	int watch = inotify_init1(IN_CLOEXEC);
	pid_t pid;

	ASSERT_LE(0, watch);
	ASSERT_EQ(0, RUN("rm -rf /tmp/replaced && mkdir /tmp/replaced && cp %s /tmp/replaced/one && "
			 "cp %s /tmp/replaced/two && ln /tmp/replaced/one /tmp/replaced/program && "
			 "ln /tmp/replaced/two /tmp/replaced/other", self->self, self->self)) TH_LOG("%s", self->out);
	ASSERT_EQ(0, hide_symbols("/tmp/replaced/two"));
	ASSERT_LE(0, inotify_add_watch(watch, "/tmp/replaced/one", IN_OPEN));
	pid = fork();
	if (!pid)
		_exit(read(watch, event, sizeof(event)) <= 0 ||
		      rename("/tmp/replaced/other", "/tmp/replaced/program"));
	close(watch);
	ASSERT_EQ(0, RUN("vcpc trace on --function /tmp/replaced/program:traced_function=work")) TH_LOG("%s", self->out);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_EQ(0, RUN("FUNCTIONS_ONLY_CALL=1 /tmp/replaced/two && vcpc trace show --json"));
	EXPECT_FALSE(PRINTED("\"work\"")) TH_LOG("%s", self->out);
	EXPECT_EQ(0, RUN("FUNCTIONS_ONLY_CALL=1 /tmp/replaced/one && vcpc trace show --json && rm -r /tmp/replaced"));
	EXPECT_TRUE(PRINTED("\"work\"")) TH_LOG("%s", self->out);
}

TEST_F(functions, what_cannot_be_found)
{
	REFUSED(1, "(near names: traced_function)", "vcpc trace on --function %s:traced_funktion", self->self);
	REFUSED(1, "no function 'qqqqqqqq'", "vcpc trace on --function %s:qqqqqqqq", self->self);
	REFUSED(1, "specify the library, as in libc.so.6:popen", "vcpc trace on --function %s:popen", self->self);
	REFUSED(1, "selects one of several functions for 'memcpy'", "vcpc trace on --function libc.so.6:memcpy");
	REFUSED(1, "cannot find 'no-such-program' in PATH", "vcpc trace on --function no-such-program:main");
	REFUSED(1, "cannot find 'libnone.so.1' in the library directories",
		"vcpc trace on --function libnone.so.1:f");
	REFUSED(1, "No such file or directory", "vcpc trace on --function /no/such/file:f");
	REFUSED(1, "is not a compiled program", "vcpc trace on --function /proc/self/status:f");
	REFUSED(1, "no USDT probe 'shop:order_bgin' (near names: shop:order_begin",
		"vcpc trace on --usdt %s:shop:order_bgin,order_end", self->self);
	REFUSED(1, "has not mapped a file 'libnone.so'", "vcpc trace on --function libnone.so:f -p %d", getpid());
	REFUSED(1, "has no function '0x1'", "vcpc trace on --function %s:0x1", self->self);
}

TEST_F(functions, what_is_typed_wrong)
{
	REFUSED(2, "is not BINARY:SYMBOL[=TAG]", "vcpc trace on --function f");
	REFUSED(2, "is not BINARY:SYMBOL[=TAG]", "vcpc trace on --function :f");
	REFUSED(2, "is not BINARY:SYMBOL[=TAG]", "vcpc trace on --function libc.so.6:");
	REFUSED(2, "is not BINARY:SYMBOL[=TAG]", "vcpc trace on --function libc.so.6:read=");
	REFUSED(2, "is not BINARY:PROVIDER:BEGIN,END[=TAG]", "vcpc trace on --usdt libc.so.6:read");
	REFUSED(2, "is not BINARY:PROVIDER:BEGIN,END[=TAG]", "vcpc trace on --usdt libc.so.6:a:b");
	REFUSED(2, "require --function or --usdt", "vcpc trace on -p 1");
	REFUSED(2, "invalid number", "vcpc trace on --function libc.so.6:read -p x");
	REFUSED(2, "does not accept this option", "vcpc trace off --function libc.so.6:read");
	REFUSED(1, "tracing is off", "vcpc trace functions");
}

TEST_HARNESS_MAIN
