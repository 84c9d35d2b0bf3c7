/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describe a probe on a function of this test program. */
#ifndef PROBE_ON_H
#define PROBE_ON_H

#include <link.h>
#include <shim/trace.h>
#include <stdint.h>

struct place {
	uintptr_t address;
	uint64_t offset;
};

static inline int find_offset(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct place *place = arg;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type == PT_LOAD && place->address >= start &&
		    place->address < start + info->dlpi_phdr[i].p_filesz)
			place->offset = place->address - start + info->dlpi_phdr[i].p_offset;
	}
	return place->offset != 0;
}

static inline struct shim_trace_probe probe_on(void (*function)(void), const char *tag)
{
	struct place place = { .address = (uintptr_t)function };

	dl_iterate_phdr(find_offset, &place);
	return (struct shim_trace_probe) {
		.size = sizeof(struct shim_trace_probe), .what = SHIM_TRACE_PROBE_FUNCTION,
		.tag = tag, .file = "/proc/self/exe", .offset = place.offset,
	};
}

#define PROBE(function)	probe_on((void (*)(void))(function), #function)

#endif /* PROBE_ON_H */
