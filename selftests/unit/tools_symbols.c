// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses in this program, and in copies of it that have exited and were deleted, are resolved to
 * functions and lines.
 */
#include "tools_symbols.h"

TEST_F(symbols, a_function_of_this_program)
{
	symbols_of_process(self->symbols, getpid(), (unsigned long)planted + 1, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
	EXPECT_STREQ("tools_symbols.h", self->symbol.file);
	EXPECT_LT(20, self->symbol.line);
	EXPECT_GT(60, self->symbol.line);
	EXPECT_EQ(2, planted(1));
}

TEST_F(symbols, a_library_without_symbols_has_its_dynamic_ones)
{
	symbols_of_process(self->symbols, getpid(), (unsigned long)mkdtemp, &self->symbol);
	EXPECT_STREQ("mkdtemp", self->symbol.name);
}

TEST_F(symbols, a_running_program_by_build_id)
{
	ASSERT_EQ(0, make_copy(self));
	ASSERT_EQ(0, start(self));
	symbols_of_file(self->symbols, self->child, self->id, self->told.offset, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
	EXPECT_STREQ("tools_symbols.h", self->symbol.file);
}

/* The kernel pads a short build ID with zeros.  Linkers create IDs of 8, 16 or 20 bytes. */
TEST_F(symbols, a_build_id_of_16_bytes)
{
	static const char note[] = "\4\0\0\0\24\0\0\0\3\0\0\0GNU";
	static const char shorter[] = "\4\0\0\0\20\0\0\0\3\0\0\0GNU";

	ASSERT_EQ(0, make_copy(self));
	ASSERT_LE(1, change_copy(self, note, shorter, sizeof(note)));
	ASSERT_EQ(0, start(self));
	EXPECT_EQ(0, memcmp(self->id + 16, "\0\0\0", 4));
	symbols_of_file(self->symbols, self->child, self->id, self->told.offset, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
}

/* The name of a source file is printed to the terminal, so it must have no control characters. */
TEST_F(symbols, a_source_file_with_a_hostile_name)
{
	static const char file[] = "tools_symbols.h", hostile[] = "tools\033sym;ols.h";

	ASSERT_EQ(0, make_copy(self));
	ASSERT_LE(0, change_copy(self, file, hostile, sizeof(file)));
	ASSERT_EQ(0, start(self));
	symbols_of_process(self->symbols, self->child, self->told.address, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
	EXPECT_EQ(0, strncmp(self->symbol.file, "tools_sym", 9)) {
		TH_LOG("%s", self->symbol.file);
	}
	EXPECT_EQ(NULL, strpbrk(self->symbol.file, "\033;"));
}

TEST_F(symbols, a_program_that_exited_and_was_deleted)
{
	pid_t pid;

	ASSERT_EQ(0, make_copy(self));
	ASSERT_EQ(0, start(self));
	pid = self->child;
	ASSERT_EQ(0, symbols_learn(self->symbols, pid));
	end_child(self);
	ASSERT_EQ(0, unlink(self->copy));
	EXPECT_GT(0, symbols_learn(self->symbols, pid));
	symbols_of_process(self->symbols, pid, self->told.address, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
	symbols_of_file(self->symbols, pid, self->id, self->told.offset, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
}

/*
 * The owner of a mapped file can replace it by a link to a FIFO or device, which must not be opened:
 * a process that opens the FIFO for writing would continue.
 */
TEST_F(symbols, a_fifo_is_not_opened)
{
	pid_t writer;

	ASSERT_EQ(0, mkfifo(self->copy, 0600));
	writer = fork();
	ASSERT_LE(0, writer);
	if (!writer) {
		alarm(60);
		_exit(open(self->copy, O_WRONLY));
	}
	usleep(100000);
	EXPECT_EQ(-1, symbols_open_in(getpid(), self->copy, 0));
	EXPECT_EQ(ENXIO, errno);
	usleep(100000);
	EXPECT_EQ(0, waitpid(writer, NULL, WNOHANG));
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
}

TEST_F(symbols, an_unknown_program)
{
	memset(self->id, 0xab, sizeof(self->id));
	symbols_of_file(self->symbols, 0, self->id, 0x123, &self->symbol);
	EXPECT_STREQ("[abababababab]+0x123", self->symbol.name);
	EXPECT_STREQ("", self->symbol.file);
	symbols_of_process(self->symbols, 1 << 30, 0x123, &self->symbol);
	EXPECT_STREQ("[1073741824]+0x123", self->symbol.name);
}

/* There can be thousands of frames without a name, so the process is read only once. */
TEST_F(symbols, an_unknown_file_of_a_known_process)
{
	unsigned int before;

	memset(self->id, 0xab, sizeof(self->id));
	symbols_of_file(self->symbols, getpid(), self->id, 0x123, &self->symbol);
	before = lines;
	EXPECT_LT(0, before);
	symbols_of_file(self->symbols, getpid(), self->id, 0x123, &self->symbol);
	EXPECT_STREQ("[abababababab]+0x123", self->symbol.name);
	EXPECT_EQ(before, lines);
}

/*
 * Each failure to open a process's list of mappings, a mapped file, or the kernel's list is
 * counted.
 */
TEST_F(symbols, too_many_open_files_are_counted)
{
	struct rlimit old = limit_files(0);

	EXPECT_EQ(-EMFILE, symbols_learn(self->symbols, getpid()));
	EXPECT_EQ(1, symbols_dropped(self->symbols));
	EXPECT_TRUE(symbols_kernel_hidden(self->symbols));
	EXPECT_EQ(2, symbols_dropped(self->symbols));
	setrlimit(RLIMIT_NOFILE, &old);
	old = limit_files(1);
	symbols_learn(self->symbols, getpid());
	EXPECT_LT(2, symbols_dropped(self->symbols));
	setrlimit(RLIMIT_NOFILE, &old);
}

/* After a failure to read new mappings, the known ones are kept. */
TEST_F(symbols, mappings_that_cannot_be_read_again)
{
	ASSERT_EQ(0, symbols_learn(self->symbols, getpid()));
	bad_line = "libc.so";
	EXPECT_EQ(-EIO, symbols_learn(self->symbols, getpid()));
	bad_line = NULL;
	EXPECT_EQ(1, symbols_dropped(self->symbols));
	symbols_of_process(self->symbols, getpid(), (unsigned long)mkdtemp, &self->symbol);
	EXPECT_STREQ("mkdtemp", self->symbol.name);
}

/* A failure to read mappings, or to allocate memory for them, is an error and is counted. */
TEST_F(symbols, mappings_that_cannot_be_read)
{
	bad_line = "[stack]";
	EXPECT_EQ(-EIO, symbols_learn(self->symbols, getpid()));
	EXPECT_EQ(1, symbols_dropped(self->symbols));
	bad_line = NULL;
	no_memory = true;
	EXPECT_EQ(-ENOMEM, symbols_learn(self->symbols, getpid()));
	EXPECT_EQ(2, symbols_dropped(self->symbols));
	EXPECT_EQ(0, symbols_learn(self->symbols, getpid()));
	EXPECT_EQ(2, symbols_dropped(self->symbols));
}

/* A process that does not exist has nothing to read, so it is not counted as a failure. */
TEST_F(symbols, an_absent_process_is_not_counted)
{
	EXPECT_EQ(-ENOENT, symbols_learn(self->symbols, 1 << 30));
	EXPECT_EQ(0, symbols_learn(self->symbols, getpid()));
	EXPECT_EQ(0, symbols_dropped(self->symbols));
}

TEST_F(symbols, a_stripped_program)
{
	char text[128];

	ASSERT_EQ(0, make_copy(self));
	if (command(self, "strip %s 2>/dev/null"))
		SKIP(return, "strip is not installed");
	ASSERT_EQ(0, start(self));
	snprintf(text, sizeof(text), "[copy]+0x%lx", self->told.offset);
	symbols_of_process(self->symbols, self->child, self->told.address, &self->symbol);
	EXPECT_STREQ(text, self->symbol.name);
}

/*
 * If a file shrinks after it has been cached, the cached name is returned, and the file is not
 * read, which could cause a SIGBUS.
 */
TEST_F(symbols, a_truncated_file_of_another_user)
{
	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, make_copy(self));
	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, chown(self->copy, 12345, 12345));
	ASSERT_EQ(0, symbols_learn(self->symbols, self->child));
	end_child(self);
	symbols_of_file(self->symbols, 0, self->id, self->told.offset, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
	ASSERT_EQ(0, truncate(self->copy, 0));
	symbols_of_file(self->symbols, 0, self->id, self->told.offset, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
}

static unsigned long kernel_address(const char *name)
{
	FILE *in = fopen("/proc/kallsyms", "r");
	unsigned long address = 0, at;
	char line[512], found[256];

	while (in && !address && fgets(line, sizeof(line), in))
		if (sscanf(line, "%lx %*c %255s", &at, found) == 2 && !strcmp(found, name))
			address = at;
	if (in)
		fclose(in);
	return address;
}

TEST_F(symbols, the_kernel)
{
	unsigned long address = kernel_address("schedule");

	EXPECT_EQ(!address, symbols_kernel_hidden(self->symbols));
	symbols_of_kernel(self->symbols, address + 3, &self->symbol);
	EXPECT_STREQ(address ? "schedule" : "[kernel]+0x3", self->symbol.name);
}

TEST_HARNESS_MAIN
