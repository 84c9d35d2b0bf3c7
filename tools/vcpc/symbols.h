/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resolve addresses of the kernel and of programs, including exited ones, to functions and lines.
 */
#ifndef VCPC_SYMBOLS_H
#define VCPC_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SYMBOLS_BUILD_ID 20

/**
 * struct symbol - a resolved address
 * @name: the function, or [FILE]+0xOFFSET if it has no known symbol; printable ASCII without ';'
 * @file: the source file without its directories, with the same characters as @name, or empty
 * @line: the line in @file, or 0
 */
struct symbol {
	char name[128];
	char file[64];
	unsigned int line;
};

struct symbols;

struct symbols *symbols_open(void);
int symbols_learn(struct symbols *symbols, pid_t pid);
bool symbols_know(const struct symbols *symbols, pid_t pid);
void symbols_read(struct symbols *symbols);
void symbols_prune(struct symbols *symbols);
void symbols_renew(struct symbols *symbols);
void symbols_restart(struct symbols *symbols);
void symbols_of_file(struct symbols *symbols, pid_t pid, const uint8_t *build_id, uint64_t offset,
		     struct symbol *symbol);
void symbols_of_process(struct symbols *symbols, pid_t pid, uint64_t address,
			struct symbol *symbol);
void symbols_of_kernel(struct symbols *symbols, uint64_t address, struct symbol *symbol);
bool symbols_kernel_hidden(struct symbols *symbols);
unsigned long symbols_dropped(const struct symbols *symbols);
unsigned long symbols_cut(const struct symbols *symbols);
void symbols_close(struct symbols *symbols);

#endif /* VCPC_SYMBOLS_H */
