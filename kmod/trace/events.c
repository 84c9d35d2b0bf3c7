// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints themselves, how a name looks in their text, and the page that tells programs
 * whether anybody listens.
 *
 * Tracepoints report their first listener and their last, so the page is right whoever listens:
 * BPF, perf or ftrace.
 *
 * Locking: page_lock guards the counts and the page.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/string_helpers.h>
#include <linux/vcpc.h>

#include "compat/vm_flags.h"

#define CREATE_TRACE_POINTS
#include "trace/events.h"

static DEFINE_MUTEX(page_lock);
static struct vcpc_trace_page *page;
static unsigned int listeners;		/* tracepoints that have a listener */
static unsigned int begin_listeners;	/* of these, vcpc_begin */

/* Printable ASCII stays, but what ends a string or begins an escape. */
#define ESCAPES	(ESCAPE_SPACE | ESCAPE_SPECIAL | ESCAPE_HEX | ESCAPE_NAP | ESCAPE_APPEND)

/**
 * vcpc_events_escape() - a name as text: one line without control characters
 * @to: where to, or NULL
 * @size: how many bytes there are
 * @name: any bytes
 *
 * Different names give different texts.
 *
 * Context: any.
 * Return: how many bytes the text needs, with its NUL.
 */
size_t vcpc_events_escape(char *to, size_t size, const char *name)
{
	size_t len = string_escape_mem(name, strlen(name), to, size, ESCAPES, "\"\\");

	if (size)
		to[min(len, size - 1)] = '\0';
	return len + 1;
}

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
 * vcpc_tracepage_exit() - free it; nobody has it mapped, because nobody has the device open
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
	vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	return vm_insert_page(vma, vma->vm_start, virt_to_page(page));
}

static void change(int all, int begin)
{
	mutex_lock(&page_lock);
	listeners += all;
	begin_listeners += begin;
	if (page)
		WRITE_ONCE(page->flags, (listeners ? VCPC_TRACE_LISTENING : 0) |
					(begin_listeners ? VCPC_TRACE_BEGINS : 0));
	mutex_unlock(&page_lock);
}

/**
 * vcpc_tracepage_listen() - a tracepoint has got its first listener
 *
 * Return: 0.
 */
int vcpc_tracepage_listen(void)
{
	change(1, 0);
	return 0;
}

/**
 * vcpc_tracepage_unlisten() - a tracepoint has lost its last listener
 */
void vcpc_tracepage_unlisten(void)
{
	change(-1, 0);
}

/**
 * vcpc_tracepage_listen_begin() - vcpc_begin has got its first listener
 *
 * Return: 0.
 */
int vcpc_tracepage_listen_begin(void)
{
	change(1, 1);
	return 0;
}

/**
 * vcpc_tracepage_unlisten_begin() - vcpc_begin has lost its last listener
 */
void vcpc_tracepage_unlisten_begin(void)
{
	change(-1, -1);
}
