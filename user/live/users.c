// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metrics for the module's resources that each user uses, and for their limits */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/vec.h"
#include "users.h"

#define INDOM_USERS	SHIM_INDOM(SHIM_DOMAIN_VCPC, 9)
#define MODULE		"/sys/module/vcpc"
#define USERS_FILE	"/sys/kernel/debug/vcpc/users"

/* Rows of metrics[]: amounts per user, then the limits */
#define LIMITS		SHIM_USER_AMOUNTS

#define AMOUNT(item, name, line, help)							\
	{ "vcpc.user." name, SHIM_PMID(SHIM_DOMAIN_VCPC, SHIM_CLUSTER_USER, item),	\
	  INDOM_USERS, SHIM_TYPE_U32, SHIM_SEM_INSTANT, SHIM_UNITS_COUNT, 1, line, help }
#define LIMIT(item, name, line, help)							\
	{ "vcpc.limit." name, SHIM_PMID(SHIM_DOMAIN_VCPC, SHIM_CLUSTER_LIMIT, item),	\
	  SHIM_INDOM_NULL, SHIM_TYPE_U32, SHIM_SEM_DISCRETE, SHIM_UNITS_COUNT, 1, line, help }

static const struct shim_metric metrics[] = {
	AMOUNT(0, "sets", "sets that each user has open",
	       "Sets of counters that each user's programs have open in the module. Sets beyond\n"
	       "the limit vcpc.limit.user_sets are rejected."),
	AMOUNT(1, "counters", "counters of each user's sets",
	       "Counters of each user's bound sets: for each thread, the set's number of\n"
	       "events plus 1, and 7 more for each clock that can overflow. Counters beyond\n"
	       "the limit vcpc.limit.user_counters are rejected."),
	AMOUNT(2, "tags", "trace tags of each user",
	       "Trace tags that each user's programs have open, or that the module keeps for\n"
	       "later use. Tags beyond the limit vcpc.limit.user_tags are rejected."),
	LIMIT(0, "user_sets", "maximum number of open sets per user",
	      "The module's parameter max_user_sets."),
	LIMIT(1, "user_counters", "maximum number of counters in the sets of a user",
	      "The module's parameter max_user_counters."),
	LIMIT(2, "user_tags", "maximum number of trace tags per user",
	      "The module's parameter max_user_tags."),
	LIMIT(8, "idle_tags", "maximum number of unused trace tags",
	      "The module's parameter max_idle_tags: the maximum number of tags, of all users\n"
	      "together, that are kept while no program uses them."),
	LIMIT(5, "thread_counters", "maximum number of counters per thread without CAP_PERFMON",
	      "The module's parameter max_thread_counters."),
};

#define NMETRICS	(sizeof(metrics) / sizeof(metrics[0]))

_Static_assert(NMETRICS == LIMITS + SHIM_USER_LIMITS, "each amount and each limit needs a metric");

static const char *const parameters[SHIM_USER_LIMITS] = {
	"max_user_sets", "max_user_counters", "max_user_tags", "max_idle_tags",
	"max_thread_counters",
};

const struct shim_metric_indom shim_live_user_indom = {
	INDOM_USERS, 1, "users of the module",
	"Users with sets or trace tags of the module vcpc, by user ID; IDs of 2147483647\n"
	"and above share one instance, \"others\"."
};

const struct shim_metric *shim_live_users__metric(size_t i)
{
	return i < NMETRICS ? &metrics[i] : NULL;
}

static int by_number(const void *a, const void *b)
{
	const struct shim_live_user *x = a, *y = b;

	return (x->inst > y->inst) - (x->inst < y->inst);
}

/* Sort users, and merge users that have the same instance. */
static void merge(struct shim_live_users *users)
{
	size_t n = 0;

	qsort(users->all, users->n, sizeof(*users->all), by_number);
	for (size_t i = 0; i < users->n; i++) {
		if (!n || users->all[n - 1].inst != users->all[i].inst) {
			users->all[n++] = users->all[i];
			continue;
		}
		for (unsigned int k = 0; k < SHIM_USER_AMOUNTS; k++)
			users->all[n - 1].amounts[k] += users->all[i].amounts[k];
	}
	users->n = n;
}

