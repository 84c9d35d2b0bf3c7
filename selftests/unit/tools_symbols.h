/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A fixture for tests that resolve addresses in this program and in copies of it. */
#ifndef TOOLS_SYMBOLS_TEST_H
#define TOOLS_SYMBOLS_TEST_H

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
static inline int command(FIXTURE_DATA(symbols) *self, const char *format)
{
	char text[256];

	snprintf(text, sizeof(text), format, self->copy, self->copy);
	return system(text);
}

static inline int make_copy(FIXTURE_DATA(symbols) *self)
{
	char self_path[256];
	ssize_t n = readlink("/proc/self/exe", self_path, sizeof(self_path) - 1);
	char text[400];

	self_path[n > 0 ? n : 0] = '\0';
	snprintf(text, sizeof(text), "cp %s %s", self_path, self->copy);
	return system(text);
}

/* Replace a text of @n bytes in the copy by another one of the same length. */
static inline int change_copy(FIXTURE_DATA(symbols) *self, const char *from, const char *to, size_t n)
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
static inline pid_t fork_once(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static inline int start(FIXTURE_DATA(symbols) *self)
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

/* Limit this process to @n more open files.  Return the limit to restore. */
static inline struct rlimit limit_files(unsigned int n)
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

#endif
