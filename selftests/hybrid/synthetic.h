/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control the synthetic core PMUs of selftests/vm/pmu, for which a test generates ticks. */
#ifndef SELFTESTS_SYNTHETIC_H
#define SELFTESTS_SYNTHETIC_H

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define PARAMETER(name)	"/sys/module/synthetic_pmu/parameters/" name

/* Events that a tick counts on each kind of core */
#define CORE_CYCLES		4
#define CORE_INSTRUCTIONS	6
#define ATOM_CYCLES		2
#define ATOM_INSTRUCTIONS	1

static inline bool write_parameter(const char *path, unsigned long long value)
{
	char text[24];
	int fd = open(path, O_WRONLY | O_CLOEXEC), n = snprintf(text, sizeof(text), "%llu", value);
	bool good = fd >= 0 && write(fd, text, n) == n;

	if (fd >= 0)
		close(fd);
	return good;
}

/* Generate ticks only in make_ticks() if @on, otherwise from the clock. */
static inline bool set_manual(bool on)
{
	return write_parameter(PARAMETER("manual"), on);
}

/* Generate ticks on the caller's CPU.  The caller must not migrate during the call. */
static inline __attribute__((unused)) bool make_ticks(unsigned long long ticks)
{
	return write_parameter(PARAMETER("work"), ticks);
}

/* Move to a CPU.  CPU 0 is of the kind cpu_core, CPU 1 of the kind cpu_atom. */
static inline __attribute__((unused)) bool move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static inline bool is_loaded(void)
{
	return !access(PARAMETER("manual"), W_OK);
}

static inline __attribute__((unused)) bool is_hybrid(void)
{
	return is_loaded() && !access("/sys/bus/event_source/devices/cpu_atom/cpus", R_OK);
}

/* Return the perf type of a PMU. */
static inline __attribute__((unused)) unsigned int type_of(const char *pmu)
{
	char path[128];
	unsigned int type = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%u", &type) != 1)
		type = ~0U;
	if (file)
		fclose(file);
	return type;
}

#endif /* SELFTESTS_SYNTHETIC_H */