/* Parse a complete line, which contains a user's number and amounts. */
static int parse_user(const char *line, struct shim_live_user *user)
{
	unsigned int uid;

	if (!strchr(line, '\n') ||
	    sscanf(line, "user %u namespace %*u sets %u counters %u tags %u", &uid, &user->amounts[0],
		   &user->amounts[1], &user->amounts[2]) != 1 + SHIM_USER_AMOUNTS)
		return -EPROTO;
	user->inst = uid < SHIM_LIVE_OTHER_USERS ? (int32_t)uid : SHIM_LIVE_OTHER_USERS;
	return 0;
}

static int read_users(struct shim_live_users *users)
{
	FILE *f = fopen(USERS_FILE, "re");
	struct shim_live_user user;
	char *line = NULL;
	size_t room = 0;
	int ret = 0, more = 0;

	if (!f)
		return -errno;
	while (!ret && (more = shim_lines__next(f, &line, &room)) > 0) {
		ret = parse_user(line, &user);
		if (!ret)
			ret = shim_vec__room(users->all, &users->room, users->n);
		if (!ret)
			users->all[users->n++] = user;
	}
	if (!ret)
		ret = more;
	free(line);
	fclose(f);
	if (users->n)
		merge(users);
	return ret;
}

static int read_limit(const char *parameter, uint32_t *value)
{
	char path[128];
	FILE *f;
	int ret;

	snprintf(path, sizeof(path), MODULE "/parameters/%s", parameter);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	ret = fscanf(f, "%u", value) == 1 ? 0 : -EPROTO;
	fclose(f);
	return ret;
}

/**
 * shim_live_users__counters_left() - get how many of the module's counters the user may still use
 * @used: the number that the caller uses, which is assumed if the list cannot be read
 *
 * Return: the number; UINT64_MAX if the limit is unknown.
 */
uint64_t shim_live_users__counters_left(uint64_t used)
{
	struct shim_live_users users = { 0 };
	const int at = read_users(&users) ? -1 : shim_live_users__find(&users, (int)getuid());
	uint32_t limit;

	if (at >= 0)
		used = users.all[at].amounts[1];
	free(users.all);
	if (read_limit("max_user_counters", &limit))
		return UINT64_MAX;
	return used < limit ? limit - used : 0;
}

/* Sample the users.  Errors are not returned but stored as the status of the metrics. */
void shim_live_users__sample(struct shim_live_users *users)
{
	users->n = 0;
	users->status = access(MODULE, F_OK) ? -ENODEV : read_users(users);
	if (users->status)
		users->n = 0;
	for (unsigned int i = 0; i < SHIM_USER_LIMITS; i++)
		users->limits_status[i] = read_limit(parameters[i], &users->limits[i]);
}

void shim_live_users__fini(struct shim_live_users *users)
{
	free(users->all);
}

int shim_live_users__status(const struct shim_live_users *users, size_t metric)
{
	return metric < LIMITS ? users->status : users->limits_status[metric - LIMITS];
}

int shim_live_users__name(const struct shim_live_users *users, size_t i, char *buf, size_t size)
{
	int inst = users->all[i].inst;

	if (inst == SHIM_LIVE_OTHER_USERS)
		snprintf(buf, size, "others");
	else
		snprintf(buf, size, "%d", inst);
	return inst;
}

int shim_live_users__find(const struct shim_live_users *users, int inst)
{
	const struct shim_live_user key = { .inst = inst };
	const struct shim_live_user *found =
		users->n ? bsearch(&key, users->all, users->n, sizeof(key), by_number) : NULL;

	return found ? (int)(found - users->all) : -1;
}

bool shim_live_users__value(const struct shim_live_users *users, size_t metric, size_t i,
			    struct shim_value *value)
{
	if (shim_live_users__status(users, metric))
		return false;
	value->type = SHIM_TYPE_U32;
	if (metric < LIMITS) {
		value->inst = users->all[i].inst;
		value->ul = users->all[i].amounts[metric];
	} else {
		value->inst = SHIM_IN_NULL;
		value->ul = users->limits[metric - LIMITS];
	}
	return true;
}
