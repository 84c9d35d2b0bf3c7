/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Find functions, and USDT probes, in the file of a program or library. */
#ifndef VCPC_ELF_PLACES_H
#define VCPC_ELF_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_MOST_PLACES	64
#define ELF_NEAR	4
#define ELF_NAME	256

struct elf_file;

/**
 * struct elf_places - the search result for a name
 * @n: number of different places
 * @address: each place's address in the program's memory, before relocation
 * @offset: each place's offset in the file
 * @semaphore: file offset of a USDT probe's semaphore, or 0
 * @imported: the name is defined in another file
 * @chosen: it is resolved at load time to one of several functions (IFUNC)
 * @near: similar names; an empty name ends the list
 * @distance: edit distance of each
 */
struct elf_places {
	unsigned int n;
	uint64_t address[ELF_MOST_PLACES];
	uint64_t offset[ELF_MOST_PLACES];
	uint64_t semaphore[ELF_MOST_PLACES];
	bool imported;
	bool chosen;
	char near[ELF_NEAR][ELF_NAME];
	unsigned int distance[ELF_NEAR];
};

int elf_file_open(const char *path, struct elf_file **file);
const char *elf_file_language(struct elf_file *file);
void elf_file_function(struct elf_file *file, const char *name, struct elf_places *places);
bool elf_file_mentions(struct elf_file *file, const char *name);
void elf_file_usdt(struct elf_file *file, const char *provider, const char *name,
		   struct elf_places *places);
int elf_file_take(struct elf_file *file);
void elf_file_close(struct elf_file *file);

#endif /* VCPC_ELF_PLACES_H */
