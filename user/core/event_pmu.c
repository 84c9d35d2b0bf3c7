// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of a named PMU: PMU/TERMS/, as in perf.
 *
 * TERMS is one of perf's own names, if the PMU is a core PMU; an event that the kernel lists in
 * /sys/bus/event_source/devices/PMU/events; or a comma-separated list of FIELD=VALUE, where FIELD
 * is config, config1, config2, or a file in the PMU's directory "format".
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "format.h"
#include "pmus.h"

#define PATH_ROOM	512
#define TYPE_SHIFT	32	/* PERF_PMU_TYPE_SHIFT */

/* Read the first line of a file.  Return 0, -ENOENT if there is no such file, or another error. */
static int read_file(const char *pmu, const char *folder, const char *name, char *text, int size)
{
	char path[PATH_ROOM];
	FILE *file;
	int ret = 0;

	if (snprintf(path, sizeof(path), "%s/%s%s/%s", SHIM_FORMAT_DEVICES, pmu, folder, name) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	file = fopen(path, "re");
	if (!file)
		return errno == ENOTDIR || errno == EACCES ? -ENOENT : -errno;
	/* A term such as ".." names a directory. */
	if (!fgets(text, size, file))
		ret = ferror(file) && errno != EISDIR ? -errno : -ENOENT;
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return ret;
}

/* config, config1 or config2 of a request, or NULL */
static __u64 *word_of(const char *name, struct vcpc_request *req)
{
	return !strcmp(name, "config") ? &req->config : !strcmp(name, "config1") ? &req->config1 :
	       !strcmp(name, "config2") ? &req->config2 : NULL;
}

/* FIELD=VALUE, or FIELD, which means FIELD=1 */
static int set_term(const struct shim_pmu_format *format, char *term, struct vcpc_request *req)
{
	char *equals = strchr(term, '='), *end;
	unsigned long long value = 1;
	__u64 *word;

	if (equals) {
		*equals = '\0';
		errno = 0;
		value = strtoull(equals + 1, &end, 0);
		if (end == equals + 1 || *end || errno || equals[1] == '-')
			return -EINVAL;
	}
	word = equals ? word_of(term, req) : NULL;
	if (!word)
		return shim_pmu_format__set(format, term, value, req) ? -EINVAL : 0;
	*word = value;
	return 0;
}

/* Start with the code that the kernel lists for an event of this name, and add the other terms. */
static int set_terms(const char *pmu, const struct shim_pmu_format *format, char *terms,
		     bool listed, struct vcpc_request *req)
{
	char text[SHIM_EVENT_LEN], *rest = terms, *term;
	bool named = listed && !strpbrk(terms, ",=");
	int ret = 0;

	while (!ret && (term = strsep(&rest, ",")) != NULL) {
		bool may_be_listed = listed && !strpbrk(term, "=/");

		*text = '\0';
		ret = may_be_listed ? read_file(pmu, "/events", term, text, sizeof(text)) : -ENOENT;
		if (!ret)
			ret = set_terms(pmu, format, text, false, req);
		else if (ret == -ENOENT || ret == -ENAMETOOLONG)
			ret = set_term(format, term, req);
	}
	return ret && named ? -ENOENT : ret;
}

static const struct shim_pmu *find_core(const char *name)
{
	const struct shim_pmus *pmus = shim_pmus__get();

	for (unsigned int i = 0; i < pmus->n; i++)
		if (!strcmp(pmus->pmu[i].name, name))
			return &pmus->pmu[i];
	return NULL;
}

/* Look up one of perf's own names for one core PMU. */
static bool find_own(const struct shim_pmu *pmu, const char *terms, struct vcpc_request *req)
{
	struct vcpc_request one = *req;

	if (!pmu || !shim_event__find(terms, &one) ||
	    (one.type != PERF_TYPE_HARDWARE && one.type != PERF_TYPE_HW_CACHE))
		return false;
	if (shim_pmus__several())
		one.config |= (__u64)pmu->type << TYPE_SHIFT;
	*req = one;
	return true;
}

static int encode(const char *pmu, char *terms, struct vcpc_request *req)
{
	struct shim_pmu_format *format;
	char type[16];
	int ret = read_file(pmu, "", "type", type, sizeof(type));

	if (ret)
		return ret;
	req->type = strtoul(type, NULL, 10);
	if (find_own(find_core(pmu), terms, req))
		return 0;
	ret = shim_pmu_format__open_of(SHIM_FORMAT_DEVICES, pmu, &format);
	if (ret)
		return ret;
	ret = set_terms(pmu, format, terms, true, req);
	shim_pmu_format__close(format);
	if (!ret && req->type == PERF_TYPE_RAW && shim_pmus__several())
		req->reserved[0] = SHIM_REQ_ONE_PMU;
	return ret;
}

/**
 * shim_event__of_pmu() - look up PMU/TERMS/
 * @name: as above, without modes
 * @req: on success, type, config* and reserved are set
 *
 * Return: 0, -ENOENT (no such PMU or event), -EINVAL (bad term or value), -ENAMETOOLONG, -ENOMEM,
 * or another error of reading the kernel's files.
 */
int shim_event__of_pmu(const char *name, struct vcpc_request *req)
{
	char text[SHIM_EVENT_LEN], *terms, *end;
	struct vcpc_request one = *req;
	int ret;

	if (strlen(name) >= sizeof(text))
		return -ENAMETOOLONG;
	strcpy(text, name);
	terms = strchr(text, '/');
	*terms++ = '\0';
	end = strchr(terms, '/');
	if (!end || end[1] || end == terms || !*text || *text == '.')
		return -EINVAL;
	*end = '\0';
	ret = encode(text, terms, &one);
	if (!ret)
		*req = one;
	return ret;
}

/**
 * shim_event__on() - add a core PMU to an event's name
 * @pmu: the PMU's name
 * @name: perf's own name of a hardware event or a raw code, with or without modes
 * @buf: for PMU/NAME/ and the modes
 * @size: of @buf
 *
 * Return: 0, -ENOENT if it is another event or already names its PMU, -ENAMETOOLONG, or an error of
 * shim_event__split().
 */
int shim_event__on(const char *pmu, const char *name, char *buf, size_t size)
{
	char bare[SHIM_EVENT_LEN];
	struct vcpc_request req = { 0 };
	size_t length;
	__u32 modes;
	int ret, n;

	if (strlen(name) >= sizeof(bare))
		return -ENAMETOOLONG;
	strcpy(bare, name);
	ret = shim_event__split(bare, &modes);
	if (ret)
		return ret;
	length = strlen(bare);
	ret = shim_event__parse(bare, &req);
	if (ret || (req.type != PERF_TYPE_HARDWARE && req.type != PERF_TYPE_HW_CACHE &&
		    req.type != PERF_TYPE_RAW) || strpbrk(bare, "/:"))
		return -ENOENT;
	if (req.type == PERF_TYPE_RAW)
		n = snprintf(buf, size, "%s/config=0x%llx/%s", pmu, (unsigned long long)req.config,
			     name + length);
	else
		n = snprintf(buf, size, "%s/%s/%s", pmu, bare, name + length);
	return n >= (int)size ? -ENAMETOOLONG : 0;
}
