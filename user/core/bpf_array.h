/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Map a pinned BPF array into memory. */
#ifndef SHIM_CORE_BPF_ARRAY_H
#define SHIM_CORE_BPF_ARRAY_H

#include <stddef.h>

int shim_bpf_array__length(const char *path, size_t value, size_t *n);
int shim_bpf_array__map(const char *path, size_t value, int prot, void **memory, size_t *n);

#endif /* SHIM_CORE_BPF_ARRAY_H */
