// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Local times in any time zone.
 *
 * The C library supports only the zone in the environment variable TZ, which cannot be changed
 * safely while other threads read it.  Therefore this code reads the same data as the C library: a
 * zoneinfo file (RFC 8536), or a rule in POSIX syntax.
 *
 * Threads: a zone does not change after shim_tz__open().
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "process.h"
#include "tstamp.h"
#include "tz.h"
#include "tz_rule.h"

#define ZONEINFO	"/usr/share/zoneinfo"
#define DAY		86400
#define LARGEST_FILE	(1u << 20)
#define HEADER		44
#define LEAPS		10000	/* more than will occur in a thousand years */

/**
 * struct shim_tz - a zone
 * @has_rule: @rule applies after the last transition, or always if there is none
 * @rule: a rule in POSIX syntax for TZ
 * @n: number of transitions in the file, which are in order of time
 * @nkinds: number of kinds of time in the file
 * @at: time of each transition
 * @to: index in @kinds of the kind of time that applies after it
 * @nleaps: number of leap seconds that are counted in the zone's times (as in "right/" files)
 * @leap: time of each leap second, and number of leap seconds up to and including it
 * @kinds: the file's kinds of time
 * @names: concatenated names of @kinds
 * @first: index in @kinds of the kind of time before the first transition
 */
struct shim_tz {
	bool has_rule;
	struct shim_tz_rule rule;
	size_t n, nkinds, nleaps;
	int64_t *at;
	uint8_t *to;
	struct leap {
		int64_t at;
		int32_t seconds;
	} *leap;
	struct shim_tz_kind *kinds;
	char *names;
	size_t first;
};

static const struct shim_tz_kind *kind_at(const struct shim_tz *tz, time_t t)
{
	size_t lo = 0, hi = tz->n;

	if (tz->has_rule && (!tz->n || t >= tz->at[tz->n - 1]))
		return shim_tz_rule__kind(&tz->rule, t);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (tz->at[mid] <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return &tz->kinds[lo ? tz->to[lo - 1] : tz->first];
}

/*
 * Return the number of leap seconds until @t.  Set *@now to the number that are being inserted at
 * @t.
 */
static int32_t leap_seconds(const struct shim_tz *tz, int64_t t, int32_t *now)
{
	size_t i = tz->nleaps;
	int32_t before;

	*now = 0;
	while (i && t < tz->leap[i - 1].at)
		i--;
	if (!i)
		return 0;
	before = i > 1 ? tz->leap[i - 2].seconds : 0;
	if (t == tz->leap[i - 1].at && tz->leap[i - 1].seconds > before)
		*now = tz->leap[i - 1].seconds - before;
	return tz->leap[i - 1].seconds;
}

/* Convert a time without leap seconds to a time of the zone. */
static time_t with_leaps(const struct shim_tz *tz, time_t t)
{
	int32_t now;

	/* Near a leap second, use the number of leap seconds at the resulting time. */
	return tz->nleaps ? t + leap_seconds(tz, t + leap_seconds(tz, t, &now), &now) : t;
}

/* The counts in a block of a file, and its location */
struct block {
	uint32_t isut, isstd, leap, times, types, chars;
	const uint8_t *data;
	size_t len;
};

/* Parse a block's header.  Times take 4 bytes (@word) in the first block and 8 in the second. */
static bool take_block(const uint8_t *p, size_t len, size_t word, struct block *b)
{
	uint64_t need;

	if (len < HEADER || memcmp(p, "TZif", 4))
		return false;
	b->isut = shim_be32__get(p + 20);
	b->isstd = shim_be32__get(p + 24);
	b->leap = shim_be32__get(p + 28);
	b->times = shim_be32__get(p + 32);
	b->types = shim_be32__get(p + 36);
	b->chars = shim_be32__get(p + 40);
	need = (uint64_t)b->times * (word + 1) + (uint64_t)b->types * 6 + b->chars +
	       (uint64_t)b->leap * (word + 4) + b->isstd + b->isut;
	if (!b->types || b->types > 256 || need > len - HEADER)
		return false;
	b->data = p + HEADER;
	b->len = need;
	return true;
}

static int64_t time_of(const uint8_t *p, size_t word)
{
	return word == 8 ? (int64_t)shim_be64__get(p) : (int32_t)shim_be32__get(p);
}

static int fill_leaps(struct shim_tz *tz, const struct block *b, size_t word)
{
	const uint8_t *p = b->data + b->times * (word + 1) + b->types * 6 + b->chars;

	tz->leap = calloc(b->leap + 1, sizeof(*tz->leap));
	if (!tz->leap)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->leap; i++, p += word + 4) {
		tz->leap[i].at = time_of(p, word);
		tz->leap[i].seconds = (int32_t)shim_be32__get(p + word);
		if ((i && tz->leap[i].at <= tz->leap[i - 1].at) ||
		    tz->leap[i].seconds > LEAPS || tz->leap[i].seconds < -LEAPS)
			return -EINVAL;
	}
	tz->nleaps = b->leap;
	return 0;
}

