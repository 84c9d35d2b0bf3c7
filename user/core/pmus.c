// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find the core PMUs of this machine.
 *
 * A core PMU is named cpu, or its directory in /sys/bus/event_source/devices has a file "cpus".  If
 * there are several, each counts only on the CPUs of its kind of core.  An event without a PMU is
 * then counted by one perf event on each PMU.
 *
 * perf counts a generic event on only one PMU if the upper half of the config is the PMU's type
 * (PERF_PMU_TYPE_SHIFT).  Raw codes belong to the PMU with their type.  On x86 the type of the
 * first core PMU is PERF_TYPE_RAW, so a raw code for that PMU looks like one without a PMU.
 * SHIM_REQ_ONE_PMU in a request distinguishes them.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "format.h"
#include "pmus.h"

#define PATH_ROOM	512
#define TYPE_SHIFT	32	/* PERF_PMU_TYPE_SHIFT */

/*
 * Read a line.  Return 1, 0 if the file does not exist or is empty, or -errno if it cannot be read.
 */
static int read_line(const char *devices, const char *pmu, const char *file, char *line, int size)
{
	char path[PATH_ROOM];
	FILE *f;
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s/%s", devices, pmu, file) >= (int)sizeof(path))
		return 0;
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	ret = fgets(line, size, f) != NULL;
	if (!ret && ferror(f))
		ret = -errno;
	fclose(f);
	if (ret > 0)
		line[strcspn(line, "\n")] = '\0';
	return ret;
}

/* Parse a list such as "0-3,8".  Return false if it is not a list. */
static bool parse_cpus(const char *at, struct shim_pmu *pmu)
{
	while (*at) {
		char *end;
		unsigned long low = strtoul(at, &end, 10), high = low;

		if (end == at)
			return false;
		if (*end == '-') {
			at = end + 1;
			high = strtoul(at, &end, 10);
			if (end == at)
				return false;
		}
		for (unsigned long cpu = low; cpu <= high && cpu < SHIM_PMU_CPUS; cpu++) {
			pmu->cpus[cpu / 64] |= 1ULL << cpu % 64;
			pmu->nr_cpus++;
		}
		at = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			return false;
	}
	return true;
}

/* Return 1 and fill in @pmu if it is a core PMU, 0 if not, or -errno if it cannot be read. */
static int read_pmu(const char *devices, const char *name, struct shim_pmu *pmu)
{
	char line[4096];
	int ret;

	if (*name == '.' || strlen(name) >= sizeof(pmu->name))
		return 0;
	memset(pmu, 0, sizeof(*pmu));
	ret = read_line(devices, name, "cpus", line, sizeof(line));
	if (ret < 0)
		return ret;
	if (ret) {
		snprintf(pmu->list, sizeof(pmu->list), "%.*s", (int)sizeof(pmu->list) - 1, line);
		/* The list is empty if all cores of the PMU are offline. */
		if (!parse_cpus(line, pmu))
			return 0;
	} else if (strcmp(name, "cpu")) {
		return 0;
	}
	strcpy(pmu->name, name);
	ret = read_line(devices, name, "type", line, sizeof(line));
	if (ret > 0)
		pmu->type = strtoul(line, NULL, 10);
	return ret;
}

static int by_name(const void *a, const void *b)
{
	const struct shim_pmu *x = a, *y = b;

	return strcmp(y->name, x->name);
}

/**
 * shim_pmus__read() - find the core PMUs
 * @devices: SHIM_FORMAT_DEVICES
 * @out: filled in, in descending order of names: cpu_core comes before cpu_atom
 *
 * Return: 0, -ENOENT if the directory does not exist, or another error from opendir(3), readdir(3)
 *	or fopen(3).
 */
int shim_pmus__read(const char *devices, struct shim_pmus *out)
{
	DIR *dir = opendir(devices);
	struct dirent *entry;
	int ret = 0;

	out->n = 0;
	if (!dir)
		return -errno;
	while (out->n < SHIM_PMUS_MAX && (ret = shim_entries__next(dir, &entry)) > 0) {
		ret = read_pmu(devices, entry->d_name, &out->pmu[out->n]);
		if (ret < 0)
			break;
		out->n += ret;
	}
	closedir(dir);
	qsort(out->pmu, out->n, sizeof(out->pmu[0]), by_name);
	return ret < 0 ? ret : 0;
}

/* The PMUs of this machine; NULL until they have been read */
static _Atomic(struct shim_pmus *) known;

/**
 * shim_pmus__load() - read this machine's core PMUs, unless they have already been read
 *
 * Return: 0, -ENOMEM, or another temporary error; the caller may try again.
 */
