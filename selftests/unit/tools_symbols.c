// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses in this program, and in copies of it that have exited and were deleted, are resolved to
 * functions and lines.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/vcpc/symbols.h"
#include "tools/vcpc/symbols_parts.h"

#include "kselftest_harness.h"

/* The child's output: the address of its function */
struct told {
	unsigned long address;
	unsigned long offset;	/* in the file */
};

static __attribute__((noinline)) int planted(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static const char *bad_line;	/* reading a line with this text fails with EIO */
static unsigned int lines;	/* lines that were read */
static unsigned int texts;	/* lines of symbol lists that were read */
static bool no_memory;		/* the next calloc() fails */

static bool is_bad(const char *line, FILE *in)
{
	if (!bad_line || !strstr(line, bad_line))
		return false;
	in->_flags |= _IO_ERR_SEEN;
	errno = EIO;
	return true;
}

char *__real_fgets(char *line, int size, FILE *in);
char *__wrap_fgets(char *line, int size, FILE *in);
char *__wrap_fgets(char *line, int size, FILE *in)
{
	line = __real_fgets(line, size, in);
	texts++;
	return line && is_bad(line, in) ? NULL : line;
}

ssize_t __real___getdelim(char **line, size_t *room, int end, FILE *in);
ssize_t __wrap___getdelim(char **line, size_t *room, int end, FILE *in);
ssize_t __wrap___getdelim(char **line, size_t *room, int end, FILE *in)
{
	ssize_t n = __real___getdelim(line, room, end, in);

	lines++;
	return n >= 0 && is_bad(*line, in) ? -1 : n;
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	if (no_memory) {
		no_memory = false;
		errno = ENOMEM;
		return NULL;
	}
	return __real_calloc(n, size);
}

static unsigned long offset_of(unsigned long address)
{
	unsigned long start, end, offset, found = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    address >= start && address < end)
			found = address - start + offset;
	if (maps)
		fclose(maps);
	return found;
}

/* Run as an executed copy: print the address, and wait for the end of input. */
static __attribute__((constructor)) void be_a_child(int argc, char **argv)
{
	struct told told = { .address = (unsigned long)planted };
	char byte;

	if (argc != 2 || strcmp(argv[1], "be-a-child"))
		return;
	told.offset = offset_of(told.address);
	if (write(1, &told, sizeof(told)) == sizeof(told) && read(0, &byte, 1) < 0)
		_exit(1);
	_exit(0);
}

FIXTURE(symbols) {
	struct symbols *symbols;
	struct symbol symbol;
	char folder[32];
	char copy[48];
	pid_t child;
	pid_t *forked;	/* if not NULL, receives a child that the child makes before it executes */
	int to;
	struct told told;
	uint8_t id[SYMBOLS_BUILD_ID];
};

