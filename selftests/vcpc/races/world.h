/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Provide the objects that all actors share, and check that results of calls are permitted. */
#ifndef RACES_WORLD_H
#define RACES_WORLD_H

#include "../calls.h"

#define ACTORS	6
#define SETS	5
#define TARGETS	8

/* Objects that all actors use and change concurrently */
struct world {
	int sets[SETS];
	pid_t targets[TARGETS];
	bool stop;
	unsigned long seed;
	unsigned long wrong;
	unsigned long done[32];
	char first_wrong[160];
};

struct actor {
	struct world *world;
	unsigned int number;
	__u64 random;
};

unsigned int below(struct actor *a, unsigned int n);
bool stopped(struct world *w);
int check(struct world *w, const char *what, int ret, const int *allowed);
int some_set(struct actor *a);
pid_t some_target(struct actor *a);

#endif /* RACES_WORLD_H */