static int fill(struct shim_tz *tz, const struct block *b, size_t word)
{
	const uint8_t *types = b->data + b->times * (word + 1), *chars = types + b->types * 6;

	tz->at = calloc(b->times + 1, sizeof(*tz->at));
	tz->to = calloc(b->times + 1, 1);
	tz->kinds = calloc(b->types, sizeof(*tz->kinds));
	tz->names = calloc(b->chars + 1, 1);
	if (!tz->at || !tz->to || !tz->kinds || !tz->names)
		return -ENOMEM;
	memcpy(tz->names, chars, b->chars);
	for (uint32_t i = 0; i < b->types; i++) {
		const uint8_t *type = types + i * 6;

		if (type[5] > b->chars)
			return -EINVAL;
		tz->kinds[i] = (struct shim_tz_kind){ (int32_t)shim_be32__get(type), type[4],
					      tz->names + type[5] };
	}
	for (uint32_t i = 0; i < b->times; i++) {
		tz->at[i] = time_of(b->data + i * word, word);
		tz->to[i] = b->data[b->times * word + i];
		if (tz->to[i] >= b->types || (i && tz->at[i] < tz->at[i - 1]))
			return -EINVAL;
	}
	tz->n = b->times;
	tz->nkinds = b->types;
	while (tz->first < b->types && tz->kinds[tz->first].dst)
		tz->first++;
	if (tz->first == b->types)
		tz->first = 0;
	return fill_leaps(tz, b, word);
}

/* Parse the rule after the second block, between two newlines. */
static void take_footer(struct shim_tz *tz, const uint8_t *p, size_t len)
{
	const uint8_t *end = len && *p == '\n' ? memchr(p + 1, '\n', len - 1) : NULL;
	char *text = end ? strndup((const char *)p + 1, (size_t)(end - p - 1)) : NULL;

	tz->has_rule = text && shim_tz_rule__parse(text, &tz->rule);
	free(text);
}

static int parse_file(struct shim_tz *tz, const uint8_t *p, size_t len)
{
	struct block b;
	size_t skip;
	int err;

	if (!take_block(p, len, 4, &b))
		return -EINVAL;
	if (p[4] < '2')
		return fill(tz, &b, 4);
	skip = HEADER + b.len;
	if (!take_block(p + skip, len - skip, 8, &b))
		return -EINVAL;
	err = fill(tz, &b, 8);
	skip += HEADER + b.len;
	if (!err)
		take_footer(tz, p + skip, len - skip);
	return err;
}

/* Return whether a name, which may be a path, has a component "..". */
static bool leads_up(const char *name)
{
	const char *at = name;

	while ((at = strstr(at, "..")) && !((at == name || at[-1] == '/') && (!at[2] || at[2] == '/')))
		at += 2;
	return at;
}

/*
 * Return whether a zone's file may be read.  If an archive names the zone or the program is
 * privileged, the file must be below ZONEINFO.
 */
static bool may_read(const char *name, bool foreign)
{
	if (!foreign && !shim_environ__is_foreign())
		return true;
	return !leads_up(name) && (*name != '/' || !strncmp(name, ZONEINFO "/", sizeof(ZONEINFO)));
}

static int read_file(struct shim_tz *tz, const char *name, bool foreign)
{
	char path[PATH_MAX];
	struct stat st;
	uint8_t *data;
	ssize_t n = -1;
	int fd, err = -EINVAL;

	if (!*name || !may_read(name, foreign) ||
	    snprintf(path, sizeof(path), "%s%s", *name == '/' ? "" : ZONEINFO "/", name) >=
	    (int)sizeof(path))
		return -ENOENT;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);	/* the file may be a FIFO */
	if (fd < 0)
		return -ENOENT;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size < LARGEST_FILE) {
		data = malloc((size_t)st.st_size + 1);
		if (data)
			n = read(fd, data, (size_t)st.st_size);
		err = !data ? -ENOMEM : n > 0 ? parse_file(tz, data, (size_t)n) : -EINVAL;
		free(data);
	}
	close(fd);
	return err;
}

static void forget_file(struct shim_tz *tz)
{
	free(tz->at);
	free(tz->to);
	free(tz->leap);
	free(tz->kinds);
	free(tz->names);
	*tz = (struct shim_tz){ 0 };
}

static int open_zone(const char *name, bool foreign, struct shim_tz **out)
{
	struct shim_tz *tz = calloc(1, sizeof(*tz));
	int err;

	if (!tz)
		return -ENOMEM;
	name += *name == ':';
	err = read_file(tz, *name ? name : "Universal", foreign);
	if (err == -ENOMEM) {
		shim_tz__close(tz);
		return err;
	} else if (err) {
		forget_file(tz);
		tz->has_rule = true;
		if (!shim_tz_rule__parse(name, &tz->rule))
			tz->rule = (struct shim_tz_rule){ .names = { "UTC" } };
	}
	for (int i = 0; i < 2; i++)
		tz->rule.kind[i].name = tz->rule.names[i];
	*out = tz;
	return 0;
}

