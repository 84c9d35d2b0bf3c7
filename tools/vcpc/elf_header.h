/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Check the header of an ELF file before libelf reads the file. */
#ifndef VCPC_ELF_HEADER_H
#define VCPC_ELF_HEADER_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/*
 * Return whether the file's header contains the number of its sections.  Otherwise the file has
 * more than 65,279, or claims this.  libelf takes 260 bytes for each, although they may be a hole.
 */
static inline bool elf_has_few_sections(int fd)
{
	union {
		unsigned char ident[sizeof(Elf64_Ehdr)];
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} header;
	size_t have = 0;
	ssize_t n = 1;

	while (have < sizeof(header) && n > 0) {
		n = pread(fd, header.ident + have, sizeof(header) - have, (off_t)have);
		have += n > 0 ? n : 0;
	}
	if (have < sizeof(header))
		return false;
	if (header.ident[EI_CLASS] == ELFCLASS32)
		return header.narrow.e_shnum || !header.narrow.e_shoff;
	return header.wide.e_shnum || !header.wide.e_shoff;
}

#endif /* VCPC_ELF_HEADER_H */
