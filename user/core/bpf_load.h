/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Load BPF programs into the kernel although signals arrive. */
#ifndef SHIM_CORE_BPF_LOAD_H
#define SHIM_CORE_BPF_LOAD_H

#include <bpf/libbpf.h>

#include "base/signals.h"

/*
 * Load with all signals blocked: if one is pending, the kernel stops verifying a program, and libbpf
 * tries only five times.
 */
static inline int shim_bpf_load(struct bpf_object *object)
{
	sigset_t before;
	int err;

	shim_signals__block(&before);
	err = bpf_object__load(object);
	shim_signals__restore(&before);
	return err;
}

static inline int shim_bpf_load_skeleton(struct bpf_object_skeleton *skeleton)
{
	sigset_t before;
	int err;

	shim_signals__block(&before);
	err = bpf_object__load_skeleton(skeleton);
	shim_signals__restore(&before);
	return err;
}

#endif /* SHIM_CORE_BPF_LOAD_H */
