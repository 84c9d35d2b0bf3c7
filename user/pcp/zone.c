// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The reporting zone: the time zone in which times are printed and parsed.
 *
 * As the interface requires, the process has one table of zones and one current zone.  The C
 * library's zone is used until a program creates another one.
 *
 * TZ is never changed, because other threads use the C library's zone.
 *
 * Locking: zone_lock guards the table and the current zone.  Conversions read current_tz without the
 * lock.  Zones are never freed, because the tm_zone of dates points into them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/process.h"
#include "base/tz.h"
#include "base/vec.h"
#include "context.h"
#include "date.h"

struct zone {
	char *name;
	struct shim_tz *tz;
};

SHIM_FORK_LOCK(zone_lock, 2);
static struct zone *zones;
static int nzones;
static size_t zones_room;
static int current = -1;
/* The current zone, or NULL for the C library's zone */
static _Atomic(const struct shim_tz *) current_tz;

static const struct shim_tz *current_zone(void)
{
	return atomic_load_explicit(&current_tz, memory_order_acquire);
}

static void set_current(int handle)
{
	current = handle;
	atomic_store_explicit(&current_tz, zones[handle].tz, memory_order_release);
}

int shim_zone__local(time_t t, struct tm *out)
{
	const struct shim_tz *tz = current_zone();

	if (tz)
		return shim_tz__local(tz, t, out);
	/* As in PCP's library, a change of TZ has no effect until the program calls tzset(). */
	return localtime_r(&t, out) ? 0 : -EOVERFLOW;
}

int shim_zone__make(struct tm *tm, time_t *out)
{
	const struct shim_tz *tz = current_zone();
	struct tm copy = *tm;
	time_t t;

	if (tz)
		return shim_tz__make(tz, tm, out);
	/*
	 * Detect an error by tm_wday, which mktime() sets only on success: -1 is also a valid time.
	 */
	copy.tm_wday = -1;
	t = mktime(&copy);
	if (t == -1 && copy.tm_wday < 0)
		return -EOVERFLOW;
	*tm = copy;
	*out = t;
	return 0;
}

/*
 * Return a copy of the zone, with an offset if the name has three characters, as the C library
 * requires.
 */
static char *zone_name(const char *tz)
{
	char *name;

	if (asprintf(&name, "%s%s", tz, strlen(tz) == 3 ? "+0" : "") < 0)
		return NULL;
	return name;
}

static int new_zone(const char *tz, int (*open)(const char *name, struct shim_tz **out))
{
	struct zone zone = { .name = zone_name(tz) };
	int handle = -ENOMEM;

	if (!zone.name || open(zone.name, &zone.tz)) {
		free(zone.name);
		return -ENOMEM;
	}
	shim_fork_lock__enter(&zone_lock);
	if (!shim_vec__room(zones, &zones_room, nzones)) {
		zones[nzones] = zone;
		handle = nzones++;
		set_current(handle);
	}
	shim_fork_lock__leave(&zone_lock);
	if (handle < 0) {
		shim_tz__close(zone.tz);
		free(zone.name);
	}
	return handle;
}

/**
 * pmNewZone() - create a time zone and make it the reporting zone
 * @tz: like the environment variable TZ
 *
 * Return: the zone's number for pmUseZone(), or -ENOMEM.
 */
SHIM_API int pmNewZone(const char *tz)
{
	return tz ? new_zone(tz, shim_tz__open) : -EINVAL;
}

/**
 * pmNewContextZone() - make the current context's time zone the reporting zone
 *
 * This is the zone in the archive's label, or the zone of a host's pmcd.  A file outside the
 * system's zoneinfo directory is not read; UTC is used instead.
 *
 * Return: the zone's number for pmUseZone(), or an error.
 */
SHIM_API int pmNewContextZone(void)
{
	char zone[PM_MAX_TIMEZONELEN];
	struct shim_context *ctx;
	int err = shim_context__enter(&ctx);

	if (err)
		return err;
	err = shim_context__leave(ctx, ctx->source->zone(ctx, zone, sizeof(zone)));
	return err ? err : new_zone(zone, shim_tz__open_foreign);
}

/**
 * pmUseZone() - choose the reporting zone
 * @tz_handle: result of pmNewZone() or pmNewContextZone()
 *
 * Return: 0, or -1 if there is no such zone.
 */
