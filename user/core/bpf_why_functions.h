/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attach probes of 'why' to the functions that the tracing session traces. */
#ifndef SHIM_CORE_BPF_WHY_FUNCTIONS_H
#define SHIM_CORE_BPF_WHY_FUNCTIONS_H

#include <stddef.h>

struct bpf_link;
struct vc_why;

/* Zeroed before the first call */
struct shim_why_functions {
	size_t n;
	struct bpf_link **links;
};

int shim_why_functions__leave_out(struct vc_why *skel);
int shim_why_functions__attach(struct shim_why_functions *f, struct vc_why *skel);
void shim_why_functions__detach(struct shim_why_functions *f);

#endif /* SHIM_CORE_BPF_WHY_FUNCTIONS_H */
