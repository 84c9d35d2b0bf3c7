/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The last part of <pcp/pmapi.h>: makes a pointer to the wrong type of time an error in C as well
 * as in C++.  Many compilers only warn, and the call would confuse microseconds and nanoseconds.
 * If a call fails to compile here, the program was written for another PMAPI_VERSION: PCP 7 has
 * version 4.  A program with its own functions of these names may define PM_NO_TIME_CHECKS.
 *
 * Each call is an inline function whose times are transparent unions: these accept a pointer to a
 * member's type, any null pointer, and nothing else.  An interval in milliseconds is a double
 * because no pointer converts to a double.  The macros pass on all arguments, so an argument may be
 * a compound literal, whose commas would separate the arguments of other macros.
 */
#ifndef PCP_PMAPI_CHECKS_H
#define PCP_PMAPI_CHECKS_H

#include <pcp/pmapi.h>

#if !defined(__cplusplus) && !defined(PM_NO_TIME_CHECKS)

#ifdef __GNUC__
#pragma GCC system_header
#endif

typedef union {
	const struct timeval *p;
} __attribute__((__transparent_union__)) __pm_tv;

typedef union {
	struct timeval *p;
} __attribute__((__transparent_union__)) __pm_tv_out;

typedef union {
	const struct timespec *p;
} __attribute__((__transparent_union__)) __pm_ts;

typedef union {
	struct timespec *p;
} __attribute__((__transparent_union__)) __pm_ts_out;

#define __PM_CHECKED(f)		f##_wrong_time_see_PMAPI_VERSION
#define __PM_CHECK(type, f, parameters, ...)							\
	static __inline__ __attribute__((__always_inline__, __unused__))			\
	type __PM_CHECKED(f) parameters { return (type)(f)(__VA_ARGS__); }

#if PMAPI_VERSION >= PMAPI_VERSION_4
#define __pm_time	__pm_ts
#define __pm_time_out	__pm_ts_out

__PM_CHECK(int, pmSetMode, (int mode, __pm_ts when, __pm_ts delta), mode, when.p, delta.p)
__PM_CHECK(int, pmSetMode_v2, (int mode, __pm_tv when, double delta),
	   mode, when.p, (int)(long)delta)
__PM_CHECK(int, pmGetArchiveEnd_v2, (__pm_tv_out end), end.p)
__PM_CHECK(int, pmParseInterval_v2, (const char *string, __pm_tv_out rslt, char **errmsg),
	   string, rslt.p, errmsg)
#define pmSetMode_v2(...)		__PM_CHECKED(pmSetMode_v2)(__VA_ARGS__)
#define pmGetArchiveEnd_v2(...)		__PM_CHECKED(pmGetArchiveEnd_v2)(__VA_ARGS__)
#define pmParseInterval_v2(...)		__PM_CHECKED(pmParseInterval_v2)(__VA_ARGS__)
#else
#define __pm_time	__pm_tv
#define __pm_time_out	__pm_tv_out

__PM_CHECK(int, pmSetMode, (int mode, __pm_tv when, double delta),
	   mode, when.p, (int)(long)delta)
__PM_CHECK(int, pmSetModeHighRes, (int mode, __pm_ts when, __pm_ts delta), mode, when.p, delta.p)
__PM_CHECK(int, pmGetHighResArchiveEnd, (__pm_ts_out end), end.p)
__PM_CHECK(int, pmParseHighResInterval, (const char *string, __pm_ts_out rslt, char **errmsg),
	   string, rslt.p, errmsg)
__PM_CHECK(void, pmPrintStamp, (FILE *f, __pm_tv a), f, a.p)
__PM_CHECK(void, pmPrintHighResStamp, (FILE *f, __pm_ts a), f, a.p)
__PM_CHECK(int, pmExtendFetchGroup_timestamp, (pmFG fg, __pm_tv_out out), fg, out.p)
#define pmSetModeHighRes(...)		__PM_CHECKED(pmSetModeHighRes)(__VA_ARGS__)
#define pmGetHighResArchiveEnd(...)	__PM_CHECKED(pmGetHighResArchiveEnd)(__VA_ARGS__)
#define pmParseHighResInterval(...)	__PM_CHECKED(pmParseHighResInterval)(__VA_ARGS__)
#define pmPrintStamp(...)		__PM_CHECKED(pmPrintStamp)(__VA_ARGS__)
#define pmPrintHighResStamp(...)	__PM_CHECKED(pmPrintHighResStamp)(__VA_ARGS__)
#define pmExtendFetchGroup_timestamp(...)	__PM_CHECKED(pmExtendFetchGroup_timestamp)(__VA_ARGS__)
#endif

__PM_CHECK(int, pmGetArchiveEnd, (__pm_time_out end), end.p)
__PM_CHECK(int, pmParseInterval, (const char *string, __pm_time_out rslt, char **errmsg),
	   string, rslt.p, errmsg)
__PM_CHECK(int, pmParseTimeWindow,
	   (const char *S, const char *T, const char *A, const char *O, __pm_time log_start,
	    __pm_time log_end, __pm_time_out start, __pm_time_out end, __pm_time_out offset,
	    char **errmsg),
	   S, T, A, O, log_start.p, log_end.p, start.p, end.p, offset.p, errmsg)
