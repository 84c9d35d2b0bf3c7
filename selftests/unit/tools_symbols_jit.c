// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses in generated code are resolved through the lists that JIT compilers write. */
#include "tools_symbols.h"

static void write_map(pid_t pid, const char *text)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	map = fopen(path, "w");
	if (map) {
		fputs(text, map);
		fclose(map);
	}
}

static void remove_map(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	remove(path);
}

/* If only part of a JIT compiler's symbol table could be read, the table is marked as cut. */
TEST_F(symbols, a_table_that_cannot_be_read)
{
	struct symbols_table *table;

	write_map(getpid(), "1000 10 one\n2000 10 two\n");
	for (int i = 0; i < 2; i++) {
		bad_line = i ? "two" : NULL;
		table = symbols_table_jit(getpid());
		EXPECT_NE(NULL, table);
		if (table)
			EXPECT_EQ(i, table->cut);
		symbols_table_free(table);
	}
	bad_line = "NSpid:";
	EXPECT_EQ(NULL, symbols_table_jit(getpid()));
	EXPECT_EQ(EIO, errno);
	bad_line = NULL;
	remove_map(getpid());
}

TEST_F(symbols, compiled_while_running)
{
	write_map(getpid(), "garbage\n10 20 Foo::bar (x)\n40 0 nothing\n50 8 a;b\033[31m\n60 8\n");
	symbols_of_process(self->symbols, getpid(), 0x2f, &self->symbol);
	EXPECT_STREQ("Foo::bar (x)", self->symbol.name);
	symbols_of_process(self->symbols, getpid(), 0x57, &self->symbol);
	EXPECT_STREQ("a_b_[31m", self->symbol.name);
	symbols_of_process(self->symbols, getpid(), 0x30, &self->symbol);
	EXPECT_EQ('[', self->symbol.name[0]);
	remove_map(getpid());
}

static pid_t start_with_map(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	write_map(pid, "10 20 compiled\n");
	return pid;
}

static void stop_with_map(pid_t pid)
{
	remove_map(pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* At most 64 lists are read, and a process that has exited counts once. */
TEST_F(symbols, many_processes_that_compile_while_running)
{
	pid_t pid[64];

	for (int i = 0; i < 64; i++) {
		pid[i] = start_with_map();
		EXPECT_EQ(0, symbols_learn(self->symbols, pid[i]));
	}
	EXPECT_EQ(0, symbols_dropped(self->symbols));
	write_map(getpid(), "10 20 compiled\n");
	EXPECT_EQ(0, symbols_learn(self->symbols, getpid()));
	EXPECT_EQ(1, symbols_dropped(self->symbols));
	remove_map(getpid());
	EXPECT_EQ(0, symbols_learn(self->symbols, getpid()));
	EXPECT_EQ(1, symbols_dropped(self->symbols));
	for (int i = 0; i < 64; i++)
		stop_with_map(pid[i]);
}

TEST_F(symbols, a_process_that_compiled_and_exited)
{
	pid_t pid = start_with_map();

	EXPECT_EQ(0, symbols_learn(self->symbols, pid));
	stop_with_map(pid);
	for (int i = 0; i < 64; i++)
		symbols_learn(self->symbols, pid);
	symbols_of_process(self->symbols, pid, 0x10, &self->symbol);
	EXPECT_STREQ("compiled", self->symbol.name);
	write_map(getpid(), "10 20 compiled\n");
	symbols_of_process(self->symbols, getpid(), 0x10, &self->symbol);
	EXPECT_STREQ("compiled", self->symbol.name);
	remove_map(getpid());
}

/* Write at least the maximum number of rows that are read. */
static void write_long_map(unsigned int rows)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	for (unsigned int i = 0; map && i < rows; i++)
		fprintf(map, "%x 10 f\n", (i + 1) * 16);
	if (map)
		fclose(map);
}

TEST_F(symbols, a_map_that_is_too_long)
{
	const unsigned int rows = 1u << 20;

	write_long_map(rows);
	ASSERT_EQ(0, symbols_learn(self->symbols, getpid()));
	EXPECT_EQ(0, symbols_cut(self->symbols));
	symbols_of_process(self->symbols, getpid(), rows * 16, &self->symbol);
	EXPECT_STREQ("f", self->symbol.name);
	write_long_map(rows + 1);
	ASSERT_EQ(0, symbols_learn(self->symbols, getpid()));
	EXPECT_EQ(1, symbols_cut(self->symbols));
	symbols_of_process(self->symbols, getpid(), (rows + 1) * 16, &self->symbol);
	EXPECT_EQ('[', self->symbol.name[0]);
	remove_map(getpid());
}

/* A hole takes no space on the disk, so a list of any user can have holes of any size. */
TEST_F(symbols, a_map_with_a_hole)
{
	char path[64];

	write_map(getpid(), "10 20 early\n");
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	ASSERT_EQ(0, truncate(path, 64 << 20));
	texts = 0;
	ASSERT_EQ(0, symbols_learn(self->symbols, getpid()));
	EXPECT_GT(1000, texts);
	EXPECT_EQ(1, symbols_cut(self->symbols));
	symbols_of_process(self->symbols, getpid(), 0x18, &self->symbol);
	EXPECT_STREQ("early", self->symbol.name);
	remove_map(getpid());
}

/* Lines that are not symbols do not count as rows, but reading them takes time. */
TEST_F(symbols, a_map_of_short_lines)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	ASSERT_NE(NULL, map);
	for (unsigned int i = 0; i < 3000000; i++)
		fputs("x\n", map);
	fclose(map);
	texts = 0;
	ASSERT_EQ(0, symbols_learn(self->symbols, getpid()));
	EXPECT_GT(2500000, texts);
	EXPECT_EQ(1, symbols_cut(self->symbols));
	remove_map(getpid());
}

TEST_F(symbols, a_map_that_is_a_link_or_a_fifo_or_another_users)
{
	char path[64], other[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	snprintf(other, sizeof(other), "%s/copy", self->folder);
	write_map(getpid(), "10 20 wrong\n");
	ASSERT_EQ(0, rename(path, other));
	ASSERT_EQ(0, symlink(other, path));
	EXPECT_EQ(NULL, symbols_table_jit(getpid()));
	remove_map(getpid());
	ASSERT_EQ(0, mkfifo(path, 0600));
	alarm(10);
	EXPECT_EQ(NULL, symbols_table_jit(getpid()));
	alarm(0);
	remove_map(getpid());
	write_map(getpid(), "10 20 wrong\n");
	if (!chown(path, 12345, 12345))
		EXPECT_EQ(NULL, symbols_table_jit(getpid()));
	remove_map(getpid());
}

TEST_HARNESS_MAIN
