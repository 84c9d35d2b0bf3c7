// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a process for suites that test what is copied from there, and sets made of it.
 *
 * A suite begins in the process that loads the module, but its tests run in
 * kernel threads: they borrow the process's memory.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "limits.h"
#include "set.h"
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
 * vcpc_user_test_begin() - what a suite needs that makes sets
 * @memory: filled
 * @user: set to whose account they are on; NULL on failure
 *
 * Linux 6.1 runs suites before it initializes their module, newer ones after that.
 *
 * Return: 0 or a negative errno.
 */
int vcpc_user_test_begin(struct vcpc_user_memory *memory, struct vcpc_user **user)
{
	struct vcpc_user *self = vcpc_limits_get();
	int ret;

	*user = NULL;
	if (IS_ERR(self))
		return PTR_ERR(self);
	ret = vcpc_user_test_open(memory);
	if (ret)
		vcpc_limits_put(self);
	else
		*user = self;
	return ret;
}

/**
 * vcpc_user_test_end() - undo vcpc_user_test_begin()
 * @memory: as it was filled
 * @user: whose account it was; NULL if the suite could not begin: newer kernels end it
 *	all the same
 */
void vcpc_user_test_end(struct vcpc_user_memory *memory, struct vcpc_user *user)
{
	if (!user)
		return;
	vcpc_user_test_close(memory);
	vcpc_limits_put(user);
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

/**
 * vcpc_user_test_destroy() - undo vcpc_user_test_set()
 * @set: the set
 */
void vcpc_user_test_destroy(struct vcpc_set *set)
{
	vcpc_set_unbind(set, true);
	vcpc_set_put(set);
}

/**
 * vcpc_user_test_set() - make a set
 * @test: the test
 * @memory: the suite's; overwritten
 * @user: on whose account
 * @requests: what it counts
 * @nr: how many
 * @flags: VCPC_SET_F_*
 *
 * Return: the set, for vcpc_user_test_destroy(); or an ERR_PTR, for which the test has failed.
 */
struct vcpc_set *vcpc_user_test_set(struct kunit *test, const struct vcpc_user_memory *memory,
				    struct vcpc_user *user, const struct vcpc_request *requests,
				    unsigned int nr, u32 flags)
{
	const struct vcpc_set_create_args args = {
		.size = sizeof(args),
		.flags = flags,
		.nr_requests = nr,
		.request_size = sizeof(*requests),
		.requests = memory->page,
	};
	struct vcpc_set *set;
	int bad;

	vcpc_user_test_enter(memory);
	vcpc_user_test_put(test, memory, 0, requests, nr * sizeof(*requests));
	set = vcpc_set_create(&args, user, &bad);
	vcpc_user_test_leave(memory);
	KUNIT_EXPECT_FALSE(test, IS_ERR(set));
	return set;
}
