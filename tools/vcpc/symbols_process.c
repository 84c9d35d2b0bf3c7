// SPDX-License-Identifier: GPL-2.0-or-later
/* Find out which files processes have mapped, and open them before they are deleted. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols_state.h"

#define MOST_JIT	64	/* maximum number of processes with a JIT compiler */
#define MOST_PARENTS	8
#define MOST_MAPPINGS	512	/* maximum number of mappings of code in a process */

/**
 * symbols_note_failure() - count a file that could not be read
 * @symbols: the handle
 * @err: a positive errno
 *
 * A file is not counted if it no longer exists, is not regular, or this user lacks the permission to
 * read it.
 */
void symbols_note_failure(struct symbols *symbols, int err)
{
	if (err != ENOENT && err != ESRCH && err != ENOTDIR && err != EACCES && err != EPERM &&
	    err != ELOOP && err != EXDEV && err != ENXIO)
		symbols->dropped++;
}

/**
 * symbols_add_file() - add a file, unless it is already known
 * @symbols: the handle
 * @fd: its descriptor, whose ownership is taken, or -1 with errno
 * @path: its path
 *
 * Return: its index, or -1 after a failure, which is counted.
 */
int symbols_add_file(struct symbols *symbols, int fd, const char *path)
{
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat)) {
		symbols_note_failure(symbols, errno);
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
static void add_mapping(struct symbols *symbols, struct symbols_process *process,
			const struct symbols_mapping *mapping)
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

static void set_vdso(struct symbols_process *process, uint64_t start, uint64_t end)
{
	if (process->vdso)
		return;
	process->vdso = start;
	process->vdso_end = end;
}

/* Process a line of /proc/PID/maps.  A deleted file can still be opened through its mapping. */
static void take_line(struct symbols *symbols, struct symbols_process *process, pid_t pid,
		      char *line)
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
	file = symbols_add_file(symbols, fd, line + path);
	if (file >= 0)
		add_mapping(symbols, process, &(struct symbols_mapping){ start, end, offset, file });
}

/** symbols_find_process() - find a known process; return it, or NULL */
struct symbols_process *symbols_find_process(struct symbols *symbols, pid_t pid)
{
	for (size_t i = 0; i < symbols->nprocesses; i++)
		if (symbols->processes[i].pid == pid)
			return &symbols->processes[i];
	return NULL;
}

static int read_maps(struct symbols *symbols, struct symbols_process *process, pid_t pid)
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

/** symbols_forget() - free the data of a process */
void symbols_forget(struct symbols_process *process)
{
	free(process->at);
	symbols_table_free(process->jit);
}

/* Return whether an open file is the one that was mapped. */
static bool is_origin(const struct symbols_file *file, const struct symbols_origin *origin)
{
	if (origin->has_id)
		return file->id_size && !memcmp(file->id, origin->id, sizeof(file->id));
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
		int file = symbols_add_file(symbols, fd, origin->path);

		if (file >= 0 && is_origin(&symbols->files[file], origin))
			origin->file = file;
	}
}

static void add_event(struct symbols *symbols, struct symbols_process *process,
		      const struct symbols_event *event)
{
	struct symbols_origin *origin = event->origin;

	if (!strcmp(origin->path, SYMBOLS_VDSO))
		set_vdso(process, event->start, event->end);
	else if (origin->file == SYMBOLS_UNOPENED)
		open_origin(symbols, origin, event->pid);
	if (origin->file >= 0)
		add_mapping(symbols, process, &(struct symbols_mapping){
			event->start, event->end, event->offset, origin->file });
}

/*
 * Add the mappings of process @pid that the kernel has recorded until @until, the last one first.
 * Return the fork that created the process, or NULL if it has executed a program since then or the
 * fork was not recorded.
 */
static const struct symbols_event *add_recorded(struct symbols *symbols,
						struct symbols_process *process, pid_t pid,
						uint64_t until)
{
	size_t n;
	const struct symbols_event *at = symbols_events_of(symbols->events, pid, &n);
	bool executed = false;

	while (n--) {
		if (at[n].time > until)
			continue;
		/* The events before a fork are those of an earlier process with this ID. */
		if (at[n].parent)
			return executed ? NULL : &at[n];
		if (at[n].origin)
			add_event(symbols, process, &at[n]);
		else
			executed = true;
	}
	return NULL;
}

