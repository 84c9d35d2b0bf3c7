// SPDX-License-Identifier: GPL-2.0-or-later
/* Parse a condition of --fail-if, and apply it to a difference. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limit.h"
#include "vcpc.h"
#include "window.h"

#define BLANKS	" \t"

static int bad(const char *text)
{
	return vcpc_usage("invalid condition '%s' (examples: 'checkout:instructions > +2%%', 'elapsed > +100ms', 'checkout:count < 0')",
			  text);
}

/* Parse "+2%", "-1000" or "5ms"; a time may also have a sign. */
static bool parse_change(struct vcpc_limit *limit, const char *text)
{
	double sign = *text == '-' ? -1 : 1;
	int64_t ns;
	char *end;

	text += *text == '-' || *text == '+';
	if (!isdigit((unsigned char)*text) && *text != '.')
		return false;
	limit->change = sign * strtod(text, &end);
	end += strspn(end, BLANKS);
	limit->percent = *end == '%';
	if (!end[limit->percent + strspn(end + limit->percent, BLANKS)])
		return isfinite(limit->change);
	if (limit->percent || vcpc_parse_interval(text, &ns))
		return false;
	limit->change = sign * ns / 1e9;
	return true;
}

/*
 * Remove the words "from one run" from the end of a condition's text.  Return whether it had them.
 */
static bool cut_one_run(char *text)
{
	static const char words[] = "from one run";
	size_t len = strlen(text);

	while (len && strchr(BLANKS, text[len - 1]))
		len--;
	if (len < sizeof(words) || strncmp(text + len - sizeof(words) + 1, words, sizeof(words) - 1) ||
	    !strchr(BLANKS, text[len - sizeof(words)]))
		return false;
	text[len - sizeof(words)] = '\0';
	return true;
}

int vcpc_limit_parse(struct vcpc_limit *limit, const char *text)
{
	/* Use the last '<' or '>', because a tag may contain such characters. */
	const char *more = strrchr(text, '>'), *less = strrchr(text, '<');
	const char *sign = !less || (more && more > less) ? more : less;
	char change[64];
	size_t len;

	*limit = (struct vcpc_limit){ .text = text };
	if (!sign)
		return bad(text);
	limit->more = *sign == '>';
	limit->equal = sign[1] == '=';
	for (len = sign - text; len && strchr(BLANKS, text[len - 1]); len--)
		;
	sign += 1 + limit->equal;
	sign += strspn(sign, BLANKS);
	if (!len || strlen(sign) >= sizeof(change))
		return bad(text);
	strcpy(change, sign);
	limit->one_run = cut_one_run(change);
	if (!parse_change(limit, change))
		return bad(text);
	limit->name = strndup(text, len);
	return limit->name ? 0 : vcpc_fail(0, "out of memory");
}

/*
 * Compare names, treating all punctuation as equal: users write page-faults for the metric
 * page_faults.
 */
static bool same(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && (isalnum((unsigned char)*a) || isalnum((unsigned char)*b)))
			return false;
	return !*a && !*b;
}

bool vcpc_limit_names(const struct vcpc_limit *limit, const char *scope, const char *what)
{
	size_t len = strlen(scope);

	if (!len)
		return same(limit->name, what) || (*limit->name == ':' && same(limit->name + 1, what));
	return !strncmp(limit->name, scope, len) && limit->name[len] == ':' &&
	       same(limit->name + len + 1, what);
}

static bool is_beyond(const struct vcpc_limit *limit, double change)
{
	if (limit->equal && change == limit->change)
		return true;
	return limit->more ? change > limit->change : change < limit->change;
}

/*
 * Return a change in the condition's unit.  A change from 0 has no percentage and is treated as
 * infinite.
 */
static double change_of(const struct vcpc_limit *limit, double a, double difference)
{
	if (!limit->percent || difference == 0)
		return difference;
	return a != 0 ? difference / fabs(a) * 100 : difference > 0 ? INFINITY : -INFINITY;
}

enum vcpc_judgment vcpc_limit_judge(const struct vcpc_limit *limit, const struct vcpc_difference *d)
{
	bool least, most;

	least = is_beyond(limit, change_of(limit, d->a, d->least));
	most = is_beyond(limit, change_of(limit, d->a, d->most));
	return least && most ? VCPC_BEYOND : least || most ? VCPC_UNCERTAIN : VCPC_WITHIN;
}
