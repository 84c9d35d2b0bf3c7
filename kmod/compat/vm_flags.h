/* SPDX-License-Identifier: GPL-2.0 */
/* vm_flags_clear(): clears flags of a mapping; new in Linux 6.3 */
#ifndef VCPC_COMPAT_VM_FLAGS_H
#define VCPC_COMPAT_VM_FLAGS_H

#include <linux/mm.h>

#include "compat/have.h"

#ifndef HAVE_VM_FLAGS_CLEAR
static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#endif
