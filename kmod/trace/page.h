/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_TRACE_PAGE_H
#define VCPC_TRACE_PAGE_H

struct vm_area_struct;

int vcpc_tracepage_init(void);
void vcpc_tracepage_exit(void);
int vcpc_tracepage_map(struct vm_area_struct *vma);

int vcpc_tracepage_listen(void);
void vcpc_tracepage_unlisten(void);
int vcpc_tracepage_listen_begin(void);
void vcpc_tracepage_unlisten_begin(void);
void vcpc_tracepage_want_begins(void);
void vcpc_tracepage_unwant_begins(void);

#endif
