// SPDX-License-Identifier: GPL-2.0-or-later
/* Resolve addresses in the files that processes have mapped, and keep these files open. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols_parts.h"

#define MOST_FILES	256
#define MOST_PROCESSES	1024
#define MOST_JIT	64	/* maximum number of processes with a JIT compiler */
#define MOST_PARENTS	8
#define MOST_MAPPINGS	512	/* maximum number of mappings of code in a process */

struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	unsigned int file;
};

struct process {
	pid_t pid;
	size_t n;
	struct mapping *at;
	uint64_t vdso;		/* address range of the kernel's code in the process (vDSO), or 0 */
	uint64_t vdso_end;
	struct symbols_table *jit;
};

struct symbols {
	size_t nfiles;
	struct symbols_file files[MOST_FILES];
	struct symbols_room room;
	size_t nprocesses;
	struct process processes[MOST_PROCESSES];
	bool kernel_tried;
	struct symbols_table *kernel;
	size_t njit;
	struct symbols_events *events;	/* NULL if the kernel does not permit it */
	unsigned long dropped;
};

/*
 * Count a file that could not be read, unless it no longer exists or this user lacks the permission
 * to read it.
 */
static void note_failure(struct symbols *symbols, int err)
{
	if (err != ENOENT && err != ESRCH && err != ENOTDIR && err != EACCES && err != EPERM &&
	    err != ELOOP && err != EXDEV && err != ENXIO)
		symbols->dropped++;
}

/**
 * symbols_open() - create a resolver, and start recording the files that all processes map
 *
 * Without the privilege to do so, processes that exit before symbols_learn() remain unknown.
 *
 * Return: a handle, or NULL with errno.
 */
struct symbols *symbols_open(void)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	symbols->events = symbols_events_open();
	if (!symbols->events)
		note_failure(symbols, errno);
	return symbols;
}

/* Take ownership of @fd.  Return the file's index, or -1. */
static int add_file(struct symbols *symbols, int fd, const char *path)
{
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat)) {
		note_failure(symbols, errno);
		goto unknown;
	}
	for (size_t i = 0; i < symbols->nfiles; i++)
		if (symbols->files[i].dev == stat.st_dev && symbols->files[i].ino == stat.st_ino) {
			close(fd);
			return i;
		}
	if (symbols->nfiles == MOST_FILES) {
		symbols->dropped++;
		goto unknown;
	}
	if (!symbols_file_init(&symbols->files[symbols->nfiles], fd, path, &symbols->room))
		return symbols->nfiles++;
	symbols->dropped++;
unknown:
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Add a mapping, unless the process already has it.  An earlier mapping has priority. */
static void add_mapping(struct symbols *symbols, struct process *process,
			const struct mapping *mapping)
{
	for (size_t i = 0; i < process->n; i++)
		if (process->at[i].start == mapping->start && process->at[i].file == mapping->file &&
		    process->at[i].end >= mapping->end &&
		    process->at[i].offset == mapping->offset)
			return;
	if (process->n == MOST_MAPPINGS)
		symbols->dropped++;
	else
		process->at[process->n++] = *mapping;
}

static void set_vdso(struct process *process, uint64_t start, uint64_t end)
{
	if (process->vdso)
		return;
	process->vdso = start;
	process->vdso_end = end;
}

/* Process a line of /proc/PID/maps.  A deleted file can still be opened through its mapping. */
static void take_line(struct symbols *symbols, struct process *process, pid_t pid, char *line)
{
	unsigned long long start, end, offset;
	int path = 0, file, fd;
	char rights[5];

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %n", &start, &end, rights, &offset, &path) != 4 ||
	    rights[2] != 'x' || !path)
		return;
	if (!strcmp(line + path, SYMBOLS_VDSO))
		set_vdso(process, start, end);
	if (line[path] != '/')
		return;
	if (process->n == MOST_MAPPINGS) {
		symbols->dropped++;
		return;
	}
	fd = symbols_open_mapped(pid, start, end);
	if (fd < 0)
		fd = symbols_open_in(pid, line + path, 0);
	file = add_file(symbols, fd, line + path);
	if (file >= 0)
		add_mapping(symbols, process, &(struct mapping){ start, end, offset, file });
}

static struct process *find_process(struct symbols *symbols, pid_t pid)
{
	for (size_t i = 0; i < symbols->nprocesses; i++)
		if (symbols->processes[i].pid == pid)
			return &symbols->processes[i];
	return NULL;
}