int shim_pmus__load(void)
{
	struct shim_pmus *pmus, *before = NULL;
	int ret;

	if (atomic_load_explicit(&known, memory_order_acquire))
		return 0;
	pmus = calloc(1, sizeof(*pmus));
	if (!pmus)
		return -ENOMEM;
	ret = shim_pmus__read(SHIM_FORMAT_DEVICES, pmus);
	if (ret == -ENOENT || ret == -EACCES)
		ret = 0;	/* no usable PMU */
	/* Another thread may have read the PMUs at the same time. */
	if (ret || !atomic_compare_exchange_strong(&known, &before, pmus))
		free(pmus);
	return ret;
}

/**
 * shim_pmus__get() - get the core PMUs of this machine, which are read only once
 *
 * Return: the PMUs, never NULL; n is 0 if there is no PMU or it cannot be read.  Opening a session
 *	reads the PMUs.
 */
const struct shim_pmus *shim_pmus__get(void)
{
	static const struct shim_pmus none;

	return shim_pmus__load() ? &none : atomic_load_explicit(&known, memory_order_acquire);
}

/**
 * shim_pmus__several() - get the core PMUs if there is more than one kind of core
 *
 * Return: the PMUs, or NULL if there is only one kind.
 */
const struct shim_pmus *shim_pmus__several(void)
{
	const struct shim_pmus *pmus = shim_pmus__get();

	return pmus->n > 1 ? pmus : NULL;
}

static int find_type(const struct shim_pmus *pmus, __u32 type)
{
	for (unsigned int i = 0; i < pmus->n; i++)
		if (pmus->pmu[i].type == type)
			return i;
	return SHIM_PMUS_NONE;
}

/**
 * shim_pmus__of() - find the core PMU of an event
 * @pmus: from shim_pmus__several()
 * @req: the event
 *
 * Return: the PMU's index, SHIM_PMUS_ALL or SHIM_PMUS_NONE.
 */
int shim_pmus__of(const struct shim_pmus *pmus, const struct vcpc_request *req)
{
	if (req->type == PERF_TYPE_HARDWARE || req->type == PERF_TYPE_HW_CACHE)
		return req->config >> TYPE_SHIFT ? find_type(pmus, req->config >> TYPE_SHIFT) :
						   SHIM_PMUS_ALL;
	if (req->type == PERF_TYPE_RAW && req->reserved[0] != SHIM_REQ_ONE_PMU)
		return SHIM_PMUS_ALL;
	return find_type(pmus, req->type);
}

/**
 * shim_pmus__make() - make the event that one core PMU counts
 * @pmus: from shim_pmus__several()
 * @kind: the PMU's index
 * @req: the event
 * @out: the event to open on that PMU
 *
 * Return: false if the event belongs to another PMU or to no core PMU.
 */
bool shim_pmus__make(const struct shim_pmus *pmus, unsigned int kind,
		     const struct vcpc_request *req, struct vcpc_request *out)
{
	int of = shim_pmus__of(pmus, req);

	if (of != SHIM_PMUS_ALL && of != (int)kind)
		return false;
	*out = *req;
	if (of != SHIM_PMUS_ALL)
		return true;
	if (req->type == PERF_TYPE_RAW)
		out->type = pmus->pmu[kind].type;
	else
		out->config |= (__u64)pmus->pmu[kind].type << TYPE_SHIFT;
	out->reserved[0] = out->type == PERF_TYPE_RAW ? SHIM_REQ_ONE_PMU : 0;
	return true;
}

/**
 * shim_pmus__names() - list the names of all core PMUs, if there are several
 * @buf: filled in, for example with "cpu_core and cpu_atom", truncated to @size
 * @size: size of @buf
 *
 * Return: @buf, or NULL if there is only one kind of core.
 */
const char *shim_pmus__names(char *buf, size_t size)
{
	const struct shim_pmus *pmus = shim_pmus__several();
	size_t n = 0;

	for (unsigned int i = 0; pmus && i < pmus->n && n < size; i++)
		n += snprintf(buf + n, size - n, "%s%s",
			      !i ? "" : i + 1 < pmus->n ? ", " : " and ", pmus->pmu[i].name);
	return pmus ? buf : NULL;
}

/**
 * shim_pmus__kind() - find the kind of core of an event
 * @req: the event
 *
 * Return: as for shim_pmus__of(); SHIM_PMUS_NONE if there is only one kind of core.
 */
int shim_pmus__kind(const struct vcpc_request *req)
{
	const struct shim_pmus *pmus = shim_pmus__several();

	return pmus ? shim_pmus__of(pmus, req) : SHIM_PMUS_NONE;
}

/**
 * shim_pmus__has_cpu() - check whether a PMU counts on a CPU
 * @pmu: the PMU
 * @cpu: the CPU's number
 */
bool shim_pmus__has_cpu(const struct shim_pmu *pmu, unsigned int cpu)
{
	return !pmu->nr_cpus || (cpu < SHIM_PMU_CPUS && pmu->cpus[cpu / 64] >> cpu % 64 & 1);
}
