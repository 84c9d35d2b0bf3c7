/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attach probes to functions, or to pairs of places, of programs without trace calls. */
#ifndef SHIM_CORE_BPF_FUNCTION_H
#define SHIM_CORE_BPF_FUNCTION_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/function.h"

/**
 * struct shim_bpf_probe - one probe
 * @row: kind, place and tag; shim_bpf__probe() sets the file's identity and the tag's first row
 * @path: the file to open; may be another name of @row.file
 */
struct shim_bpf_probe {
	struct vc_probe row;
	const char *path;
};

typedef int shim_bpf_probe_fn(void *arg, const struct vc_probe *row);

int shim_bpf__probe(struct shim_bpf_probe *probes, size_t n, size_t *bad);
int shim_bpf_probe__identify(int fd, struct vc_probe *row);
int shim_bpf__probes(shim_bpf_probe_fn *fn, void *arg);

#endif /* SHIM_CORE_BPF_FUNCTION_H */
