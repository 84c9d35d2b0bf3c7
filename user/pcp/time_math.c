// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sums, differences and conversion to seconds of the C library's two time structures.
 *
 * At most one second is carried, as in PCP's library, so a caller's fractions must be less than a
 * second.  Sums have the precision of a long double, as in PCP's library.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <sys/time.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "stamp.h"

#define USEC_PER_SEC 1000000
#define NSEC_PER_SEC 1000000000

/**
 * pmtimevalInc() - add a time to another
 * @a: in: a time; out: the sum
 * @b: the time to add
 */
SHIM_API void pmtimevalInc(struct timeval *a, const struct timeval *b)
{
	a->tv_sec += b->tv_sec;
	a->tv_usec += b->tv_usec;
	if (a->tv_usec >= USEC_PER_SEC) {
		a->tv_usec -= USEC_PER_SEC;
		a->tv_sec++;
	}
}

/**
 * pmtimevalDec() - subtract a time from another
 * @a: in: a time; out: the difference
 * @b: the time to subtract
 */
SHIM_API void pmtimevalDec(struct timeval *a, const struct timeval *b)
{
	a->tv_sec -= b->tv_sec;
	a->tv_usec -= b->tv_usec;
	if (a->tv_usec < 0) {
		a->tv_usec += USEC_PER_SEC;
		a->tv_sec--;
	}
}

/**
 * pmtimespecInc() - add a time to another
 * @a: in: a time; out: the sum
 * @b: the time to add
 */
SHIM_API void pmtimespecInc(struct timespec *a, const struct timespec *b)
{
	a->tv_sec += b->tv_sec;
	a->tv_nsec += b->tv_nsec;
	if (a->tv_nsec >= NSEC_PER_SEC) {
		a->tv_nsec -= NSEC_PER_SEC;
		a->tv_sec++;
	}
}

/**
 * pmtimespecDec() - subtract a time from another
 * @a: in: a time; out: the difference
 * @b: the time to subtract
 */
SHIM_API void pmtimespecDec(struct timespec *a, const struct timespec *b)
{
	a->tv_sec -= b->tv_sec;
	a->tv_nsec -= b->tv_nsec;
	if (a->tv_nsec < 0) {
		a->tv_nsec += NSEC_PER_SEC;
		a->tv_sec--;
	}
}

/**
 * pmtimevalAdd() - compute the sum of two times
 * @a: a time
 * @b: another time
 *
 * Return: seconds.
 */
SHIM_API double pmtimevalAdd(const struct timeval *a, const struct timeval *b)
{
	return (long double)(a->tv_sec + b->tv_sec) +
	       (long double)(a->tv_usec + b->tv_usec) / USEC_PER_SEC;
}

/**
 * pmtimevalSub() - compute the difference between two times
 * @a: the later time
 * @b: the earlier time
 *
 * Return: seconds.
 */
SHIM_API double pmtimevalSub(const struct timeval *a, const struct timeval *b)
{
	return (long double)(a->tv_sec - b->tv_sec) +
	       (long double)(a->tv_usec - b->tv_usec) / USEC_PER_SEC;
}

/**
 * pmtimevalToReal() - convert a time to a number
 * @a: a time
 *
 * Return: seconds.
 */
SHIM_API double pmtimevalToReal(const struct timeval *a)
{
	return (long double)a->tv_sec + (long double)a->tv_usec / USEC_PER_SEC;
}

/**
 * pmtimespecAdd() - compute the sum of two times
 * @a: a time
 * @b: another time
 *
 * Return: seconds.
 */
SHIM_API double pmtimespecAdd(const struct timespec *a, const struct timespec *b)
{
	return (long double)(a->tv_sec + b->tv_sec) +
	       (long double)(a->tv_nsec + b->tv_nsec) / NSEC_PER_SEC;
}

/**
 * pmtimespecSub() - compute the difference between two times
 * @a: the later time
 * @b: the earlier time
 *
 * Return: seconds.
 */
