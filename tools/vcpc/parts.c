// SPDX-License-Identifier: GPL-2.0-or-later
/* Divide counted CPUs into labeled parts: CPUs or cores. */
#include <stdio.h>
#include <string.h>

#include "parts.h"

/*
 * Return a number of a CPU's topology, or 0 if the kernel does not show it, for example because the
 * CPU is offline.
 */
static int topology(pid_t cpu, const char *name)
{
	char path[96];
	int value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", (int)cpu, name);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%d", &value) != 1 || value < 0)
		value = 0;
	fclose(f);
	return value;
}

static void part_label(char *buf, size_t size, enum vcpc_apart apart, pid_t cpu)
{
	if (apart == VCPC_TOGETHER)
		*buf = '\0';
	else if (apart == VCPC_EACH_CPU)
		snprintf(buf, size, "CPU%d", (int)cpu);
	else
		snprintf(buf, size, "S%d-D%d-C%d", topology(cpu, "physical_package_id"),
			 topology(cpu, "die_id"), topology(cpu, "core_id"));
}

/**
 * vcpc_parts_divide() - assign each target to a part
 * @parts: result; in the order of the first CPU of each part
 * @apart: the kind of part
 * @targets: CPUs, unless all targets are one part
 */
void vcpc_parts_divide(struct vcpc_parts *parts, enum vcpc_apart apart, const struct vcpc_targets *targets)
{
	struct vcpc_part one = { .cpus = 0 };
	unsigned int at;

	memset(parts, 0, sizeof(*parts));
	for (unsigned int i = 0; i < targets->n; i++) {
		part_label(one.label, sizeof(one.label), apart, targets->ids[i]);
		for (at = 0; at < parts->n && strcmp(parts->part[at].label, one.label); at++)
			;
		if (at == parts->n)
			parts->part[parts->n++] = one;
		parts->part[at].cpus += apart == VCPC_EACH_CORE;
		parts->of[i] = at;
	}
	if (!parts->n)
		parts->n = 1;
}
