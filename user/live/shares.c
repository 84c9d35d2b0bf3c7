// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which user has to give something up if there is not enough for all users.
 *
 * The user with the most has to, provided that it has more than the requesting user would then
 * have.  So while there is enough, each user gets what it requests.  Otherwise a user can take only
 * from users that have more than itself.  A user that gave something up does not get it back by
 * requesting it again.
 */
#include "shares.h"

/* The total of a user */
uint64_t shim_shares__of(const struct shim_share *all, size_t n, uid_t user)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].user == user)
			sum += all[i].size;
	return sum;
}

/* Index of the entry of a user to give up: the largest, and of equal ones the newest */
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
 * shim_shares__victim() - find the entry to give up so that a user gets more
 * @all: all current entries
 * @n: number of entries
 * @user: the requesting user
 * @need: the requested amount
 *
 * Return: an index in @all, or -1 if no entry has to be given up.
 */
long shim_shares__victim(const struct shim_share *all, size_t n, uid_t user, uint64_t need)
{
	uint64_t most = shim_shares__of(all, n, user) + need;
	long found = -1;

	for (size_t i = 0; i < n; i++) {
		uint64_t his;

		/* Skip repetitions: often one user has most of the entries, in a row. */
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