SHIM_API double pmtimespecSub(const struct timespec *a, const struct timespec *b)
{
	return (long double)(a->tv_sec - b->tv_sec) +
	       (long double)(a->tv_nsec - b->tv_nsec) / NSEC_PER_SEC;
}

/**
 * pmtimespecToReal() - convert a time to a number
 * @a: a time
 *
 * Return: seconds.
 */
SHIM_API double pmtimespecToReal(const struct timespec *a)
{
	return (long double)a->tv_sec + (long double)a->tv_nsec / NSEC_PER_SEC;
}

/**
 * pmtimevalFromReal() - convert a number to a time, with rounding
 * @seconds: the number of seconds
 * @a: the time; a fraction may be rounded up to a whole second, without a carry
 */
SHIM_API void pmtimevalFromReal(double seconds, struct timeval *a)
{
	a->tv_sec = (time_t)seconds;
	a->tv_usec = (long)((seconds - a->tv_sec) * USEC_PER_SEC + 0.5);
}

/**
 * pmtimespecFromReal() - convert a number to a time, with rounding
 * @seconds: the number of seconds
 * @a: the time; a fraction may be rounded up to a whole second, without a carry
 */
SHIM_API void pmtimespecFromReal(double seconds, struct timespec *a)
{
	a->tv_sec = (time_t)seconds;
	a->tv_nsec = (long)((seconds - a->tv_sec) * NSEC_PER_SEC + 0.5);
}

/**
 * pmtimevalNow() - get the time of day
 * @a: the time
 */
SHIM_API void pmtimevalNow(struct timeval *a)
{
	gettimeofday(a, NULL);
}

/**
 * pmtimespecNow() - get the time of day
 * @a: the time
 *
 * Return: 0.
 */
SHIM_API int pmtimespecNow(struct timespec *a)
{
	return clock_gettime(CLOCK_REALTIME, a);
}

/**
 * pmtimevalTotimespec() - convert a time to struct timespec
 * @a: a time
 * @to: the same time
 */
SHIM_API void pmtimevalTotimespec(struct timeval *a, struct timespec *to)
{
	to->tv_sec = a->tv_sec;
	to->tv_nsec = a->tv_usec * 1000;
}

/**
 * pmtimespecTotimeval() - convert a time to struct timeval
 * @a: a time
 * @to: the time, truncated to microseconds
 */
SHIM_API void pmtimespecTotimeval(struct timespec *a, struct timeval *to)
{
	to->tv_sec = a->tv_sec;
	to->tv_usec = a->tv_nsec / 1000;
}

/**
 * pmtimespecPrintInterval() - print a length of time, like "1h15m0.5s"
 * @f: the output stream
 * @a: the length
 *
 * As in PCP, up to 60 seconds are printed in seconds, and up to 3600 in minutes.
 */
SHIM_API void pmtimespecPrintInterval(FILE *f, const struct timespec *a)
{
	struct shim_ts ts = shim_stamp__make(a->tv_sec, a->tv_nsec);
	bool negative = ts.sec < 0;
	uint64_t sec = ts.sec;
	uint32_t nsec = ts.nsec;
	int digits = 9;

	if (negative) {
		sec = -sec - (nsec > 0);
		nsec = nsec ? NSEC_PER_SEC - nsec : 0;
		fputc('-', f);
	}
	if (sec > 3600) {
		fprintf(f, "%" PRIu64 "h", sec / 3600);
		sec %= 3600;
	}
	if (sec > 60) {
		fprintf(f, "%" PRIu64 "m", sec / 60);
		sec %= 60;
	}
	fprintf(f, "%" PRIu64, sec);
	for (; nsec && nsec % 10 == 0; nsec /= 10)
		digits--;
	if (nsec)
		fprintf(f, ".%0*" PRIu32, digits, nsec);
	fputc('s', f);
}
