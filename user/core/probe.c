// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Define two empty functions to which uprobes are attached, and the counts of the attached probes.
 *
 * Each function has a count, a word in each process that has mapped this library.  The kernel keeps
 * the count above 0 while a probe is attached to the function.  The library calls the function only
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

/*
 * The counts must be in the file, not in .bss, because the kernel finds them by their file offset.
 */
#define IN_FILE __attribute__((section(".shim_probes")))

IN_FILE volatile union shim_probe_wanted shim_probe_wanted = { .any = 0 };

/*
 * If a function starts with a no-op, the kernel need not single-step its first instruction.  Do not
 * use x86's five-byte no-op: Linux 6.18 replaces it with a call to a page that a forked child does
 * not have, which kills the child.
 */
#define NOTHING "nop"
#define PROBED __attribute__((noipa))

PROBED void shim_probe_begin(uint64_t op, uint64_t hash, uint64_t value, const char *name)
{
	__asm__ volatile(NOTHING : : "r"(op), "r"(hash), "r"(value), "r"(name));
}

PROBED void shim_probe_event(uint64_t op, uint64_t hash, uint64_t value, const char *name)
{
	__asm__ volatile(NOTHING : : "r"(op), "r"(hash), "r"(value), "r"(name));
}

/* Use no seed, so that a name has the same hash in all processes. */
uint64_t shim_probe__hash(const char *name, size_t len)
{
	static const struct shim_hash without_seed;

	return shim_hash__bytes(&without_seed, name, len);
}

struct search {
	uintptr_t function, wanted;
	struct shim_probe_place *place;
};

/* Find the file offset of an address.  Return 0, or -1 if it is not in this object. */
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
 * shim_probe__place() - find the place of a probe
 * @begin: true for shim_probe_begin(), false for shim_probe_event()
 * @place: filled in
 *
 * Return: 0, or -ENOENT if this library was not loaded from a file.
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
 * shim_probe__is_shared() - check whether a probe covers other programs as well
 *
 * Return: true if this code is in a shared library.  A statically linked program has the two
 * functions in its own file, so a probe covers only that program.
 */
bool shim_probe__is_shared(void)
{
	struct shim_probe_place place;

	return !shim_probe__place(0, &place) && strcmp(place.file, "/proc/self/exe");
}
