/* SPDX-License-Identifier: GPL-2.0 */
/* Since Linux 6.3 a mapping's flags are changed by functions only. */
#ifndef VCPC_COMPAT_VM_FLAGS_H
#define VCPC_COMPAT_VM_FLAGS_H

#include <linux/mm.h>
#include <linux/version.h>

static inline void vcpc_vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_clear(vma, flags);
#else
	vma->vm_flags &= ~flags;
#endif
}

#endif