static int read_maps(struct symbols *symbols, struct process *process, pid_t pid)
{
	char path[32], *line = NULL;
	size_t size = 0;
	int err = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	in = fopen(path, "re");
	if (!in)
		return -errno;
	while (getline(&line, &size, in) >= 0)
		take_line(symbols, process, pid, line);
	if (!feof(in))
		err = -errno;
	free(line);
	fclose(in);
	return err ? err : process->n ? 0 : -ESRCH;
}

static void forget(struct process *process)
{
	free(process->at);
	symbols_table_free(process->jit);
}

static void release(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->nfiles; i++)
		symbols_file_fini(&symbols->files[i]);
	for (size_t i = 0; i < symbols->nprocesses; i++)
		forget(&symbols->processes[i]);
	symbols_table_free(symbols->kernel);
	symbols_events_close(symbols->events);
}

/* Return whether an open file is the one that was mapped. */
static bool is_origin(const struct symbols_file *file, const struct symbols_origin *origin)
{
	if (origin->has_id)
		return file->has_id && !memcmp(file->id, origin->id, sizeof(file->id));
	return file->dev == origin->dev && file->ino == origin->ino;
}

/* Open a file by its path, in the process's mount namespace if it still exists. */
static void open_origin(struct symbols *symbols, struct symbols_origin *origin, pid_t pid)
{
	const pid_t spaces[] = { pid, getpid() };

	origin->file = SYMBOLS_UNREADABLE;
	for (size_t i = 0; i < symbols->nfiles; i++)
		if (is_origin(&symbols->files[i], origin))
			origin->file = i;
	for (size_t i = 0; i < 2 && origin->file < 0; i++) {
		int fd = symbols_open_in(spaces[i], origin->path, 0);
		int file = fd < 0 ? -1 : add_file(symbols, fd, origin->path);

		if (file >= 0 && is_origin(&symbols->files[file], origin))
			origin->file = file;
	}
}

/*
 * Add the mappings of a process that the kernel has recorded, the last one first.  A process that
 * has not executed a program has those of its parent.
 */
static void add_recorded(struct symbols *symbols, struct process *process, pid_t pid)
{
	for (int depth = 0; symbols->events && pid && depth < MOST_PARENTS; depth++) {
		size_t n;
		const struct symbols_event *at = symbols_events_of(symbols->events, pid, &n);
		bool executed = false;
		pid_t parent = 0;

		/* The events before a fork are those of an earlier process with this ID. */
		while (n-- && !parent) {
			struct symbols_origin *origin = at[n].origin;

			parent = at[n].parent;
			executed |= !origin && !parent;
			if (!origin)
				continue;
			if (!strcmp(origin->path, SYMBOLS_VDSO))
				set_vdso(process, at[n].start, at[n].end);
			else if (origin->file == SYMBOLS_UNOPENED)
				open_origin(symbols, origin, pid);
			if (origin->file >= 0)
				add_mapping(symbols, process, &(struct mapping){
					at[n].start, at[n].end, at[n].offset, origin->file });
		}
		pid = executed ? 0 : parent;
		if (pid)
			read_maps(symbols, process, pid);
	}
}

/*
 * Keep the mappings that are already known, because stacks that were sampled earlier may need them.
 */
static void add_known(struct symbols *symbols, struct process *process, struct process *known)
{
	for (size_t i = 0; i < known->n; i++)
		add_mapping(symbols, process, &known->at[i]);
	set_vdso(process, known->vdso, known->vdso_end);
	if (!process->jit) {
		process->jit = known->jit;
		known->jit = NULL;
	}
}

static void read_jit(struct symbols *symbols, struct process *process)
{
	if (symbols->njit < MOST_JIT)
		process->jit = symbols_table_jit(process->pid);
	else
		errno = ENOENT;
	if (!process->jit)
		note_failure(symbols, errno);
}

/* Find out which files the process has mapped.  Return 0 or a negated errno. */
static int examine_process(struct symbols *symbols, struct process *process,
			   struct process *known)
{
	int err;

	process->at = calloc(MOST_MAPPINGS, sizeof(*process->at));
	err = process->at ? read_maps(symbols, process, process->pid) : -ENOMEM;
	if (!err)
		read_jit(symbols, process);
	else if (err != -ENOENT && err != -ESRCH)
		return err;
	add_recorded(symbols, process, process->pid);
	if (known)
		add_known(symbols, process, known);
	if (!process->n && symbols->events && symbols_events_lost(symbols->events))
		symbols->dropped++;
	return process->n && !known ? 0 : err;
}

