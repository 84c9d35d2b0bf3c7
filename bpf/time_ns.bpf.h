/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Find out by how much a time namespace's CLOCK_MONOTONIC is ahead of the host's. */
#ifndef VCPC_BPF_TIME_NS_H
#define VCPC_BPF_TIME_NS_H

#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* Declare only the members that are read; the loader relocates them (CO-RE). */
struct timespec64 {
	__s64 tv_sec;
	long tv_nsec;
} __attribute__((preserve_access_index));

struct time_namespace {
	struct {
		struct timespec64 monotonic;
	} offsets;
} __attribute__((preserve_access_index));

struct nsproxy {
	struct time_namespace *time_ns;
} __attribute__((preserve_access_index));

/*
 * Return by how much the current task's clock is ahead of the host's, in nanoseconds.  @nsproxy
 * must be the current task's.
 */
static __always_inline __u64 vc_ahead_of_host(const struct nsproxy *nsproxy)
{
	const struct timespec64 *ahead;

	if (!bpf_core_field_exists(struct nsproxy, time_ns))
		return 0;
	ahead = &nsproxy->time_ns->offsets.monotonic;
	return ahead->tv_sec * 1000000000ull + ahead->tv_nsec;
}

#endif /* VCPC_BPF_TIME_NS_H */
