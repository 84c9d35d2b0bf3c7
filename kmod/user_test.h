/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_USER_TEST_H
#define VCPC_USER_TEST_H

#include <kunit/test.h>
#include <linux/mm_types.h>

struct vcpc_request;
struct vcpc_set;
struct vcpc_user;

/**
 * struct vcpc_user_memory - user memory of a suite
 * @mm: memory of the process that loaded the module; NULL if the kernel loaded it
 * @page: one writable page, followed by one that is not mapped
 */
struct vcpc_user_memory {
	struct mm_struct *mm;
	unsigned long page;
};

int vcpc_user_test_open(struct vcpc_user_memory *memory);
void vcpc_user_test_close(struct vcpc_user_memory *memory);
int vcpc_user_test_begin(struct vcpc_user_memory *memory, struct vcpc_user **user);
void vcpc_user_test_end(struct vcpc_user_memory *memory, struct vcpc_user *user);
void vcpc_user_test_enter(const struct vcpc_user_memory *memory);
void vcpc_user_test_leave(const struct vcpc_user_memory *memory);
void __user *vcpc_user_test_put(struct kunit *test, const struct vcpc_user_memory *memory,
				size_t at, const void *from, size_t len);
struct vcpc_set *vcpc_user_test_set(struct kunit *test, const struct vcpc_user_memory *memory,
				    struct vcpc_user *user, const struct vcpc_request *requests,
				    unsigned int nr, u32 flags);

void vcpc_user_test_destroy(struct vcpc_set *set);

#endif