/**
 * symbols_learn() - record which files a process has mapped, and the symbols of its JIT compiler
 * @symbols: the handle
 * @pid: the process; if it is already known, new mappings are added
 *
 * The mappings of a process that has exited are known if the kernel has recorded them.
 *
 * Return: 0, or a negated errno; data of an exited process is kept.
 */
int symbols_learn(struct symbols *symbols, pid_t pid)
{
	struct process *known = find_process(symbols, pid), now = { .pid = pid };
	void *smaller;
	int err;

	if (!known && symbols->nprocesses == MOST_PROCESSES) {
		symbols->dropped++;
		return -ENOSPC;
	}
	err = examine_process(symbols, &now, known);
	if (err)
		note_failure(symbols, -err);
	if (!now.n) {
		forget(&now);
		return err;
	}
	smaller = reallocarray(now.at, now.n, sizeof(*now.at));
	if (smaller)
		now.at = smaller;
	if (known)
		symbols->njit -= !!known->jit;
	if (known)
		forget(known);
	else
		known = &symbols->processes[symbols->nprocesses++];
	*known = now;
	symbols->njit += !!now.jit;
	return err;
}

/**
 * symbols_know() - check whether a process is known
 * @symbols: the handle
 * @pid: the process
 *
 * Return: true if it is known.
 */
bool symbols_know(const struct symbols *symbols, pid_t pid)
{
	return find_process((struct symbols *)symbols, pid);
}

static bool is_needed(const void *symbols, pid_t pid)
{
	return symbols_know(symbols, pid);
}

/**
 * symbols_read() - read which files processes have mapped, before symbols_learn() is called
 * @symbols: the handle
 */
void symbols_read(struct symbols *symbols)
{
	if (symbols->events)
		symbols_events_read(symbols->events);
}

/**
 * symbols_prune() - forget the mappings of exited processes that are not of interest
 * @symbols: the handle
 *
 * Call this after symbols_learn() has been called for all processes of interest.
 */
void symbols_prune(struct symbols *symbols)
{
	if (symbols->events)
		symbols_events_prune(symbols->events, is_needed, symbols);
}

/**
 * symbols_renew() - update all known processes that are still running, because they may have new
 * mappings
 * @symbols: the handle
 */
void symbols_renew(struct symbols *symbols)
{
	symbols_read(symbols);
	for (size_t i = 0; i < symbols->nprocesses; i++)
		symbols_learn(symbols, symbols->processes[i].pid);
}

/**
 * symbols_restart() - forget exited processes and unused files, so that the limits apply anew
 * @symbols: the handle
 */
void symbols_restart(struct symbols *symbols)
{
	struct symbols old = *symbols;

	*symbols = (struct symbols){
		.kernel = old.kernel, .kernel_tried = old.kernel_tried, .events = old.events,
	};
	if (symbols->events)
		symbols_events_restart(symbols->events);
	for (size_t i = 0; i < old.nprocesses; i++)
		if (!kill(old.processes[i].pid, 0))
			symbols_learn(symbols, old.processes[i].pid);
	old.kernel = NULL;
	old.events = NULL;
	release(&old);
}

static struct symbols_file *find_id(struct symbols *symbols, const uint8_t *id)
{
	for (size_t i = 0; i < symbols->nfiles; i++)
		if (symbols->files[i].has_id && !memcmp(symbols->files[i].id, id, SYMBOLS_BUILD_ID))
			return &symbols->files[i];
	return NULL;
}

/* Add a file that the distribution installs under its build ID; @hex is the ID. */
static void add_listed(struct symbols *symbols, const char *hex)
{
	static const char * const folders[] = { "/usr/lib/debug/.build-id", "/usr/lib/.build-id" };
	char path[128];

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s/%.2s/%s", folders[i], hex, hex + 2);
		add_file(symbols, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), path);
	}
}

/**
 * symbols_of_file() - resolve an offset in a file identified by its build ID
 * @symbols: the handle
 * @pid: a process that had the file mapped, or 0
 * @build_id: the build ID, SYMBOLS_BUILD_ID bytes
 * @offset: offset from the beginning of the file
 * @symbol: written
 */
void symbols_of_file(struct symbols *symbols, pid_t pid, const uint8_t *build_id, uint64_t offset,
		     struct symbol *symbol)
{
	struct symbols_file *file = find_id(symbols, build_id);
	char hex[2 * SYMBOLS_BUILD_ID + 1], text[80];

