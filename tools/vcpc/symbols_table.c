// SPDX-License-Identifier: GPL-2.0-or-later
/* Read symbols from text: kallsyms, and JIT compilers' /tmp/perf-PID.map */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbols_parts.h"

#define MOST_ROWS	(1u << 20)
#define MOST_TEXT	(64u << 20)
#define LINE_COST	64	/* parsing a line takes as long as reading this many bytes */
#define LONGEST		1024	/* maximum length of a line; the rest of a longer line is dropped */

static int symbol_add(struct symbols_table *table, uint64_t address, uint64_t size,
		      const char *name)
{
	size_t length = strlen(name) + 1;
	void *grown;

	if (table->n >= MOST_ROWS || table->used + length > MOST_TEXT)
		return -ENOSPC;
	if (!(table->n & (table->n - 1))) {
		grown = realloc(table->at, (table->n ? 2 * table->n : 1) * sizeof(*table->at));
		if (!grown)
			return -ENOMEM;
		table->at = grown;
	}
	if ((table->used + length) >> 16 != table->used >> 16 || !table->text) {
		grown = realloc(table->text, (((table->used + length) >> 16) + 1) << 16);
		if (!grown)
			return -ENOMEM;
		table->text = grown;
	}
	memcpy(table->text + table->used, name, length);
	table->at[table->n++] = (struct symbols_row){ address, size, table->used };
	table->used += length;
	return 0;
}

static int symbols_compare(const void *a, const void *b)
{
	const struct symbols_row *left = a, *right = b;

	return left->address < right->address ? -1 : left->address > right->address;
}

/* Parse "ADDRESS TYPE NAME [MODULE]" and store functions. A hidden address is 0. */
static int take_kernel(struct symbols_table *table, char *line)
{
	unsigned long long address;
	char type, name[256];

	if (sscanf(line, "%llx %c %255s", &address, &type, name) != 3 || !address ||
	    !strchr("tTwW", type))
		return 0;
	return symbol_add(table, address, 0, name);
}

/* Parse "ADDRESS SIZE NAME", with hexadecimal numbers. A name may have spaces. */
static int take_jit(struct symbols_table *table, char *line)
{
	unsigned long long address, size;
	int name = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx %llx %n", &address, &size, &name) != 2 || !name || !line[name] ||
	    !size)
		return 0;
	return symbol_add(table, address, size, line + name);
}

/* Return whether a line that fgets() has read contains a NUL, as a hole in a file does. */
static bool has_nul(const char *line, FILE *in)
{
	size_t length = strlen(line);

	return length < LONGEST - 1 && (!length || line[length - 1] != '\n') && !feof(in);
}

static struct symbols_table *read_table(FILE *in, int (*take)(struct symbols_table *, char *))
{
	struct symbols_table *table = calloc(1, sizeof(*table));
	unsigned long long bytes = 0;
	char line[LONGEST];
	bool whole = true;

	while (table && fgets(line, sizeof(line), in)) {
		bool begins = whole;

		bytes += strlen(line) + LINE_COST;
		whole = strchr(line, '\n');
		if (bytes > 2ull * MOST_TEXT || has_nul(line, in) || (begins && take(table, line))) {
			table->cut = true;
			break;
		}
	}
	if (table && ferror(in))
		table->cut = true;
	if (!table)
		errno = ENOMEM;
	fclose(in);
	if (table && table->n)
		qsort(table->at, table->n, sizeof(*table->at), symbols_compare);
	return table;
}

/**
 * symbols_table_kernel() - read the kernel's functions
 *
 * Return: the table, which is empty if the addresses are hidden, or NULL with errno.
 */
struct symbols_table *symbols_table_kernel(void)
{
	FILE *in = fopen("/proc/kallsyms", "re");

	return in ? read_table(in, take_kernel) : NULL;
}

/*
 * Take ownership of @found, which was opened with O_PATH, and open the file for reading.  A FIFO or
 * a device is not opened, because opening it can have an effect, such as starting a watchdog.
 */
static int open_found(int found)
{
	char link[32];
	struct stat stat;
	int fd = -1, err = ENXIO;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", found);
	if (!fstat(found, &stat) && S_ISREG(stat.st_mode)) {
		fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		err = errno;
	}
	close(found);
	errno = err;
	return fd;
}

