/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Find the position of a probed function's call on its thread's stack. */
#ifndef VCPC_BPF_CALL_H
#define VCPC_BPF_CALL_H

#include <linux/ptrace.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/* Declare only the members that are read; the loader relocates them (CO-RE). */
struct xol_area {
	unsigned long vaddr;
} __attribute__((preserve_access_index));

struct uprobes_state {
	struct xol_area *xol_area;
} __attribute__((preserve_access_index));

struct mm_struct {
	struct uprobes_state uprobes_state;
} __attribute__((preserve_access_index));

struct task_struct___call {
	struct mm_struct *mm;
} __attribute__((preserve_access_index));

/*
 * The stack pointer that the function had at its entry, computed at the entry or after the return
 */
#ifdef __TARGET_ARCH_x86
#define VC_RETURN_SIZE	8	/* size of the return address on the stack */
#else
#define VC_RETURN_SIZE	0
#endif
#define VC_ENTRY_SP(ctx)	PT_REGS_SP(ctx)
#define VC_RETURN_SP(ctx)	(PT_REGS_SP(ctx) - VC_RETURN_SIZE)

static __always_inline __u64 vc_return_address(struct pt_regs *ctx)
{
	__u64 address = 0;

#ifdef __TARGET_ARCH_x86
	bpf_probe_read_user(&address, sizeof(address), (const void *)PT_REGS_SP(ctx));
#else
	address = PT_REGS_RET(ctx);
#endif
	return address;
}

/*
 * A probed function returns to the kernel's trampoline.  If the function being entered would also
 * return there, a probed function has jumped to it (a tail call) and is still open.
 */
static __noinline int vc_is_tail_call(struct pt_regs *ctx)
{
	const struct task_struct___call *task = (const void *)bpf_get_current_task_btf();
	const struct xol_area *area;

	if (!bpf_core_field_exists(struct xol_area, vaddr))
		return 0;
	area = BPF_CORE_READ(task, mm, uprobes_state.xol_area);
	return area && BPF_CORE_READ(area, vaddr) == vc_return_address(ctx);
}

#endif /* VCPC_BPF_CALL_H */