	*symbol = (struct symbol){ 0 };
	for (size_t i = 0; i < SYMBOLS_BUILD_ID; i++)
		snprintf(hex + 2 * i, 3, "%02x", build_id[i]);
	if (!file && pid && !symbols_learn(symbols, pid))
		file = find_id(symbols, build_id);
	if (!file) {
		add_listed(symbols, hex);
		file = find_id(symbols, build_id);
	}
	snprintf(text, sizeof(text), "[%.12s]+0x%llx", hex, (unsigned long long)offset);
	if (file)
		symbols_file_find(file, offset, symbol);
	else
		symbols_set_text(symbol->name, sizeof(symbol->name), text);
}

/**
 * symbols_of_process() - resolve an address in a process
 * @symbols: the handle
 * @pid: the process
 * @address: the address
 * @symbol: written
 */
void symbols_of_process(struct symbols *symbols, pid_t pid, uint64_t address,
			struct symbol *symbol)
{
	struct process *process = find_process(symbols, pid);
	const char *name = NULL;
	uint64_t offset;
	char text[64];

	*symbol = (struct symbol){ 0 };
	if (!process && !symbols_learn(symbols, pid))
		process = find_process(symbols, pid);
	for (size_t i = 0; process && i < process->n; i++) {
		const struct mapping *mapping = &process->at[i];

		if (address >= mapping->start && address < mapping->end) {
			symbols_file_find(&symbols->files[mapping->file],
					  address - mapping->start + mapping->offset, symbol);
			return;
		}
	}
	if (process)
		name = symbols_table_find(process->jit, address, &offset);
	if (process && address >= process->vdso && address < process->vdso_end)
		snprintf(text, sizeof(text), "[vdso]+0x%llx",
			 (unsigned long long)(address - process->vdso));
	else
		snprintf(text, sizeof(text), "[%d]+0x%llx", pid, (unsigned long long)address);
	symbols_set_text(symbol->name, sizeof(symbol->name), name ? name : text);
}

static void need_kernel(struct symbols *symbols)
{
	if (!symbols->kernel_tried)
		symbols->kernel = symbols_table_kernel();
	if (!symbols->kernel_tried && !symbols->kernel)
		note_failure(symbols, errno);
	symbols->kernel_tried = true;
}

/**
 * symbols_of_kernel() - resolve an address in the kernel
 * @symbols: the handle
 * @address: the address
 * @symbol: written
 */
void symbols_of_kernel(struct symbols *symbols, uint64_t address, struct symbol *symbol)
{
	const char *name;
	uint64_t offset;
	char text[64];

	*symbol = (struct symbol){ 0 };
	need_kernel(symbols);
	name = symbols_table_find(symbols->kernel, address, &offset);
	snprintf(text, sizeof(text), "[kernel]+0x%llx", (unsigned long long)address);
	symbols_set_text(symbol->name, sizeof(symbol->name), name ? name : text);
}

/**
 * symbols_kernel_hidden() - find out whether the kernel hides its addresses from this user
 * @symbols: the handle
 *
 * Return: true if it does; see kernel.kptr_restrict.
 */
bool symbols_kernel_hidden(struct symbols *symbols)
{
	need_kernel(symbols);
	return !symbols->kernel || !symbols->kernel->n;
}

/**
 * symbols_dropped() - get the number of files, processes and mappings that were dropped
 * @symbols: the handle
 *
 * Return: the number that exceeded the limits or could not be read.
 */
unsigned long symbols_dropped(const struct symbols *symbols)
{
	unsigned long n = symbols->dropped;

	for (size_t i = 0; i < symbols->nfiles; i++)
		n += symbols->files[i].no_room || symbols->files[i].failed;
	return n;
}

/**
 * symbols_cut() - get the number of truncated symbol lists
 * @symbols: the handle
 *
 * Return: the number, including the kernel's list and lists from JIT compilers.  An address in the
 *	part that was not read has no name or, in the kernel, a wrong name.
 */
unsigned long symbols_cut(const struct symbols *symbols)
{
	unsigned long n = symbols->kernel && symbols->kernel->cut;

	for (size_t i = 0; i < symbols->nprocesses; i++)
		n += symbols->processes[i].jit && symbols->processes[i].jit->cut;
	return n;
}

/**
 * symbols_close() - free the resolver
 * @symbols: the handle, or NULL
 */
void symbols_close(struct symbols *symbols)
{
	if (symbols)
		release(symbols);
	free(symbols);
}