__PM_CHECK(int, pmExtendFetchGroup_timeval, (pmFG fg, __pm_tv_out out), fg, out.p)
__PM_CHECK(int, pmExtendFetchGroup_timespec, (pmFG fg, __pm_ts_out out), fg, out.p)
__PM_CHECK(void, pmtimevalInc, (__pm_tv_out a, __pm_tv b), a.p, b.p)
__PM_CHECK(void, pmtimevalDec, (__pm_tv_out a, __pm_tv b), a.p, b.p)
__PM_CHECK(double, pmtimevalAdd, (__pm_tv a, __pm_tv b), a.p, b.p)
__PM_CHECK(double, pmtimevalSub, (__pm_tv a, __pm_tv b), a.p, b.p)
__PM_CHECK(double, pmtimevalToReal, (__pm_tv a), a.p)
__PM_CHECK(void, pmtimevalFromReal, (double seconds, __pm_tv_out a), seconds, a.p)
__PM_CHECK(void, pmtimevalNow, (__pm_tv_out a), a.p)
__PM_CHECK(void, pmtimevalPrint, (FILE *f, __pm_tv a), f, a.p)
__PM_CHECK(void, pmtimevalTotimespec, (__pm_tv_out a, __pm_ts_out to), a.p, to.p)
__PM_CHECK(void, pmtimespecInc, (__pm_ts_out a, __pm_ts b), a.p, b.p)
__PM_CHECK(void, pmtimespecDec, (__pm_ts_out a, __pm_ts b), a.p, b.p)
__PM_CHECK(double, pmtimespecAdd, (__pm_ts a, __pm_ts b), a.p, b.p)
__PM_CHECK(double, pmtimespecSub, (__pm_ts a, __pm_ts b), a.p, b.p)
__PM_CHECK(double, pmtimespecToReal, (__pm_ts a), a.p)
__PM_CHECK(void, pmtimespecFromReal, (double seconds, __pm_ts_out a), seconds, a.p)
__PM_CHECK(int, pmtimespecNow, (__pm_ts_out a), a.p)
__PM_CHECK(void, pmtimespecPrint, (FILE *f, __pm_ts a), f, a.p)
__PM_CHECK(void, pmtimespecPrintInterval, (FILE *f, __pm_ts a), f, a.p)
__PM_CHECK(void, pmtimespecTotimeval, (__pm_ts_out a, __pm_tv_out to), a.p, to.p)

#define pmSetMode(...)			__PM_CHECKED(pmSetMode)(__VA_ARGS__)
#define pmGetArchiveEnd(...)		__PM_CHECKED(pmGetArchiveEnd)(__VA_ARGS__)
#define pmParseInterval(...)		__PM_CHECKED(pmParseInterval)(__VA_ARGS__)
#define pmParseTimeWindow(...)		__PM_CHECKED(pmParseTimeWindow)(__VA_ARGS__)
#define pmExtendFetchGroup_timeval(...)	__PM_CHECKED(pmExtendFetchGroup_timeval)(__VA_ARGS__)
#define pmExtendFetchGroup_timespec(...)	__PM_CHECKED(pmExtendFetchGroup_timespec)(__VA_ARGS__)
#define pmtimevalInc(...)		__PM_CHECKED(pmtimevalInc)(__VA_ARGS__)
#define pmtimevalDec(...)		__PM_CHECKED(pmtimevalDec)(__VA_ARGS__)
#define pmtimevalAdd(...)		__PM_CHECKED(pmtimevalAdd)(__VA_ARGS__)
#define pmtimevalSub(...)		__PM_CHECKED(pmtimevalSub)(__VA_ARGS__)
#define pmtimevalToReal(...)		__PM_CHECKED(pmtimevalToReal)(__VA_ARGS__)
#define pmtimevalFromReal(...)		__PM_CHECKED(pmtimevalFromReal)(__VA_ARGS__)
#define pmtimevalNow(...)		__PM_CHECKED(pmtimevalNow)(__VA_ARGS__)
#define pmtimevalPrint(...)		__PM_CHECKED(pmtimevalPrint)(__VA_ARGS__)
#define pmtimevalTotimespec(...)	__PM_CHECKED(pmtimevalTotimespec)(__VA_ARGS__)
#define pmtimespecInc(...)		__PM_CHECKED(pmtimespecInc)(__VA_ARGS__)
#define pmtimespecDec(...)		__PM_CHECKED(pmtimespecDec)(__VA_ARGS__)
#define pmtimespecAdd(...)		__PM_CHECKED(pmtimespecAdd)(__VA_ARGS__)
#define pmtimespecSub(...)		__PM_CHECKED(pmtimespecSub)(__VA_ARGS__)
#define pmtimespecToReal(...)		__PM_CHECKED(pmtimespecToReal)(__VA_ARGS__)
#define pmtimespecFromReal(...)		__PM_CHECKED(pmtimespecFromReal)(__VA_ARGS__)
#define pmtimespecNow(...)		__PM_CHECKED(pmtimespecNow)(__VA_ARGS__)
#define pmtimespecPrint(...)		__PM_CHECKED(pmtimespecPrint)(__VA_ARGS__)
#define pmtimespecPrintInterval(...)	__PM_CHECKED(pmtimespecPrintInterval)(__VA_ARGS__)
#define pmtimespecTotimeval(...)	__PM_CHECKED(pmtimespecTotimeval)(__VA_ARGS__)

#endif

#endif /* PCP_PMAPI_CHECKS_H */