SHIM_API int pmUseZone(const int tz_handle)
{
	int err = -1;

	shim_fork_lock__enter(&zone_lock);
	if (tz_handle >= 0 && tz_handle < nzones) {
		set_current(tz_handle);
		err = 0;
	}
	shim_fork_lock__leave(&zone_lock);
	return err;
}

/**
 * pmWhichZone() - get the reporting zone
 * @tz: set to the zone's name, which the library owns; unchanged if there is none
 *
 * Return: the zone's number, or -1 if no zone has been created.
 */
SHIM_API int pmWhichZone(char **tz)
{
	int handle;

	shim_fork_lock__enter(&zone_lock);
	handle = current;
	if (handle >= 0)
		*tz = zones[handle].name;
	shim_fork_lock__leave(&zone_lock);
	return handle;
}

/**
 * pmLocaltime() - convert a time to a date in the reporting zone
 * @clock: the time
 * @result: the date
 *
 * Return: @result, or NULL if the year does not fit into @result.
 */
SHIM_API struct tm *pmLocaltime(const time_t *clock, struct tm *result)
{
	return shim_zone__local(*clock, result) ? NULL : result;
}

static char *put_digits(char *to, int digits, unsigned int v)
{
	for (int i = digits - 1; i >= 0; i--, v /= 10)
		to[i] = (char)('0' + v % 10);
	return to + digits;
}

static char *put_clock(char *to, const struct tm *tm)
{
	to = put_digits(to, 2, (unsigned int)tm->tm_hour);
	*to++ = ':';
	to = put_digits(to, 2, (unsigned int)tm->tm_min);
	*to++ = ':';
	return put_digits(to, 2, (unsigned int)tm->tm_sec);
}

/* Like asctime_r(), for a year of four digits. */
static void put_date(char *to, const struct tm *tm)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	memcpy(to, days + 3 * tm->tm_wday, 3);
	to[3] = ' ';
	memcpy(to + 4, months + 3 * tm->tm_mon, 3);
	to[7] = ' ';
	put_digits(to + 8, 2, (unsigned int)tm->tm_mday);
	if (to[8] == '0')
		to[8] = ' ';
	to[10] = ' ';
	to = put_clock(to + 11, tm);
	*to++ = ' ';
	to = put_digits(to, 4, (unsigned int)tm->tm_year + 1900);
	memcpy(to, "\n", 2);
}

/**
 * pmCtime() - format a time in the reporting zone
 * @clock: the time
 * @buf: 26 bytes, for a text such as "Sun Sep 13 12:26:40 2020" and a newline
 *
 * Return: @buf, or NULL if the year has more than four digits.
 */
SHIM_API char *pmCtime(const time_t *clock, char *buf)
{
	struct tm tm;

	if (!pmLocaltime(clock, &tm) || tm.tm_year > 9999 - 1900 || tm.tm_year < -999 - 1900)
		return NULL;
	if (tm.tm_year < 1000 - 1900)
		return asctime_r(&tm, buf);
	put_date(buf, &tm);
	return buf;
}

/*
 * Print a time of day with a fraction of @digits digits.  The C library formats a fraction that
 * exceeds @most.
 */
static void print_stamp(FILE *f, time_t t, int digits, int most, long fraction)
{
	struct tm tm = { 0 };
	char text[24], *at = text;

	pmLocaltime(&t, &tm);
	if (fraction < 0 || fraction > most) {
		fprintf(f, "%02d:%02d:%02d.%0*d", tm.tm_hour, tm.tm_min, tm.tm_sec, digits,
			(int)fraction);
		return;
	}
	at = put_clock(at, &tm);
	*at++ = '.';
	at = put_digits(at, digits, (unsigned int)fraction);
	fwrite(text, 1, (size_t)(at - text), f);
}

/**
 * pmPrintStamp() - print a time of day in the reporting zone
 * @f: the output stream
 * @tv: the time
 */
SHIM_API void pmPrintStamp(FILE *f, const struct timeval *tv)
{
	print_stamp(f, tv->tv_sec, 3, 999, tv->tv_usec / 1000);
}

/**
 * pmPrintHighResStamp() - print a time of day in the reporting zone
 * @f: the output stream
 * @ts: the time
 */
SHIM_API void pmPrintHighResStamp(FILE *f, const struct timespec *ts)
{
	print_stamp(f, ts->tv_sec, 9, 999999999, ts->tv_nsec);
}
