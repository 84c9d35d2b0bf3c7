// SPDX-License-Identifier: LGPL-2.1-or-later
/* Calibrate the CPU's counter against the kernel's clock. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "tick.h"

#define CALIBRATE_NS	50000000

#if defined(__x86_64__)
/* If the kernel uses the TSC as its clock, it is the same on all CPUs at any frequency. */
static int kernel_trusts_it(void)
{
	char name[32] = "";
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

	if (!f)
		return 0;
	if (!fgets(name, sizeof(name), f))
		name[0] = '\0';
	fclose(f);
	return !strncmp(name, "tsc", 3) || !strncmp(name, "kvm-clock", 9);
}

static int is_steady(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8 && kernel_trusts_it();
}
#else
static int is_steady(void)
{
#if defined(__aarch64__)
	return 1;
#else
	return 0;
#endif
}
#endif

/* Read both clocks simultaneously: of ten tries, use the shortest one. */
static void read_both(const struct vc_tick *tick, uint64_t *ticks, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 10; i++) {
		uint64_t before = shim_clock__ns();
		uint64_t now = shim_tick__now(tick);
		uint64_t after = shim_clock__ns();

		if (after - before >= best)
			continue;
		best = after - before;
		*ticks = now;
		*ns = before + (after - before) / 2;
	}
}

/**
 * shim_tick__calibrate() - measure the length of a tick
 * @tick: its @mult and @usable are set
 *
 * Takes 50 ms, and is accurate to a few parts per million.
 */
void shim_tick__calibrate(struct vc_tick *tick)
{
	const struct timespec pause = { .tv_nsec = CALIBRATE_NS };
	uint64_t ticks[2], ns[2];

	tick->usable = is_steady();
	if (!tick->usable)
		return;
	read_both(tick, &ticks[0], &ns[0]);
	nanosleep(&pause, NULL);
	read_both(tick, &ticks[1], &ns[1]);
	tick->usable = ticks[1] > ticks[0];
	if (tick->usable)
		tick->mult = ((unsigned __int128)(ns[1] - ns[0]) << 32) / (ticks[1] - ticks[0]);
}
