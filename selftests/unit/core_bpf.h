/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of the reader of BPF maps: tracing that is separate from the system's */
#ifndef SELFTESTS_UNIT_CORE_BPF_H
#define SELFTESTS_UNIT_CORE_BPF_H

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>

#include "core/bpf.h"

#define PIN(map)	VC_PIN_DIR "/" map

/*
 * Turn tracing on in a private BPF file system.  Return -EPERM if this process may not load
 * programs.
 */
static inline int trace_apart(const struct shim_bpf_options *options)
{
	int ret;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("bpf", "/sys/fs/bpf", "bpf", 0, NULL))
		return -EPERM;
	ret = shim_bpf__on(options);
	return ret == -EOPNOTSUPP ? -EPERM : ret;
}

#define NEEDS_BPF(self) do {						\
	if (!(self)->r)							\
		SKIP(return, "BPF programs may not be loaded here");	\
} while (0)

#endif /* SELFTESTS_UNIT_CORE_BPF_H */
