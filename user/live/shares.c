// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Who gives way where there is not room for all users.
 *
 * The user who has most does, as long as he has more than the one who asks would then have: as
 * long as there is room each user has what he wants, and if not, nobody can take what others need
 * to have as much as he has.  Whoever gave way does not get it back by asking again.
 */
#include "shares.h"

/* How much a user has */
uint64_t shim_shares__of(const struct shim_share *all, size_t n, uid_t user)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].user == user)
			sum += all[i].size;
	return sum;
}

/* Of a user's things the one to go: the largest; of several, the latest */
static long largest_of(const struct shim_share *all, size_t n, uid_t user)
{
	long found = -1;

	for (size_t i = 0; i < n; i++)
		if (all[i].user == user &&
		    (found < 0 || all[i].size > all[found].size ||
		     (all[i].size == all[found].size && all[i].age > all[found].age)))
			found = (long)i;
	return found;
}

/**
 * shim_shares__victim() - what is to go so that a user gets more
 * @all: what takes room now
 * @n: how much of it there is
 * @user: who asks
 * @need: how much
 *
 * Return: an index in @all, or -1 if nothing is to go.
 */
long shim_shares__victim(const struct shim_share *all, size_t n, uid_t user, uint64_t need)
{
	uint64_t most = shim_shares__of(all, n, user) + need;
	long found = -1;

	for (size_t i = 0; i < n; i++) {
		uint64_t his;

		/* Often one user has most of all that there is, in a row. */
		if (all[i].user == user || (i && all[i].user == all[i - 1].user))
			continue;
		his = shim_shares__of(all, n, all[i].user);
		if (his <= most)
			continue;
		most = his;
		found = (long)i;
	}
	return found < 0 ? -1 : largest_of(all, n, all[found].user);
}
