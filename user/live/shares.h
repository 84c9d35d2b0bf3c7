/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which user has to give something up if there is not enough for all users. */
#ifndef SHIM_LIVE_SHARES_H
#define SHIM_LIVE_SHARES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct shim_share - one entry that uses a part of what is shared
 * @user: its owner
 * @size: the amount it uses
 * @age: creation time, in any unit
 */
struct shim_share {
	uid_t user;
	uint64_t size;
	uint64_t age;
};

uint64_t shim_shares__of(const struct shim_share *all, size_t n, uid_t user);
long shim_shares__victim(const struct shim_share *all, size_t n, uid_t user, uint64_t need);

#endif /* SHIM_LIVE_SHARES_H */
