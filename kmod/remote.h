/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_REMOTE_H
#define VCPC_REMOTE_H

struct vcpc_counters;

/**
 * typedef vcpc_remote_fn - what to do where counters can be read
 * @arg: as given to vcpc_remote_call()
 *
 * Context: interrupts off, perhaps on another CPU; may take raw spinlocks.
 */
typedef int (*vcpc_remote_fn)(void *arg);

int vcpc_remote_call(const struct vcpc_counters *c, vcpc_remote_fn fn, void *arg);

#endif
