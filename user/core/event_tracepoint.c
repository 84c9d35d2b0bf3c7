// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tracepoints, GROUP:NAME as in perf: their numbers are files of tracefs. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event.h"

#define NEWER	"/sys/kernel/tracing/events/"
#define OLDER	"/sys/kernel/debug/tracing/events/"

/* Where tracefs is mounted; older systems have it in debugfs only. */
static const char *const mounts[] = { NEWER, OLDER };

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

/* Open the file that has an event's number: a descriptor, or -errno.  Stacks may be small. */
static int open_id(const char *mount, const char *name)
{
	char path[sizeof(OLDER) + SHIM_EVENT_LEN + sizeof("/id")], *at;
	int fd;

	at = stpcpy(path, mount);
	strcpy(stpcpy(at, name), "/id");
	*strchr(at, ':') = '/';
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	return errno == EACCES || errno == EPERM || errno == ENOTDIR ? -ENOENT : -errno;
}

static int read_id(const char *mount, const char *name, __u64 *id)
{
	int fd = open_id(mount, name), err;
	char text[24];
	ssize_t len;

	if (fd < 0)
		return fd;
	len = read(fd, text, sizeof(text) - 1);
	err = len < 0 ? -errno : 0;
	close(fd);
	if (err)
		return err;
	text[len] = '\0';
	*id = strtoull(text, NULL, 10);
	return *id ? 0 : -ENOENT;
}

/**
 * shim_event__tracepoint() - look up GROUP:NAME in tracefs
 * @name: without modes
 * @req: type and config, the rest untouched; nothing on error
 *
 * Return: 0, -ENOENT (the name has another form, or tracefs, if the caller may read it, has no such
 * event), or why its number could not be read: -EMFILE and the like.
 */
int shim_event__tracepoint(const char *name, struct vcpc_request *req)
{
	int err = -ENOENT;
	__u64 id;

	if (!has_form(name) || strlen(name) >= SHIM_EVENT_LEN)
		return -ENOENT;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]) && err == -ENOENT; i++)
		err = read_id(mounts[i], name, &id);
	if (err)
		return err;
	req->type = PERF_TYPE_TRACEPOINT;
	req->config = id;
	return 0;
}
