/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_TRACE_CALL_H
#define VCPC_TRACE_CALL_H

#include <linux/types.h>

#include "trace/tag.h"

/**
 * struct vcpc_tracer - the trace state of one open file
 * @holder: the tags it holds
 * @file: its number, never reused; modulo VCPC_SHARES it is the account's share
 * @tgid: the process that opened it
 * @began: a transaction has begun on it
 */
struct vcpc_tracer {
	struct vcpc_tag_holder holder;
	u64 file;
	pid_t tgid;
	bool began;
};

void vcpc_tracecall_init(struct vcpc_tracer *tracer, struct vcpc_user *user);
void vcpc_tracecall_release(struct vcpc_tracer *tracer);
int vcpc_tracecall_tag(struct vcpc_tracer *tracer, void __user *uarg);
int vcpc_tracecall_fire(struct vcpc_tracer *tracer, u32 op, u64 handle, u64 value);
bool vcpc_tracecall_counted(void);

#endif