/* Return whether a process has executed a program since @since, or its ID has been used again. */
static bool has_changed(const struct symbols *symbols, pid_t pid, uint64_t since)
{
	size_t n;
	const struct symbols_event *at = symbols_events_of(symbols->events, pid, &n);

	while (n-- && at[n].time > since)
		if (!at[n].origin)
			return true;
	return false;
}

/*
 * Keep the mappings that are already known, because stacks that were sampled earlier may need them.
 */
static void add_known(struct symbols *symbols, struct symbols_process *process,
		      struct symbols_process *known)
{
	for (size_t i = 0; i < known->n; i++)
		add_mapping(symbols, process, &known->at[i]);
	set_vdso(process, known->vdso, known->vdso_end);
	if (!process->jit) {
		process->jit = known->jit;
		known->jit = NULL;
	}
}

/*
 * Add the mappings that a parent has now.  They are read only once for all of its children, because a
 * parent can have thousands of mappings and thousands of children.  Return 0 or a negated errno.
 */
static int add_parent(struct symbols *symbols, struct symbols_process *process, pid_t pid)
{
	struct symbols_process *parent = symbols->parents;
	size_t i;

	for (i = 0; i < symbols->nparents && parent->pid != pid; i++)
		parent++;
	if (i == MOST_PROCESSES)
		return -ENOSPC;
	if (i == symbols->nparents) {
		*parent = (struct symbols_process){ .pid = pid };
		parent->at = calloc(MOST_MAPPINGS, sizeof(*parent->at));
		if (!parent->at)
			return -ENOMEM;
		symbols->nparents++;
		parent->error = read_maps(symbols, parent, pid);
	}
	add_known(symbols, process, parent);
	return parent->error;
}

/** symbols_forget_parents() - read the mappings of parents again when they are needed */
void symbols_forget_parents(struct symbols *symbols)
{
	while (symbols->nparents)
		symbols_forget(&symbols->parents[--symbols->nparents]);
}

/*
 * Add the mappings that the kernel has recorded.  A process that has not executed a program has
 * those that its parent had at the time of the fork.
 */
static void add_all_recorded(struct symbols *symbols, struct symbols_process *process)
{
	const struct symbols_event *made = symbols->events ?
		add_recorded(symbols, process, process->pid, UINT64_MAX) : NULL;

	for (int depth = 0; made && depth < MOST_PARENTS; depth++) {
		int err = has_changed(symbols, made->parent, made->time) ? 0 :
			  add_parent(symbols, process, made->parent);

		if (err)
			symbols_note_failure(symbols, -err);
		made = add_recorded(symbols, process, made->parent, made->time);
	}
}

static void read_jit(struct symbols *symbols, struct symbols_process *process)
{
	if (symbols->njit < MOST_JIT)
		process->jit = symbols_table_jit(process->pid);
	else if (symbols_table_has_jit(process->pid))
		errno = ENOSPC;
	if (!process->jit)
		symbols_note_failure(symbols, errno);
}

/* Find out which files the process has mapped.  Return 0 or a negated errno. */
static int examine_process(struct symbols *symbols, struct symbols_process *process,
			   struct symbols_process *known)
{
	bool exited;
	int err;

	process->at = calloc(MOST_MAPPINGS, sizeof(*process->at));
	if (!process->at)
		return -ENOMEM;
	err = read_maps(symbols, process, process->pid);
	exited = err == -ENOENT || err == -ESRCH;
	if (!err)
		read_jit(symbols, process);
	if (!err || exited)
		add_all_recorded(symbols, process);
	if (known)
		add_known(symbols, process, known);
	symbols->exited |= exited;
	return exited && process->n && !known ? 0 : err;
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
	struct symbols_process *known = symbols_find_process(symbols, pid), now = { .pid = pid };
	bool had_jit = known && known->jit;
	void *smaller;
	int err;

	if (!known && symbols->nprocesses == MOST_PROCESSES) {
		symbols->dropped++;
		return -ENOSPC;
	}
	symbols->njit -= had_jit;
	err = examine_process(symbols, &now, known);
	if (err)
		symbols_note_failure(symbols, -err);
	if (!now.n) {
		symbols->njit += had_jit;
		symbols_forget(&now);
		return err;
	}
	smaller = reallocarray(now.at, now.n, sizeof(*now.at));
	if (smaller)
		now.at = smaller;
	if (known)
		symbols_forget(known);
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
	return symbols_find_process((struct symbols *)symbols, pid);
}
