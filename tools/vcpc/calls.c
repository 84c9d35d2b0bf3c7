// SPDX-License-Identifier: GPL-2.0-or-later
/* Find trace calls in a program's file. */
#define _GNU_SOURCE	/* for memmem() */
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

static const char *const calls[] = { "pmtracebegin", "pmtracepoint", "pmtraceobs", "pmtracecounter" };

static bool names_calls(const Elf_Data *strings)
{
	if (!strings || !strings->d_buf)
		return false;
	/* Include the terminating NUL, so that a longer name does not match. */
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (memmem(strings->d_buf, strings->d_size, calls[i], strlen(calls[i]) + 1))
			return true;
	return false;
}

/* Search only the string tables, because a program may be large. */
static bool has_calls(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_STRTAB &&
		    names_calls(elf_getdata(section, NULL)))
			return true;
	return false;
}

bool vcpc_makes_trace_calls(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = false;
	Elf *elf;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf) {
		found = elf_kind(elf) == ELF_K_ELF && has_calls(elf);
		elf_end(elf);
	}
	close(fd);
	return found;
}
