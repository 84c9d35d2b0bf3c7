// SPDX-License-Identifier: LGPL-2.1-or-later
/* The time base: one tick is a nanosecond of CLOCK_MONOTONIC, which also stamps samples. */
#include <time.h>

#include "base/api.h"
#include "impl.h"

#define NS_PER_S	1000000000ull

/* Stores nanoseconds in the raw form (RTC_POWER_PC), which can be added and subtracted */
void shim_aix__ticks(timebasestruct_t *t, __u64 ns)
{
	t->flag = RTC_POWER_PC;
	t->tb_high = ns >> 32;
	t->tb_low = (unsigned int)ns;
}

/**
 * read_real_time() - read the time base
 * @t: filled
 * @size: TIMEBASE_SZ
 *
 * Return: RTC_POWER_PC, the form that was stored; -1 if @size is too small.
 */
SHIM_API int read_real_time(timebasestruct_t *t, size_t size)
{
	struct timespec ts;

	if (size < TIMEBASE_SZ)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	shim_aix__ticks(t, ts.tv_sec * NS_PER_S + ts.tv_nsec);
	return t->flag;
}

/**
 * read_wall_time() - same as read_real_time(), which is monotonic on Linux
 * @t: filled
 * @size: TIMEBASE_SZ
 *
 * Return: as read_real_time().
 */
SHIM_API int read_wall_time(timebasestruct_t *t, size_t size)
{
	return read_real_time(t, size);
}

/**
 * mread_real_time() - same as read_real_time(), which is monotonic on Linux
 * @t: filled
 * @size: TIMEBASE_SZ
 *
 * Return: as read_real_time().
 */
SHIM_API int mread_real_time(timebasestruct_t *t, size_t size)
{
	return read_real_time(t, size);
}

/**
 * time_base_to_time() - convert ticks to seconds and nanoseconds, in place
 * @t: RTC_POWER_PC becomes RTC_POWER; an RTC_POWER time is not changed
 * @size: TIMEBASE_SZ
 *
 * Return: 0; -1 if it is neither, or @size is too small.
 */
SHIM_API int time_base_to_time(timebasestruct_t *t, size_t size)
{
	__u64 ns;

	if (size < TIMEBASE_SZ)
		return -1;
	if (t->flag == RTC_POWER)
		return 0;
	if (t->flag != RTC_POWER_PC)
		return -1;
	ns = (__u64)t->tb_high << 32 | t->tb_low;
	t->flag = RTC_POWER;
	t->tb_high = ns / NS_PER_S;
	t->tb_low = ns % NS_PER_S;
	return 0;
}
