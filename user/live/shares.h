/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who gives way where there is not room for all users. */
#ifndef SHIM_LIVE_SHARES_H
#define SHIM_LIVE_SHARES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct shim_share - one thing that takes room
 * @user: whose it is
 * @size: how much it takes
 * @age: a time that is greater the later it came
 */
struct shim_share {
	uid_t user;
	uint64_t size;
	uint64_t age;
};

uint64_t shim_shares__of(const struct shim_share *all, size_t n, uid_t user);
long shim_shares__victim(const struct shim_share *all, size_t n, uid_t user, uint64_t need);

#endif /* SHIM_LIVE_SHARES_H */
