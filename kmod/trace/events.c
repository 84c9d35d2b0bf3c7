// SPDX-License-Identifier: GPL-2.0
/*
 * Define the tracepoints, escape names in their text, and maintain the page from which programs
 * read whether a listener is attached.
 *
 * Tracepoints call a function before their first listener is attached and after their last is
 * detached, so the page is correct for BPF, perf and ftrace.
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
static unsigned int begin_listeners;	/* 1 if vcpc_begin has a listener, otherwise 0 */

/* Escape quotes, backslashes, and everything except printable ASCII. */
#define ESCAPES	(ESCAPE_SPACE | ESCAPE_SPECIAL | ESCAPE_HEX | ESCAPE_NAP | ESCAPE_APPEND)

/**
 * vcpc_events_escape() - convert a name to one line of text without control characters
 * @to: destination, or NULL
 * @size: size of @to in bytes
 * @name: any bytes
 *
 * Different names result in different texts.
 *
 * Context: any.
 * Return: size of the text in bytes, including its NUL.
 */
size_t vcpc_events_escape(char *to, size_t size, const char *name)
{
	size_t len = string_escape_mem(name, strlen(name), to, size, ESCAPES, "\"\\");

	if (size)
		to[min(len, size - 1)] = '\0';
	return len + 1;
}

/**
 * vcpc_tracepage_init() - allocate the page
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
 * vcpc_tracepage_exit() - free the page; it is not mapped, because the device is not open
 *
 * ftrace unregisters from an unloaded module's tracepoints only after this call.
 */
void vcpc_tracepage_exit(void)
{
	mutex_lock(&page_lock);
	free_page((unsigned long)page);
	page = NULL;
	mutex_unlock(&page_lock);
}

/**
 * vcpc_tracepage_mmap() - map the page into a program
 * @file: the character device
 * @vma: the mapping
 *
 * Return: 0; -EINVAL (not this page), -EACCES (writable mapping), or another error from the kernel.
 */
int vcpc_tracepage_mmap(struct file *file, struct vm_area_struct *vma)
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
		WRITE_ONCE(page->flags,
			   (listeners ? VCPC_TRACE_LISTENING | VCPC_TRACE_THREADS : 0) |
			   (begin_listeners ? VCPC_TRACE_BEGINS : 0));
	mutex_unlock(&page_lock);
}

/**
 * vcpc_tracepage_listen() - called for the first listener of a tracepoint
 *
 * Return: 0.
 */
int vcpc_tracepage_listen(void)
{
	change(1, 0);
	return 0;
}

/**
 * vcpc_tracepage_unlisten() - called after the last listener of a tracepoint
 */
void vcpc_tracepage_unlisten(void)
{
	change(-1, 0);
}

/**
 * vcpc_tracepage_listen_begin() - called for the first listener of vcpc_begin
 *
 * Return: 0.
 */
int vcpc_tracepage_listen_begin(void)
{
	change(1, 1);
	return 0;
}

/**
 * vcpc_tracepage_unlisten_begin() - called after the last listener of vcpc_begin
 */
void vcpc_tracepage_unlisten_begin(void)
{
	change(-1, -1);
}