FIXTURE_SETUP(symbols)
{
	self->symbols = symbols_open();
	ASSERT_NE(NULL, self->symbols);
	strcpy(self->folder, "/tmp/symbols-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->folder));
	snprintf(self->copy, sizeof(self->copy), "%s/copy", self->folder);
}

static void end_child(FIXTURE_DATA(symbols) *self)
{
	if (!self->child)
		return;
	close(self->to);
	waitpid(self->child, NULL, 0);
	self->child = 0;
}

FIXTURE_TEARDOWN(symbols)
{
	end_child(self);
	symbols_close(self->symbols);
	unlink(self->copy);
	rmdir(self->folder);
}

/* Run a command with %s in its words replaced by the copy's path.  Return its exit status. */
static int command(FIXTURE_DATA(symbols) *self, const char *format)
{
	char text[256];

	snprintf(text, sizeof(text), format, self->copy, self->copy);
	return system(text);
}

static int make_copy(FIXTURE_DATA(symbols) *self)
{
	char self_path[256];
	ssize_t n = readlink("/proc/self/exe", self_path, sizeof(self_path) - 1);
	char text[400];

	self_path[n > 0 ? n : 0] = '\0';
	snprintf(text, sizeof(text), "cp %s %s", self_path, self->copy);
	return system(text);
}

/* Replace a text of @n bytes in the copy by another one of the same length. */
static int change_copy(FIXTURE_DATA(symbols) *self, const char *from, const char *to, size_t n)
{
	const int fd = open(self->copy, O_RDWR | O_CLOEXEC);
	const off_t size = lseek(fd, 0, SEEK_END);
	char *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *at = data;
	int changed = 0;

	close(fd);
	if (data == MAP_FAILED)
		return -1;
	while ((at = memmem(at, data + size - at, from, n))) {
		memcpy(at, to, n);
		changed++;
	}
	munmap(data, size);
	return changed;
}

/* Fork.  Return the process ID of the child, which has exited. */
static pid_t fork_once(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static int start(FIXTURE_DATA(symbols) *self)
{
	struct symbols_room room = { 0 };
	struct symbols_file file;
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return -1;
	self->child = fork();
	if (!self->child) {
		if (self->forked)
			*self->forked = fork_once();
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(self->copy, "copy", "be-a-child", NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	self->to = in[1];
	if (read(out[0], &self->told, sizeof(self->told)) != sizeof(self->told))
		return -1;
	close(out[0]);
	if (symbols_file_init(&file, open(self->copy, O_RDONLY | O_CLOEXEC), self->copy, &room))
		return -1;
	memcpy(self->id, file.id, sizeof(self->id));
	symbols_file_fini(&file);
	return file.id_size ? 0 : -2;
}

TEST_F(symbols, a_function_of_this_program)
{
	symbols_of_process(self->symbols, getpid(), (unsigned long)planted + 1, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
	EXPECT_STREQ("tools_symbols.c", self->symbol.file);
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
	EXPECT_STREQ("tools_symbols.c", self->symbol.file);
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
	static const char file[] = "tools_symbols.c", hostile[] = "tools\033sym;ols.c";

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
 * If a program exits before symbols_learn() is called, the kernel's records contain its mappings.
 */
TEST_F(symbols, a_program_that_exited_before_it_was_learned)
{
	struct symbols_events *events = symbols_events_open();
	pid_t pid;

	if (!events)
		SKIP(return, "the kernel does not permit recording of mappings");
	symbols_events_close(events);
	ASSERT_EQ(0, make_copy(self));
	ASSERT_EQ(0, start(self));
	pid = self->child;
	end_child(self);
	symbols_read(self->symbols);
	ASSERT_EQ(0, symbols_learn(self->symbols, pid));
	ASSERT_EQ(0, unlink(self->copy));
	symbols_of_process(self->symbols, pid, self->told.address, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
	symbols_of_file(self->symbols, pid, self->id, self->told.offset, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
}

TEST_F(symbols, a_program_that_exited_and_was_replaced)
{
	pid_t pid;

	ASSERT_EQ(0, make_copy(self));
	ASSERT_EQ(0, start(self));
	pid = self->child;
	end_child(self);
	ASSERT_EQ(0, unlink(self->copy));
	ASSERT_EQ(0, command(self, "cp /bin/true %s"));
	symbols_read(self->symbols);
	symbols_learn(self->symbols, pid);
	symbols_of_process(self->symbols, pid, self->told.address, &self->symbol);
	EXPECT_EQ('[', self->symbol.name[0]) {
		TH_LOG("%s", self->symbol.name);
	}
}

/* A process has the mappings that its parent had when it was created, and not its later ones. */
TEST_F(symbols, a_fork_whose_parent_executed_a_program_later)
{
	struct symbols_events *events = symbols_events_open();
	pid_t pid;

	if (!events)
		SKIP(return, "the kernel does not permit recording of mappings");
	symbols_events_close(events);
	self->forked = mmap(NULL, sizeof(pid_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);
	ASSERT_NE(MAP_FAILED, self->forked);
	ASSERT_EQ(0, make_copy(self));
	ASSERT_EQ(0, start(self));
	pid = *self->forked;
	munmap(self->forked, sizeof(pid_t));
	symbols_read(self->symbols);
	EXPECT_EQ(0, symbols_learn(self->symbols, pid));
	symbols_of_process(self->symbols, pid, (unsigned long)planted + 1, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
	symbols_of_process(self->symbols, pid, self->told.address, &self->symbol);
	EXPECT_EQ('[', self->symbol.name[0]) {
		TH_LOG("%s", self->symbol.name);
	}
}

static bool keep_none(const void *arg, pid_t pid)
{
	(void)arg;
	(void)pid;
	return false;
}

/* Map @n files @times times.  Return false if that fails. */
static bool map_files(int n, int times)
{
	for (int i = 0; i < n; i++) {
		int fd = memfd_create("symbols", MFD_CLOEXEC);

		if (ftruncate(fd, 4096))
			return false;
		for (int j = 0; j < times; j++) {
			void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

			if (at == MAP_FAILED || munmap(at, 4096))
				return false;
		}
		close(fd);
	}
	return true;
}

/* Return the number of events of a child that maps @n files. */
static size_t record_child(struct symbols_events *events, int n)
{
	pid_t pid = fork();
	size_t recorded;

	if (!pid)
		_exit(!map_files(n, 1));
	waitpid(pid, NULL, 0);
	symbols_events_read(events);
	symbols_events_of(events, pid, &recorded);
	return recorded;
}

/* Mappings that did not fit into the kernel's ring are counted if a process has exited. */
TEST_F(symbols, mappings_that_were_lost)
{
	struct symbols_events *events = symbols_events_open();
	cpu_set_t all, one;
	pid_t pid;

	if (!events)
		SKIP(return, "the kernel does not permit recording of mappings");
	symbols_events_close(events);
	ASSERT_EQ(0, make_copy(self));
	ASSERT_EQ(0, start(self));
	pid = self->child;
	end_child(self);
	symbols_read(self->symbols);
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	EXPECT_TRUE(map_files(1, 5000));
	symbols_read(self->symbols);
	sched_setaffinity(0, sizeof(all), &all);
	EXPECT_EQ(0, symbols_dropped(self->symbols));
	EXPECT_EQ(0, symbols_learn(self->symbols, pid));
	EXPECT_LT(0, symbols_dropped(self->symbols));
}

/* Files of exited processes leave room for others. */
TEST_F(symbols, many_mapped_files)
{
	struct symbols_events *events = symbols_events_open();

	if (!events)
		SKIP(return, "the kernel does not permit recording of mappings");
	for (int i = 0; i < 6; i++)
		record_child(events, 800);
	for (int i = 0; i < 2; i++)
		symbols_events_prune(events, keep_none, NULL);
	EXPECT_EQ(101, record_child(events, 100));
	symbols_events_close(events);
}

/* A process that maps files all the time does not displace other processes. */
TEST_F(symbols, a_process_with_many_mappings)
{
	struct symbols_events *events = symbols_events_open();

	if (!events)
		SKIP(return, "the kernel does not permit recording of mappings");
	for (int i = 0; i < 140; i++) {
		ASSERT_TRUE(map_files(1, 1000));
		symbols_events_read(events);
		symbols_events_prune(events, keep_none, NULL);
	}
	EXPECT_EQ(101, record_child(events, 100));
	symbols_events_close(events);
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

/* Limit this process to @n more open files.  Return the limit to restore. */
static struct rlimit limit_files(unsigned int n)
{
	struct rlimit old = { 0 }, now;
	int next = dup(0);

	close(next);
	getrlimit(RLIMIT_NOFILE, &old);
	now = old;
	now.rlim_cur = next + n;
	setrlimit(RLIMIT_NOFILE, &now);
	return old;
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

TEST_F(symbols, too_many_open_files_for_a_program_that_exited)
{
	struct symbols_events *events = symbols_events_open();
	struct rlimit old;
	pid_t pid;

	if (!events)
		SKIP(return, "the kernel does not permit recording of mappings");
	symbols_events_close(events);
	ASSERT_EQ(0, make_copy(self));
	ASSERT_EQ(0, start(self));
	pid = self->child;
	end_child(self);
	symbols_read(self->symbols);
	old = limit_files(1);
	symbols_learn(self->symbols, pid);
	setrlimit(RLIMIT_NOFILE, &old);
	EXPECT_LT(0, symbols_dropped(self->symbols));
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

/* If only part of a JIT compiler's symbol table could be read, the table is marked as cut. */
TEST_F(symbols, a_table_that_cannot_be_read)
{
	struct symbols_table *table;
	char path[48];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	ASSERT_NE(NULL, map);
	fputs("1000 10 one\n2000 10 two\n", map);
	fclose(map);
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
	unlink(path);
}

/*
 * The mappings of a parent are read once for all of its children.  A parent with 30,000 mappings and
 * seven ancestors like it delayed the reader by more than a second for each child.
 */
TEST_F(symbols, children_of_one_parent)
{
	struct symbols_events *events = symbols_events_open();
	unsigned int read[2];
	pid_t children[2];

	if (!events)
		SKIP(return, "the kernel does not permit recording of mappings");
	symbols_events_close(events);
	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		if (!children[i]) {
			pause();
			_exit(0);
		}
	}
	symbols_read(self->symbols);
	for (int i = 0; i < 2; i++) {
		lines = 0;
		EXPECT_EQ(0, symbols_learn(self->symbols, children[i]));
		read[i] = lines;
	}
	EXPECT_GT(read[0], read[1] + 20);
	for (int i = 0; i < 2; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	symbols_of_process(self->symbols, children[1], (unsigned long)planted, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
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
