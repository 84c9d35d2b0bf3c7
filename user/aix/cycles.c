// SPDX-License-Identifier: LGPL-2.1-or-later
/* The processor's clock rate, as the kernel reports it, or measured by counting cycles. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <time.h>

#include "base/api.h"
#include "state.h"

#define SPIN_NS	20000000

static double from_cpufreq(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "re");
	double khz = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%lf", &khz) != 1)
		khz = 0;
	fclose(f);
	return khz * 1e3;
}

static double from_cpuinfo(void)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];
	double mhz = 0;

	if (!f)
		return 0;
	while (!mhz && fgets(line, sizeof(line), f))
		if (sscanf(line, "cpu MHz : %lf", &mhz) != 1)
			mhz = 0;
	fclose(f);
	return mhz * 1e6;
}

struct room {
	struct vcpc_sample sample;
	__u64 cycles;
};

static void spin(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000ll + now.tv_nsec - begin.tv_nsec <
		 SPIN_NS);
}

/*
 * Cycles are counted in user mode only, but the time includes kernel mode: spin() has to spend
 * most of it in user mode.
 */
static double count(struct shim_session *session)
{
	static const struct vcpc_request cycles = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
		.flags = VCPC_REQ_F_USER,
	};
	struct shim_counters *counters;
	struct room room = { 0 };
	double hz = 0;
	int bad;

	if (shim_counters__create(session, &cycles, 1, 0, &bad, &counters))
		return 0;
	if (!shim_counters__bind(counters, 0, 0, &bad)) {
		spin();
		if (!shim_counters__sample(counters, 0, &room.sample, sizeof(room)) &&
		    room.sample.tick)
			hz = room.cycles * 1e9 / room.sample.tick;
	}
	shim_counters__put(counters);
	return hz;
}

/**
 * pm_cycles() - the processor's clock rate
 *
 * Return: Hz, or 0 if the kernel does not report it and it cannot be measured.
 */
SHIM_API double pm_cycles(void)
{
	struct shim_aix_state *state;
	double hz = from_cpufreq();

	if (!hz)
		hz = from_cpuinfo();
	if (hz)
		return hz;
	state = shim_aix_state__lock();
	if (!shim_aix_state__session(state))
		hz = count(state->session);
	shim_aix_state__leave(state);
	return hz;
}
