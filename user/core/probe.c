// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Two empty functions for uprobes to be attached to, and counts of the attached ones.
 *
 * While a probe is attached to a function, the kernel keeps its count, a word in each
 * process that has this library mapped, above 0.  The library calls the function only
 * then.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "probe.h"

/* Put it in the file, not in .bss: the kernel finds it by its offset in the file. */
#define IN_FILE __attribute__((section(".shim_probes")))

IN_FILE volatile union shim_probe_wanted shim_probe_wanted = { .any = 0 };

/*
 * A function that starts with a no-op spares the kernel single-stepping its first
 * instruction.  This must not be x86's no-op of five bytes: Linux 6.18 replaces it by
 * a call to a page that a forked child does not have, which kills the child.
 */
#define NOTHING "nop"
#define PROBED __attribute__((noipa))

PROBED void shim_probe_begin(uint32_t op, uint64_t hash, uint64_t value, const char *name)
{
	__asm__ volatile(NOTHING : : "r"(op), "r"(hash), "r"(value), "r"(name));
}

PROBED void shim_probe_event(uint32_t op, uint64_t hash, uint64_t value, const char *name)
{
	__asm__ volatile(NOTHING : : "r"(op), "r"(hash), "r"(value), "r"(name));
}

/* Without a seed, so that a name has the same hash in each process */
uint64_t shim_probe__hash(const char *name, size_t len)
{
	static const struct shim_hash without_seed;

	return shim_hash__bytes(&without_seed, name, len);
}

struct search {
	uintptr_t function, wanted;
	struct shim_probe_place *place;
};

/* Where in its file an address is: 0, or -1 if it is not of this object */
static int offset_of(const struct dl_phdr_info *info, uintptr_t address, size_t *offset)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD || address < start ||
		    address >= start + part->p_filesz)
			continue;
		*offset = address - start + part->p_offset;
		return 0;
	}
	return -1;
}

static int look_here(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *search = arg;
	struct shim_probe_place *place = search->place;

	(void)size;
	if (offset_of(info, search->function, &place->function) ||
	    offset_of(info, search->wanted, &place->wanted))
		return 0;
	snprintf(place->file, sizeof(place->file), "%s",
		 *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
	return 1;
}

/**
 * shim_probe__place() - where to put a probe
 * @begin: on shim_probe_begin(), otherwise on shim_probe_event()
 * @place: filled in
 *
 * Return: 0, or -ENOENT if this library is in no file.
 */
int shim_probe__place(int begin, struct shim_probe_place *place)
{
	struct search search = {
		.function = (uintptr_t)(begin ? shim_probe_begin : shim_probe_event),
		.wanted = (uintptr_t)(begin ? &shim_probe_wanted.begins : &shim_probe_wanted.events),
		.place = place,
	};

	return dl_iterate_phdr(look_here, &search) ? 0 : -ENOENT;
}

/**
 * shim_probe__is_shared() - would a probe see what other programs do?
 *
 * Return: whether this code is a shared library's.  A program that is linked with the static one
 * has the two functions in its own file, where a probe sees that program alone.
 */
bool shim_probe__is_shared(void)
{
	struct shim_probe_place place;

	return !shim_probe__place(0, &place) && strcmp(place.file, "/proc/self/exe");
}
