/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics for the module's resources that each user uses, and for their limits */
#ifndef SHIM_LIVE_USERS_H
#define SHIM_LIVE_USERS_H

#include <stddef.h>

#include "metric.h"

#define SHIM_USER_AMOUNTS	3	/* sets, counters, tags */
#define SHIM_USER_LIMITS	5

/* The instance of all users whose numbers cannot be instance numbers: 2^31 - 1 and above */
#define SHIM_LIVE_OTHER_USERS	0x7fffffff

struct shim_live_user {
	int32_t inst;
	uint32_t amounts[SHIM_USER_AMOUNTS];
};

/**
 * struct shim_live_users - the last sample; all zero before the first one
 * @status: 0, or the negated errno from reading @all
 * @all: the users that use anything, in ascending order of numbers
 * @n: their number
 * @room: allocated entries of @all
 * @limits: the module's parameters
 * @limits_status: 0, or the negated errno from reading each of @limits
 */
struct shim_live_users {
	int status;
	struct shim_live_user *all;
	size_t n, room;
	uint32_t limits[SHIM_USER_LIMITS];
	int limits_status[SHIM_USER_LIMITS];
};

extern const struct shim_metric_indom shim_live_user_indom;

uint64_t shim_live_users__counters_left(uint64_t used);
void shim_live_users__sample(struct shim_live_users *users);
void shim_live_users__fini(struct shim_live_users *users);
const struct shim_metric *shim_live_users__metric(size_t i);
int shim_live_users__status(const struct shim_live_users *users, size_t metric);
/* Return the number of user @i, and write the user's name to @buf of @size bytes. */
int shim_live_users__name(const struct shim_live_users *users, size_t i, char *buf, size_t size);
/* Return the index of a user, or -1. */
int shim_live_users__find(const struct shim_live_users *users, int inst);
bool shim_live_users__value(const struct shim_live_users *users, size_t metric, size_t i,
			    struct shim_value *value);

#endif /* SHIM_LIVE_USERS_H */
