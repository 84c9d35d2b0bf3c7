// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a process for suites that test what is copied from there.
 *
 * A suite begins in the process that loads the module, but its tests run in
 * kernel threads: they borrow the process's memory.
 */
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "user_test.h"

/**
 * vcpc_user_test_open() - find memory, at the beginning of a suite
 * @memory: filled
 *
 * Return: 0 or a negative errno.
 */
int vcpc_user_test_open(struct vcpc_user_memory *memory)
{
	unsigned long page;
	int ret;

	memory->mm = get_task_mm(current);
	if (!memory->mm)
		return -ESRCH;
	page = vm_mmap(NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(page)) {
		ret = page;
		goto err_map;
	}
	ret = vm_munmap(page + PAGE_SIZE, PAGE_SIZE);
	if (ret)
		goto err_map;
	memory->page = page;
	return 0;

err_map:
	mmput(memory->mm);
	memory->mm = NULL;
	return ret;
}

/**
 * vcpc_user_test_close() - give it back, at the end of the suite
 * @memory: as it was opened
 */
void vcpc_user_test_close(struct vcpc_user_memory *memory)
{
	if (!memory->mm)
		return;
	vm_munmap(memory->page, PAGE_SIZE);
	mmput(memory->mm);
	memory->mm = NULL;
}

/**
 * vcpc_user_test_enter() - use it, in a test
 * @memory: the suite's
 *
 * A test that ends before vcpc_user_test_leave() would take the memory along: no
 * KUNIT_ASSERT_*() in between.
 */
void vcpc_user_test_enter(const struct vcpc_user_memory *memory)
{
	kthread_use_mm(memory->mm);
}

/**
 * vcpc_user_test_leave() - use it no longer
 * @memory: the suite's
 */
void vcpc_user_test_leave(const struct vcpc_user_memory *memory)
{
	kthread_unuse_mm(memory->mm);
}

/**
 * vcpc_user_test_put() - lay something there
 * @test: the test
 * @memory: the suite's
 * @at: where in the page
 * @from: what
 * @len: how long it is
 *
 * Context: between vcpc_user_test_enter() and vcpc_user_test_leave().
 * Return: its address.
 */
void __user *vcpc_user_test_put(struct kunit *test, const struct vcpc_user_memory *memory,
				size_t at, const void *from, size_t len)
{
	void __user *to = (void __user *)(memory->page + at);

	KUNIT_EXPECT_EQ(test, 0UL, copy_to_user(to, from, len));
	return to;
}
