// SPDX-License-Identifier: GPL-2.0
/* Since Linux 6.3, only functions can change the flags of a mapping. */
#include <linux/mm.h>

void try(struct vm_area_struct *vma);

void try(struct vm_area_struct *vma)
{
	vm_flags_clear(vma, VM_MAYWRITE);
}
