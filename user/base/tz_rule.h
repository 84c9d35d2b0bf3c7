/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules for time zones in POSIX syntax, such as CET-1CEST,M3.5.0,M10.5.0/3 */
#ifndef SHIM_BASE_TZ_RULE_H
#define SHIM_BASE_TZ_RULE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define SHIM_TZ_NAME	64	/* maximum size of a zone's name in a rule */

struct shim_tz_kind {
	int32_t offset;		/* seconds east of UTC */
	bool dst;
	const char *name;
};

/* The yearly change from one kind of time to another */
struct shim_tz_change {
	enum { DAY_OF_MONTH_WEEK, DAY_BUT_LEAP, DAY_FROM_0 } form;
	int month, week, day;
	int32_t time;		/* seconds into the day, in the local time before the change */
};

/* A rule: @kind[1] applies from @change[0] to @change[1], if @has_dst */
struct shim_tz_rule {
	bool has_dst;
	struct shim_tz_kind kind[2];
	struct shim_tz_change change[2];
	char names[2][SHIM_TZ_NAME];
};

bool shim_tz_rule__parse(const char *s, struct shim_tz_rule *r);
const struct shim_tz_kind *shim_tz_rule__kind(const struct shim_tz_rule *r, time_t t);

#endif /* SHIM_BASE_TZ_RULE_H */
