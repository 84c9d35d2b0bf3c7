// SPDX-License-Identifier: GPL-2.0
/*
 * The page that tells programs whether anybody listens to trace events.
 *
 * Tracepoints tell when they get their first listener and lose their last, so
 * the page is right whoever listens: BPF, perf or ftrace.
 *
 * Locking: page_lock guards the counts and the page.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/vcpc.h>

#include "compat/vm_flags.h"
#include "trace/page.h"

static DEFINE_MUTEX(page_lock);
static struct vcpc_trace_page *page;
static unsigned int listeners;	/* tracepoints that somebody listens to */
static unsigned int begins;	/* reasons why begins are wanted */

/**
 * vcpc_tracepage_init() - make the page
 *
 * Return: 0 or -ENOMEM.
 */
int vcpc_tracepage_init(void)
{
	page = (void *)get_zeroed_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	page->size = sizeof(*page);
	return 0;
}

/**
 * vcpc_tracepage_exit() - free it; nobody has it mapped, as nobody has the device open
 *
 * ftrace gives up an unloaded module's tracepoints only after this.
 */
void vcpc_tracepage_exit(void)
{
	mutex_lock(&page_lock);
	free_page((unsigned long)page);
	page = NULL;
	mutex_unlock(&page_lock);
}

/**
 * vcpc_tracepage_map() - map it for a program
 * @vma: where to
 *
 * Return: 0; -EINVAL (not this page), -EACCES (to be written), or the kernel's.
 */
int vcpc_tracepage_map(struct vm_area_struct *vma)
{
	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EACCES;
	vcpc_vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	return vm_insert_page(vma, vma->vm_start, virt_to_page(page));
}

static void change(unsigned int *count, int by)
{
	mutex_lock(&page_lock);
	*count += by;
	if (page)
		WRITE_ONCE(page->flags, (listeners ? VCPC_TRACE_LISTENING : 0) |
					(begins ? VCPC_TRACE_BEGINS : 0));
	mutex_unlock(&page_lock);
}

/**
 * vcpc_tracepage_listen() - a tracepoint has got its first listener
 *
 * Return: 0.
 */
int vcpc_tracepage_listen(void)
{
	change(&listeners, 1);
	return 0;
}

/**
 * vcpc_tracepage_unlisten() - a tracepoint has lost its last listener
 */
void vcpc_tracepage_unlisten(void)
{
	change(&listeners, -1);
}

/**
 * vcpc_tracepage_want_begins() - from now on, begins are to be told
 */
void vcpc_tracepage_want_begins(void)
{
	change(&begins, 1);
}

/**
 * vcpc_tracepage_unwant_begins() - for this reason no longer
 */
void vcpc_tracepage_unwant_begins(void)
{
	change(&begins, -1);
}

/**
 * vcpc_tracepage_listen_begin() - vcpc_begin has got its first listener
 *
 * Return: 0.
 */
int vcpc_tracepage_listen_begin(void)
{
	vcpc_tracepage_want_begins();
	return vcpc_tracepage_listen();
}

/**
 * vcpc_tracepage_unlisten_begin() - vcpc_begin has lost its last listener
 */
void vcpc_tracepage_unlisten_begin(void)
{
	vcpc_tracepage_unlisten();
	vcpc_tracepage_unwant_begins();
}
