// SPDX-License-Identifier: GPL-2.0
/*
 * Since Linux 6.3, the flags of a mapping are read-only and must be changed through functions such
 * as vm_flags_clear().
 */
#include <linux/mm.h>

void try(struct vm_area_struct *vma);

void try(struct vm_area_struct *vma)
{
	vm_flags_clear(vma, VM_MAYWRITE);
}
