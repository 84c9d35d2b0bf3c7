// SPDX-License-Identifier: GPL-2.0-or-later
/* Resolve addresses in the files that processes have mapped. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols_state.h"

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
		symbols_note_failure(symbols, errno);
	return symbols;
}

static void release(struct symbols *symbols)
{
	symbols_helpers_end(&symbols->room);
	symbols_forget_parents(symbols);
	for (size_t i = 0; i < symbols->nfiles; i++)
		symbols_file_fini(&symbols->files[i]);
	for (size_t i = 0; i < symbols->nprocesses; i++)
		symbols_forget(&symbols->processes[i]);
	symbols_table_free(symbols->kernel);
	symbols_events_close(symbols->events);
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
	symbols_forget_parents(symbols);
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
		if (!symbols_exited(old.processes[i].pid))
			symbols_learn(symbols, old.processes[i].pid);
	old.kernel = NULL;
	old.events = NULL;
	release(&old);
}

static struct symbols_file *find_id(struct symbols *symbols, const uint8_t *id)
{
	for (size_t i = 0; i < symbols->nfiles; i++)
		if (symbols->files[i].id_size && !memcmp(symbols->files[i].id, id, SYMBOLS_BUILD_ID))
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
		symbols_add_file(symbols, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), path);
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
	if (!file && pid && !symbols_know(symbols, pid) && !symbols_learn(symbols, pid))
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
	struct symbols_process *process = symbols_find_process(symbols, pid);
	const char *name = NULL;
	uint64_t offset;
	char text[64];

	*symbol = (struct symbol){ 0 };
	if (!process && !symbols_learn(symbols, pid))
		process = symbols_find_process(symbols, pid);
	for (size_t i = 0; process && i < process->n; i++) {
		const struct symbols_mapping *mapping = &process->at[i];

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
		symbols_note_failure(symbols, errno);
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
 * Mappings that the kernel could not record are included if a process has exited, because they may
 * be its mappings.
 *
 * Return: the number that exceeded the limits or could not be read.
 */
unsigned long symbols_dropped(const struct symbols *symbols)
{
	unsigned long n = symbols->dropped;

	if (symbols->exited && symbols->events)
		n += symbols_events_lost(symbols->events);
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
