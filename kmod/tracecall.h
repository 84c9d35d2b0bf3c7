/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_TRACECALL_H
#define VCPC_TRACECALL_H

#include <linux/types.h>
#include <linux/xarray.h>

#include "tag.h"

/**
 * struct vcpc_tracer - the trace state of one open file
 * @holder: the tags it holds
 * @last_tgid: the process that began a transaction last, 0 if none did
 * @tgids: all processes that did
 */
struct vcpc_tracer {
	struct vcpc_tag_holder holder;
	u32 last_tgid;
	struct xarray tgids;
};

void vcpc_tracecall_init(struct vcpc_tracer *tracer, struct vcpc_user *user);
void vcpc_tracecall_release(struct vcpc_tracer *tracer);
int vcpc_tracecall_tag(struct vcpc_tracer *tracer, void __user *uarg);
int vcpc_tracecall_fire(struct vcpc_tracer *tracer, const void __user *uarg);
int vcpc_tracecall_advise(struct vcpc_tracer *tracer, u64 where, u64 value, u32 advice);

#endif
