/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds functions, and USDT probes, in the file of a program or library. */
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
 * struct elf_places - what was found of a name
 * @n: how many different places
 * @address: in the program's memory, before it is moved
 * @offset: in the file
 * @semaphore: offset in the file of a USDT probe's count, or 0
 * @imported: the name is known, but is of another file
 * @chosen: it is a function that chooses, at load time, among several (IFUNC)
 * @near: names that are like it, "" from the end on
 * @distance: of each, how far it is from the name
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
void elf_file_close(struct elf_file *file);

#endif /* VCPC_ELF_PLACES_H */