/**
 * shim_tz__open() - open a zone by a value of TZ
 * @name: a zoneinfo file, with or without a leading colon, or a rule; any other value means UTC, as
 *	in the C library
 * @out: the zone, to be freed with shim_tz__close()
 *
 * Return: 0 or -ENOMEM.
 */
int shim_tz__open(const char *name, struct shim_tz **out)
{
	return open_zone(name, false, out);
}

/**
 * shim_tz__open_foreign() - open a zone named by an archive or another host
 * @name: as for shim_tz__open(), but a file outside the zoneinfo directory means UTC
 * @out: the zone, to be freed with shim_tz__close()
 *
 * Return: 0 or -ENOMEM.
 */
int shim_tz__open_foreign(const char *name, struct shim_tz **out)
{
	return open_zone(name, true, out);
}

void shim_tz__close(struct shim_tz *tz)
{
	if (tz)
		forget_file(tz);
	free(tz);
}

static int in_kind(const struct shim_tz *tz, const struct shim_tz_kind *kind, time_t t,
		   struct tm *out)
{
	int32_t now, leaps = leap_seconds(tz, t, &now);
	time_t moved;

	if (__builtin_add_overflow(t, (int64_t)kind->offset - leaps, &moved) || !shim_civil__date(moved, out))
		return -EOVERFLOW;
	out->tm_sec += now;
	out->tm_isdst = kind->dst;
	out->tm_gmtoff = kind->offset;
	out->tm_zone = kind->name;
	return 0;
}

/**
 * shim_tz__local() - like localtime_r(), in a zone
 * @tz: the zone, which owns the name in @out
 * @t: the time
 * @out: the date
 *
 * Return: 0 or -EOVERFLOW.
 */
int shim_tz__local(const struct shim_tz *tz, time_t t, struct tm *out)
{
	return in_kind(tz, kind_at(tz, t), t, out);
}

static const struct shim_tz_kind *kind_without_leaps(const struct shim_tz *tz, time_t t)
{
	return kind_at(tz, with_leaps(tz, t));
}

/* Return a kind of time with this @dst that applies within a year of @t, or NULL. */
static const struct shim_tz_kind *other_kind(const struct shim_tz *tz, time_t t, bool dst)
{
	for (int days = 7; days < 366; days += 7)
		for (int sign = -1; sign <= 1; sign += 2) {
			const struct shim_tz_kind *kind = kind_without_leaps(tz, t + (time_t)sign * days * DAY);

			if (kind->dst == dst)
				return kind;
		}
	return NULL;
}

/*
 * Return the time at which the local clock shows @clock, according to the offset on the day before
 * or the day after.  If an hour occurs twice, this is the first occurrence, unless @hint (tm_isdst)
 * selects the other one.  A skipped hour has the offset that applied before the change.
 */
static time_t find_time(const struct shim_tz *tz, time_t clock, int hint)
{
	const struct shim_tz_kind *before = kind_without_leaps(tz, clock - DAY);
	const struct shim_tz_kind *after = kind_without_leaps(tz, clock + DAY);
	const struct shim_tz_kind *kind = before, *now;
	time_t t = clock - before->offset;

	now = kind_without_leaps(tz, t);
	if (now != before && kind_without_leaps(tz, clock - after->offset) == after)
		kind = after;
	else if (now == before && hint >= 0 && before->dst != hint && after->dst == hint &&
		 kind_without_leaps(tz, clock - after->offset) == after)
		kind = after;
	t = clock - kind->offset;
	if (hint >= 0 && kind->dst != hint) {
		kind = other_kind(tz, t, hint);
		if (kind)
			t = clock - kind->offset;
	}
	return with_leaps(tz, t);
}

/**
 * shim_tz__make() - like mktime(), in a zone
 * @tz: the zone
 * @tm: normalized on success
 * @out: the time
 *
 * Return: 0, or -EOVERFLOW, after which @tm and @out are unchanged.
 */
int shim_tz__make(const struct shim_tz *tz, struct tm *tm, time_t *out)
{
	struct tm copy = *tm;
	time_t t;

	/* Compute 23:59:60 from the previous second. */
	if (tz->nleaps)
		copy.tm_sec = tm->tm_sec < 0 ? 0 : tm->tm_sec > 59 ? 59 : tm->tm_sec;
	t = find_time(tz, shim_civil__time(&copy), tm->tm_isdst > 0 ? 1 : tm->tm_isdst);
	t += tm->tm_sec - copy.tm_sec;
	if (shim_tz__local(tz, t, &copy))
		return -EOVERFLOW;
	*tm = copy;
	*out = t;
	return 0;
}
