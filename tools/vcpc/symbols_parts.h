/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the files of the symbol resolver */
#ifndef VCPC_SYMBOLS_PARTS_H
#define VCPC_SYMBOLS_PARTS_H

#include <elfutils/libdwfl.h>

#include "symbols.h"

#define SYMBOLS_HELPERS	4

/**
 * struct symbols_helper - a process that reads the files of a user
 * @owner: the user
 * @starts: number of helpers that were started for the user; 0: unused
 * @pid: the process, or 0
 * @socket: connected to the process
 * @files: number of files when it was started
 */
struct symbols_helper {
	uid_t owner;
	unsigned int starts;
	pid_t pid;
	int socket;
	unsigned int files;
};

/**
 * struct symbols_room - resources used for files that do not belong to the administrator
 * @bytes: size of copies
 * @files: number of files so far
 * @seconds: maximum CPU time of a helper; 0: the default
 * @helper: the helpers
 */
struct symbols_room {
	uint64_t bytes;
	unsigned int files;
	unsigned int seconds;
	struct symbols_helper helper[SYMBOLS_HELPERS];
};

/**
 * struct symbols_file - an ELF file, which stays open because its program may exit and be deleted
 * @dev: its device
 * @ino: its inode
 * @fd: its open descriptor
 * @tried: whether opening @module was attempted
 * @no_room: the file exceeded a limit of memory or time, so some of its frames have no names
 * @failed: memory, descriptors or a read failed, so some of its frames may have no names
 * @id_size: size of its build ID, or 0
 * @id: the build ID; zeros follow
 * @owner: the user who owns it
 * @number: number of files that were added before it
 * @room: resources shared by all files
 * @path: its path in its process's mount namespace
 * @dwfl: the session of @module
 * @module: the file in libdwfl, or NULL
 * @known: tree of the symbols that were found
 */
struct symbols_file {
	dev_t dev;
	ino_t ino;
	int fd;
	bool tried;
	bool no_room;
	bool failed;
	uint8_t id_size;
	uint8_t id[SYMBOLS_BUILD_ID];
	uid_t owner;
	unsigned int number;
	struct symbols_room *room;
	char *path;
	Dwfl *dwfl;
	Dwfl_Module *module;
	void *known;
};

/**
 * struct symbols_table - symbols of the kernel or of a JIT compiler, by address
 * @n: number of symbols
 * @at: the symbols, sorted by address; if @size is 0, the symbol ends where the next one begins
 * @text: their names
 * @used: number of used bytes in @text
 * @cut: some symbols were omitted for lack of space
 */
struct symbols_table {
	size_t n;
	struct symbols_row {
		uint64_t address;
		uint64_t size;
		uint32_t name;
	} *at;
	char *text;
	size_t used;
	bool cut;
};

int symbols_file_init(struct symbols_file *file, int fd, const char *path,
		      struct symbols_room *room);
void symbols_file_find(struct symbols_file *file, uint64_t offset, struct symbol *symbol);
void symbols_file_read(struct symbols_file *file, uint64_t offset, struct symbol *symbol);
void symbols_file_unnamed(const struct symbols_file *file, uint64_t offset, struct symbol *symbol);
void symbols_file_fini(struct symbols_file *file);

void symbols_helper_find(struct symbols_file *file, uint64_t offset, struct symbol *symbol);
void symbols_helpers_end(struct symbols_room *room);

#define SYMBOLS_VDSO		"[vdso]"	/* code of the kernel in each process */
#define SYMBOLS_UNOPENED	(-1)
#define SYMBOLS_UNREADABLE	(-2)

/**
 * struct symbols_origin - a file that a process has mapped
 * @id: its build ID
 * @has_id: whether it has one
 * @dev: the file's device, used if it has no build ID
 * @ino: the file's inode, used if it has no build ID
 * @users: number of events that refer to it
 * @file: its index in the resolver, or SYMBOLS_UNOPENED or SYMBOLS_UNREADABLE
 * @path: its path in its process's mount namespace, or SYMBOLS_VDSO
 */
struct symbols_origin {
	uint8_t id[SYMBOLS_BUILD_ID];
	bool has_id;
	dev_t dev;
	ino_t ino;
	size_t users;
	int file;
	char path[];
};

/**
 * struct symbols_event - a process has mapped a file, was created, or has executed a program
 * @time: the kernel's time
 * @pid: the process
 * @exited: the process did not exist when symbols_events_prune() was last called
 * @parent: if it was created, the process that created it; otherwise 0
 * @origin: the mapped file; NULL: the process was created or has executed a program
 * @start: first address of the mapping
 * @end: address after its end
 * @offset: offset in the file of its first byte
 */
struct symbols_event {
	uint64_t time;
	pid_t pid;
	bool exited;
	pid_t parent;
	struct symbols_origin *origin;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
};

struct symbols_events;

struct symbols_events *symbols_events_open(void);
void symbols_events_read(struct symbols_events *events);
const struct symbols_event *symbols_events_of(const struct symbols_events *events, pid_t pid,
					      size_t *n);
void symbols_events_prune(struct symbols_events *events, bool (*keep)(const void *arg, pid_t pid),
			  const void *arg);
unsigned long symbols_events_lost(const struct symbols_events *events);
void symbols_events_restart(struct symbols_events *events);
void symbols_events_close(struct symbols_events *events);
bool symbols_exited(pid_t pid);

int symbols_open_in(pid_t pid, const char *path, uint64_t resolve);
int symbols_open_mapped(pid_t pid, uint64_t start, uint64_t end);
struct symbols_table *symbols_table_kernel(void);
struct symbols_table *symbols_table_jit(pid_t pid);
bool symbols_table_has_jit(pid_t pid);
const char *symbols_table_find(const struct symbols_table *table, uint64_t address,
			       uint64_t *offset);
void symbols_table_free(struct symbols_table *table);

void symbols_set_text(char *to, size_t size, const char *from);

#endif /* VCPC_SYMBOLS_PARTS_H */
