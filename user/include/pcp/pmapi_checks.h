/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The last part of <pcp/pmapi.h>: makes a pointer to the wrong type of time an error not only in
 * C++ but also in C.  Many compilers only warn, and the call would confuse microseconds and
 * nanoseconds.  If a call fails to compile here, the program was written for another PMAPI_VERSION:
 * PCP 7 has version
 * 4.  A program with its own functions of these names may define PM_NO_TIME_CHECKS.
 */
#ifndef PCP_PMAPI_CHECKS_H
#define PCP_PMAPI_CHECKS_H

#if !defined(__cplusplus) && !defined(PM_NO_TIME_CHECKS)

/* An argument of this type is never accepted. */
struct pm_wrong_time_see_PMAPI_VERSION {
	int unused;
};

#define __PM_WRONG ((struct pm_wrong_time_see_PMAPI_VERSION){ 0 })
#define __PM_TIMEVAL(p)		__extension__ _Generic((p), struct timespec *: __PM_WRONG, \
				const struct timespec *: __PM_WRONG, default: (p))
#define __PM_TIMESPEC(p)	__extension__ _Generic((p), struct timeval *: __PM_WRONG, \
				const struct timeval *: __PM_WRONG, default: (p))
#define __PM_MSEC(n)		__extension__ _Generic((n), struct timespec *: __PM_WRONG, \
				const struct timespec *: __PM_WRONG, void *: __PM_WRONG, default: (n))

#if PMAPI_VERSION >= PMAPI_VERSION_4
#define __PM_TIME(p)	__PM_TIMESPEC(p)
#define __PM_DELTA(p)	__PM_TIMESPEC(p)
#define pmSetMode_v2(mode, when, delta) \
	(pmSetMode_v2)(mode, __PM_TIMEVAL(when), __PM_MSEC(delta))
#define pmGetArchiveEnd_v2(end) (pmGetArchiveEnd_v2)(__PM_TIMEVAL(end))
#define pmParseInterval_v2(string, rslt, errmsg) \
	(pmParseInterval_v2)(string, __PM_TIMEVAL(rslt), errmsg)
#else
#define __PM_TIME(p)	__PM_TIMEVAL(p)
#define __PM_DELTA(n)	__PM_MSEC(n)
#define pmSetModeHighRes(mode, when, delta) \
	(pmSetModeHighRes)(mode, __PM_TIMESPEC(when), __PM_TIMESPEC(delta))
#define pmGetHighResArchiveEnd(end) (pmGetHighResArchiveEnd)(__PM_TIMESPEC(end))
#define pmParseHighResInterval(string, rslt, errmsg) \
	(pmParseHighResInterval)(string, __PM_TIMESPEC(rslt), errmsg)
#define pmPrintStamp(f, a)		(pmPrintStamp)(f, __PM_TIMEVAL(a))
#define pmPrintHighResStamp(f, a)	(pmPrintHighResStamp)(f, __PM_TIMESPEC(a))
#define pmExtendFetchGroup_timestamp(fg, out) \
	(pmExtendFetchGroup_timestamp)(fg, __PM_TIMEVAL(out))
#endif

#define pmSetMode(mode, when, delta) (pmSetMode)(mode, __PM_TIME(when), __PM_DELTA(delta))
#define pmGetArchiveEnd(end) (pmGetArchiveEnd)(__PM_TIME(end))
#define pmParseInterval(string, rslt, errmsg) (pmParseInterval)(string, __PM_TIME(rslt), errmsg)
#define pmParseTimeWindow(S, T, A, O, log_start, log_end, start, end, offset, errmsg) \
	(pmParseTimeWindow)(S, T, A, O, __PM_TIME(log_start), __PM_TIME(log_end), \
			    __PM_TIME(start), __PM_TIME(end), __PM_TIME(offset), errmsg)

#define pmExtendFetchGroup_timeval(fg, out) (pmExtendFetchGroup_timeval)(fg, __PM_TIMEVAL(out))
#define pmExtendFetchGroup_timespec(fg, out) (pmExtendFetchGroup_timespec)(fg, __PM_TIMESPEC(out))

#define pmtimevalInc(a, b)		(pmtimevalInc)(__PM_TIMEVAL(a), __PM_TIMEVAL(b))
#define pmtimevalDec(a, b)		(pmtimevalDec)(__PM_TIMEVAL(a), __PM_TIMEVAL(b))
#define pmtimevalAdd(a, b)		(pmtimevalAdd)(__PM_TIMEVAL(a), __PM_TIMEVAL(b))
#define pmtimevalSub(a, b)		(pmtimevalSub)(__PM_TIMEVAL(a), __PM_TIMEVAL(b))
#define pmtimevalToReal(a)		(pmtimevalToReal)(__PM_TIMEVAL(a))
#define pmtimevalFromReal(s, a)		(pmtimevalFromReal)(s, __PM_TIMEVAL(a))
#define pmtimevalNow(a)			(pmtimevalNow)(__PM_TIMEVAL(a))
#define pmtimevalPrint(f, a)		(pmtimevalPrint)(f, __PM_TIMEVAL(a))
#define pmtimevalTotimespec(a, to)	(pmtimevalTotimespec)(__PM_TIMEVAL(a), __PM_TIMESPEC(to))
#define pmtimespecInc(a, b)		(pmtimespecInc)(__PM_TIMESPEC(a), __PM_TIMESPEC(b))
#define pmtimespecDec(a, b)		(pmtimespecDec)(__PM_TIMESPEC(a), __PM_TIMESPEC(b))
#define pmtimespecAdd(a, b)		(pmtimespecAdd)(__PM_TIMESPEC(a), __PM_TIMESPEC(b))
#define pmtimespecSub(a, b)		(pmtimespecSub)(__PM_TIMESPEC(a), __PM_TIMESPEC(b))
#define pmtimespecToReal(a)		(pmtimespecToReal)(__PM_TIMESPEC(a))
#define pmtimespecFromReal(s, a)	(pmtimespecFromReal)(s, __PM_TIMESPEC(a))
#define pmtimespecNow(a)		(pmtimespecNow)(__PM_TIMESPEC(a))
#define pmtimespecPrint(f, a)		(pmtimespecPrint)(f, __PM_TIMESPEC(a))
#define pmtimespecPrintInterval(f, a)	(pmtimespecPrintInterval)(f, __PM_TIMESPEC(a))
#define pmtimespecTotimeval(a, to)	(pmtimespecTotimeval)(__PM_TIMESPEC(a), __PM_TIMEVAL(to))

#endif

#endif /* PCP_PMAPI_CHECKS_H */
