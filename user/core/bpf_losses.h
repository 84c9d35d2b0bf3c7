/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lost events by account. */
#ifndef SHIM_CORE_BPF_LOSSES_H
#define SHIM_CORE_BPF_LOSSES_H

#include <stdint.h>

#include "bpf/trace.h"

typedef int shim_bpf_loss_fn(void *arg, uint64_t account, uint64_t n);

int shim_bpf_losses__ring(shim_bpf_loss_fn *fn, void *arg);

#endif /* SHIM_CORE_BPF_LOSSES_H */
