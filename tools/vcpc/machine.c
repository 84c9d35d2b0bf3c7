// SPDX-License-Identifier: GPL-2.0-or-later
/* Describe this machine: processor and kernel. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "machine.h"

#define CPUINFO	"/proc/cpuinfo"

/* Get the text after the colon of a line that begins with @key. Return false if there is none. */
static bool value_of(const char *line, const char *key, char *buf, size_t size)
{
	const char *colon = strchr(line, ':');

	if (!colon || strncmp(line, key, strlen(key)) || !colon[1])
		return false;
	colon += 1 + strspn(colon + 1, " \t");
	snprintf(buf, size, "%.*s", (int)strcspn(colon, "\n"), colon);
	return *buf;
}

bool vcpc_machine_cpu(char *buf, size_t size)
{
	/* On Arm, the kernel reports numbers instead of a name. */
	static const char *const keys[] = { "model name", "Model", "Hardware", "CPU part" };
	size_t best = sizeof(keys) / sizeof(keys[0]);
	FILE *file = fopen(CPUINFO, "re");
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char line[512], model[128] = "";

	while (file && fgets(line, sizeof(line), file))
		for (size_t i = 0; i < best; i++)
			if (value_of(line, keys[i], model, sizeof(model)))
				best = i;
	if (file)
		fclose(file);
	snprintf(buf, size, "%s%s, %ld CPU%s", best == 3 ? "CPU part " : "", model, cpus, cpus == 1 ? "" : "s");
	return *model;
}

bool vcpc_machine_kernel(char *buf, size_t size)
{
	struct utsname u;

	if (uname(&u))
		return false;
	snprintf(buf, size, "%s %s %s", u.sysname, u.release, u.machine);
	return true;
}