/**
 * symbols_open_in() - open a regular file in the mount namespace and root directory of a process
 * @pid: the process
 * @path: the file there
 * @resolve: RESOLVE_*, for openat2(), in addition to RESOLVE_IN_ROOT
 *
 * No link leads out of the root directory.  The file's owner can replace it by a link to any file.
 *
 * Return: a descriptor, or -1 with errno; ENXIO if it is not a regular file.
 */
int symbols_open_in(pid_t pid, const char *path, uint64_t resolve)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = resolve | RESOLVE_IN_ROOT };
	char root[32];
	int found, dir, err;

	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	found = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	err = errno;
	close(dir);
	errno = err;
	return found < 0 ? -1 : open_found(found);
}

/**
 * symbols_open_mapped() - open a regular file that a process has mapped, even if it was deleted
 * @pid: the process
 * @start: first address of the mapping
 * @end: address after its end
 *
 * Return: as symbols_open_in().
 */
int symbols_open_mapped(pid_t pid, uint64_t start, uint64_t end)
{
	char link[96];
	int found;

	snprintf(link, sizeof(link), "/proc/%d/map_files/%llx-%llx", pid, (unsigned long long)start,
		 (unsigned long long)end);
	found = open(link, O_PATH | O_CLOEXEC);
	return found < 0 ? -1 : open_found(found);
}

/* Get the process's ID in its own PID namespace, and its owner. Return 0, or -1 with errno. */
static int identify(pid_t pid, pid_t *inner, uid_t *owner)
{
	char path[32], line[256];
	unsigned int uid;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	in = fopen(path, "re");
	if (!in)
		return -1;
	*inner = 0;
	*owner = 0;
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, "Uid: %*u %u", &uid) == 1)
			*owner = uid;
		if (!strncmp(line, "NSpid:", 6))
			*inner = atoi(strrchr(line, '\t') + 1);
	}
	if (!*inner)
		errno = ferror(in) ? errno : ESRCH;
	fclose(in);
	return *inner ? 0 : -1;
}

/*
 * Open the list of symbols that a JIT compiler wrote for a process.  Any user can write to /tmp, so
 * only a regular file owned by the process's user is opened.  Return NULL with errno on failure.
 */
static FILE *open_jit(pid_t pid)
{
	struct stat stat;
	char path[48];
	pid_t inner;
	uid_t owner;
	FILE *in;
	int fd, err;

	if (identify(pid, &inner, &owner))
		return NULL;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", inner);
	fd = symbols_open_in(pid, path, RESOLVE_NO_SYMLINKS);
	if (fd < 0)
		return NULL;
	errno = EACCES;
	in = !fstat(fd, &stat) && stat.st_uid == owner ? fdopen(fd, "r") : NULL;
	if (in)
		return in;
	err = errno;
	close(fd);
	errno = err;
	return NULL;
}

/**
 * symbols_table_jit() - read the symbols that a JIT compiler wrote for a process
 * @pid: the process
 *
 * Return: the table, or NULL with errno.
 */
struct symbols_table *symbols_table_jit(pid_t pid)
{
	FILE *in = open_jit(pid);

	return in ? read_table(in, take_jit) : NULL;
}

/**
 * symbols_table_has_jit() - check whether a JIT compiler wrote symbols for a process
 * @pid: the process
 *
 * Return: true, or false with errno.
 */
bool symbols_table_has_jit(pid_t pid)
{
	FILE *in = open_jit(pid);

	if (in)
		fclose(in);
	return in;
}

/**
 * symbols_table_find() - find the symbol at an address
 * @table: the table, or NULL
 * @address: the address
 * @offset: written; the distance of @address from the beginning of the symbol
 *
 * Return: its name, or NULL.
 */
const char *symbols_table_find(const struct symbols_table *table, uint64_t address,
			       uint64_t *offset)
{
	size_t low = 0, high = table ? table->n : 0;
	const struct symbols_row *row;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (table->at[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	row = &table->at[low - 1];
	*offset = address - row->address;
	return row->size && *offset >= row->size ? NULL : table->text + row->name;
}

/**
 * symbols_table_free() - free a table
 * @table: the table, or NULL
 */
void symbols_table_free(struct symbols_table *table)
{
	if (!table)
		return;
	free(table->at);
	free(table->text);
	free(table);
}
