/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Take individual trace events from the ring, and list open transactions. */
#ifndef SHIM_CORE_BPF_EVENTS_H
#define SHIM_CORE_BPF_EVENTS_H

#include <stdint.h>

#include "bpf/trace.h"

struct shim_bpf_events;

typedef int shim_bpf_record_fn(void *arg, const struct vc_record *record);

int shim_bpf_events__open(struct shim_bpf_events **out);
int shim_bpf_events__take(struct shim_bpf_events *events, int timeout_ms, shim_bpf_record_fn *fn,
			  void *arg);
int shim_bpf_events__open_ones(shim_bpf_record_fn *fn, void *arg);
void shim_bpf_events__close(struct shim_bpf_events *events);

/* Called with an account and the number of events that it has lost */

typedef int shim_bpf_loss_fn(void *arg, uint64_t account, uint64_t n);

int shim_bpf_losses__ring(shim_bpf_loss_fn *fn, void *arg);

#endif /* SHIM_CORE_BPF_EVENTS_H */
