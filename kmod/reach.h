/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_REACH_H
#define VCPC_REACH_H

struct vcpc_counters;

/**
 * typedef vcpc_reach_fn - what to do where counters can be read
 * @arg: as given to vcpc_reach_call()
 *
 * Context: interrupts off, perhaps on another CPU; may take raw spinlocks.
 */
typedef int (*vcpc_reach_fn)(void *arg);

int vcpc_reach_call(const struct vcpc_counters *c, vcpc_reach_fn fn, void *arg);

#endif
