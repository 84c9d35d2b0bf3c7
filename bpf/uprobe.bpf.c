// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The same events from probes on user functions, for a machine without the module.
 *
 * A probed function takes what the module's tracepoint of that name takes:
 * (tag, id, flags, name).
 */
#include <linux/ptrace.h>
#include "event.bpf.h"
#include <bpf/bpf_tracing.h>

static __always_inline struct vc_event vc_transaction(struct pt_regs *ctx)
{
	return (struct vc_event) {
		.tag = PT_REGS_PARM1(ctx),
		.id = PT_REGS_PARM2(ctx),
		.flags = PT_REGS_PARM3(ctx),
		.from = VC_NAME_USER,
		.name = (const char *)PT_REGS_PARM4(ctx),
	};
}

SEC("uprobe")
int vc_user_begin(struct pt_regs *ctx)
{
	struct vc_event ev = vc_transaction(ctx);

	vc_begin(&ev);
	return 0;
}

SEC("uprobe")
int vc_user_end(struct pt_regs *ctx)
{
	struct vc_event ev = vc_transaction(ctx);

	vc_end(&ev);
	return 0;
}

SEC("uprobe")
int vc_user_abort(struct pt_regs *ctx)
{
	struct vc_event ev = vc_transaction(ctx);

	vc_close(&ev);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
