// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tracepoints, GROUP:NAME as in perf: their numbers are files of tracefs. */
#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "event.h"

#define PATH_ROOM	512

/* Where tracefs is mounted; older systems have it in debugfs only. */
static const char *const mounts[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

static bool is_word(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("_-", text[i]))
			return false;
	return length != 0;
}

/* Whether a name without modes has the form GROUP:NAME */
static bool has_form(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon && is_word(name, colon - name) && is_word(colon + 1, strlen(colon + 1));
}

/* 0 or -ENOENT */
static int read_id(const char *mount, const char *name, __u64 *id)
{
	int group = (int)strcspn(name, ":");
	unsigned long long number;
	char path[PATH_ROOM];
	FILE *file;
	bool good;

	if (snprintf(path, sizeof(path), "%s/events/%.*s/%s/id", mount, group, name,
		     name + group + 1) >= (int)sizeof(path))
		return -ENOENT;
	file = fopen(path, "re");
	if (!file)
		return -ENOENT;
	good = fscanf(file, "%llu", &number) == 1;
	fclose(file);
	*id = good ? number : 0;
	return good ? 0 : -ENOENT;
}

/**
 * shim_event__tracepoint() - look up GROUP:NAME in tracefs
 * @name: without modes
 * @req: type and config, the rest untouched; nothing on error
 *
 * Return: 0, or -ENOENT (the name has another form, or tracefs, if the caller may read it, has no such
 * event).
 */
int shim_event__tracepoint(const char *name, struct vcpc_request *req)
{
	if (!has_form(name))
		return -ENOENT;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		__u64 id;

		if (read_id(mounts[i], name, &id))
			continue;
		req->type = PERF_TYPE_TRACEPOINT;
		req->config = id;
		return 0;
	}
	return -ENOENT;
}
