/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Read the resources that users have in the module from debugfs, which only root can read. */
#ifndef VCPC_TEST_ACCOUNTS_H
#define VCPC_TEST_ACCOUNTS_H

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#define ACCOUNTS	"/sys/kernel/debug/vcpc/users"

struct account {
	int sets, counters, tags;
};

/*
 * Return the sum over all accounts of a user. User 0 has a second account if it has no
 * capabilities, because it is then not treated as root.
 */
static inline struct account account_of(unsigned int uid)
{
	struct account sum = { 0 }, a;
	FILE *f = fopen(ACCOUNTS, "re");
	unsigned int u;

	while (f && fscanf(f, "user %u namespace %*u sets %d counters %d tags %d\n", &u, &a.sets,
			   &a.counters, &a.tags) == 4) {
		if (u != uid)
			continue;
		sum.sets += a.sets;
		sum.counters += a.counters;
		sum.tags += a.tags;
	}
	if (f)
		fclose(f);
	return sum;
}

/*
 * Return whether nothing is charged to the user within @ms.  Wait, because workers and exiting
 * processes release objects asynchronously.
 */
static inline bool has_nothing_soon(unsigned int uid, unsigned int ms)
{
	struct account a;

	for (;;) {
		a = account_of(uid);
		if (!a.sets && !a.counters)
			return true;
		if (!ms--)
			return false;
		usleep(1000);
	}
}

#endif /* VCPC_TEST_ACCOUNTS_H */
