// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The core PMUs of this machine.
 *
 * A core PMU is called cpu, or its folder in /sys/bus/event_source/devices has a file "cpus".  If
 * there is more than one, each counts only on the CPUs of its kind of core, and an event that names
 * no PMU is counted by one perf event on each.
 *
 * perf takes a generic event for one PMU if the PMU's type is in the upper half of its config
 * (PERF_PMU_TYPE_SHIFT).  Raw codes belong to the PMU whose type they have.  On x86 the type of the
 * first core PMU is PERF_TYPE_RAW, so that a raw code without a PMU and one for that PMU look the same:
 * a request says which it is by SHIM_REQ_ONE_PMU.
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

/* 1; 0 if there is no such file, or nothing in it; -errno if that cannot be told */
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

/* "0-3,8": false if it is not such a list */
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

/* 1 if it is a core PMU, which then is filled in; 0 if not; -errno if that cannot be told */
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
		/* A PMU of cores that are all offline has none. */
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
 * Return: 0, -ENOENT if there is no such folder, or another error of opendir(3), readdir(3) or fopen(3).
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

/* Of this process; NULL until they have been read */
static _Atomic(struct shim_pmus *) known;

/**
 * shim_pmus__load() - read this machine's core PMUs, unless that was done before
 *
 * Return: 0, -ENOMEM, or another passing error, after which it can be tried again.
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
		ret = 0;	/* no PMU that could be used */
	/* another thread may have read them, too */
	if (ret || !atomic_compare_exchange_strong(&known, &before, pmus))
		free(pmus);
	return ret;
}

/**
 * shim_pmus__get() - the core PMUs of this machine, as they were when they were first read
 *
 * Return: never NULL; with n = 0 if there is no PMU, or if it cannot be read.  Sessions read it.
 */
const struct shim_pmus *shim_pmus__get(void)
{
	static const struct shim_pmus none;

	return shim_pmus__load() ? &none : atomic_load_explicit(&known, memory_order_acquire);
}

/**
 * shim_pmus__several() - the core PMUs, if there is more than one kind of core
 *
 * Return: NULL if there is not.
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
 * shim_pmus__of() - which core PMU an event is of
 * @pmus: of shim_pmus__several()
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
 * shim_pmus__make() - an event as one core PMU counts it
 * @pmus: of shim_pmus__several()
 * @kind: the PMU's index
 * @req: the event
 * @out: what to open there
 *
 * Return: false if the event is of other PMUs, or of none.
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
 * shim_pmus__names() - all core PMUs' names, where there are several
 * @buf: for "cpu_core and cpu_atom", cut to @size
 * @size: of @buf
 *
 * Return: @buf, or NULL if there is one kind of core.
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
 * shim_pmus__kind() - which of several kinds of core an event is of
 * @req: the event
 *
 * Return: as shim_pmus__of(); SHIM_PMUS_NONE if there is one kind of core.
 */
int shim_pmus__kind(const struct vcpc_request *req)
{
	const struct shim_pmus *pmus = shim_pmus__several();

	return pmus ? shim_pmus__of(pmus, req) : SHIM_PMUS_NONE;
}

/**
 * shim_pmus__has_cpu() - whether a CPU is of the kind that a PMU counts on
 * @pmu: the PMU
 * @cpu: the CPU's number
 */
bool shim_pmus__has_cpu(const struct shim_pmu *pmu, unsigned int cpu)
{
	return !pmu->nr_cpus || (cpu < SHIM_PMU_CPUS && pmu->cpus[cpu / 64] >> cpu % 64 & 1);
}
