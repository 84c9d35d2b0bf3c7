// SPDX-License-Identifier: GPL-2.0-or-later
/* Provide the objects that all actors share, and check that results of calls are permitted. */
#include "world.h"

unsigned int below(struct actor *a, unsigned int n)
{
	return chance(&a->random) % n;
}

bool stopped(struct world *w)
{
	return __atomic_load_n(&w->stop, __ATOMIC_RELAXED);
}

/*
 * Check that a call's result is documented, and return it.  EBADF and ENOTTY are also valid,
 * because other threads close descriptors and reuse their numbers at any time.
 */
int check(struct world *w, const char *what, int ret, const int *allowed)
{
	if (ret >= 0 || ret == -EBADF || ret == -ENOTTY)
		return ret;
	while (*allowed && *allowed != -ret)
		allowed++;
	if (!*allowed && !__atomic_fetch_add(&w->wrong, 1, __ATOMIC_RELAXED))
		snprintf(w->first_wrong, sizeof(w->first_wrong), "%s: %s", what, strerror(-ret));
	return ret;
}

int some_set(struct actor *a)
{
	return __atomic_load_n(&a->world->sets[below(a, SETS)], __ATOMIC_RELAXED);
}

pid_t some_target(struct actor *a)
{
	unsigned int which = below(a, TARGETS + 2);

	return which < TARGETS ? __atomic_load_n(&a->world->targets[which], __ATOMIC_RELAXED) : 0;
}
