/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of the symbol resolver: the open files, and the processes that have mapped them */
#ifndef VCPC_SYMBOLS_STATE_H
#define VCPC_SYMBOLS_STATE_H

#include "symbols_parts.h"

#define MOST_FILES	256
#define MOST_PROCESSES	1024

struct symbols_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	unsigned int file;
};

struct symbols_process {
	pid_t pid;
	size_t n;
	struct symbols_mapping *at;
	uint64_t vdso;		/* address range of the kernel's code in the process (vDSO), or 0 */
	uint64_t vdso_end;
	struct symbols_table *jit;
	int error;		/* of reading its mappings, for parents */
};

struct symbols {
	size_t nfiles;
	struct symbols_file files[MOST_FILES];
	struct symbols_room room;
	size_t nprocesses;
	struct symbols_process processes[MOST_PROCESSES];
	size_t nparents;		/* processes whose mappings were added to their children */
	struct symbols_process parents[MOST_PROCESSES];
	bool kernel_tried;
	struct symbols_table *kernel;
	size_t njit;
	struct symbols_events *events;	/* NULL if the kernel does not permit it */
	bool exited;			/* the mappings of an exited process were needed */
	unsigned long dropped;
};

void symbols_note_failure(struct symbols *symbols, int err);
int symbols_add_file(struct symbols *symbols, int fd, const char *path);
struct symbols_process *symbols_find_process(struct symbols *symbols, pid_t pid);
void symbols_forget(struct symbols_process *process);
void symbols_forget_parents(struct symbols *symbols);

#endif /* VCPC_SYMBOLS_STATE_H */
