// SPDX-License-Identifier: GPL-2.0
/* A mapping's flags are changed by functions only, since Linux 6.3. */
#include <linux/mm.h>

void try(struct vm_area_struct *vma);

void try(struct vm_area_struct *vma)
{
	vm_flags_clear(vma, VM_MAYWRITE);
}
