// SPDX-License-Identifier: GPL-2.0
/*
 * Provide user memory to suites, and create sets from requests in it.
 *
 * A suite starts in the process that loads the module, but its tests run in
 * kernel threads, which use that process's memory.
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
 * vcpc_user_test_open() - map user memory at the start of a suite
 * @memory: filled in
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
 * vcpc_user_test_close() - release the memory at the end of the suite
 * @memory: from vcpc_user_test_open()
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
 * vcpc_user_test_begin() - set up a suite that creates sets
 * @memory: filled in
 * @user: set to the account that the sets are charged to; NULL on failure
 *
 * Linux 6.1 runs suites before it initializes their module; newer kernels run them afterwards.
 *
 * Return: 0 or a negative errno.
 */
int vcpc_user_test_begin(struct vcpc_user_memory *memory, struct vcpc_user **user)
{
	struct vcpc_user *self = vcpc_limits_get();
	int ret;

	*user = NULL;
	if (!self)
		return -ENOMEM;
	ret = vcpc_user_test_open(memory);
	if (ret)
		vcpc_limits_put(self);
	else
		*user = self;
	return ret;
}

/**
 * vcpc_user_test_end() - undo vcpc_user_test_begin()
 * @memory: from vcpc_user_test_begin()
 * @user: its account; NULL if vcpc_user_test_begin() failed, after which newer kernels still call
 *	this
 */
void vcpc_user_test_end(struct vcpc_user_memory *memory, struct vcpc_user *user)
{
	if (!user)
		return;
	vcpc_user_test_close(memory);
	vcpc_limits_put(user);
}

/**
 * vcpc_user_test_enter() - start using the memory in a test
 * @memory: the suite's memory
 *
 * A test must not end before vcpc_user_test_leave(), so do not use KUNIT_ASSERT_*()
 * between the two calls.
 */
void vcpc_user_test_enter(const struct vcpc_user_memory *memory)
{
	kthread_use_mm(memory->mm);
}

/**
 * vcpc_user_test_leave() - stop using the memory
 * @memory: the suite's memory
 */
void vcpc_user_test_leave(const struct vcpc_user_memory *memory)
{
	kthread_unuse_mm(memory->mm);
}

/**
 * vcpc_user_test_put() - write data to the memory
 * @test: the test
 * @memory: the suite's memory
 * @at: offset in the page
 * @from: the data
 * @len: its length
 *
 * Context: between vcpc_user_test_enter() and vcpc_user_test_leave().
 * Return: the user address of the data.
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
 * vcpc_user_test_set() - create a set
 * @test: the test
 * @memory: the suite's memory; overwritten
 * @user: the account to charge
 * @requests: the requests
 * @nr: number of requests
 * @flags: VCPC_SET_F_*
 *
 * Return: the set, to be released with vcpc_user_test_destroy(); or an ERR_PTR after failing the
 * test.
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
