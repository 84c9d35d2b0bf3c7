// SPDX-License-Identifier: LGPL-2.1-or-later
/* The fields of a label that describe the writer: process, host, and time zone in two forms. */
#define _GNU_SOURCE
#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "local_zone.h"

/* Whether a zone's name is three or more letters; TZ's syntax requires <> around any other name. */
static bool plain_name(const char *name)
{
	size_t n = 0;

	for (; isalpha((unsigned char)name[n]); n++)
		;
	return n >= 3 && !name[n];
}

/* The zone's name and its offset at @now in TZ's syntax, which counts offsets west of UTC. */
static void fill_tz(struct shim_label *label, time_t now)
{
	struct tm tm;
	long west;
	const char *zone;

	tzset();
	localtime_r(&now, &tm);
	west = -tm.tm_gmtoff;
	zone = tm.tm_zone && tm.tm_zone[0] ? tm.tm_zone : "UTC";
	snprintf(label->tz, sizeof(label->tz), plain_name(zone) ? "%s%s%ld" : "<%s>%s%ld", zone,
		 west < 0 ? "-" : "", labs(west) / 3600);
	if (labs(west) % 3600) {
		size_t len = strlen(label->tz);

		snprintf(label->tz + len, sizeof(label->tz) - len, ":%02ld",
			 labs(west) % 3600 / 60);
	}
}

/* The zone that /etc/localtime links to: the part of the target after "/zoneinfo/" */
static const char *localtime_zone(char *path, size_t size)
{
	ssize_t n = readlink("/etc/localtime", path, size - 1);
	char *zone;

	if (n < 0)
		return NULL;
	path[n] = '\0';
	zone = strstr(path, "/zoneinfo/");
	return zone ? zone + strlen("/zoneinfo/") : NULL;
}

static void fill_zoneinfo(struct shim_label *label)
{
	const char *env = getenv("TZ");
	char path[PATH_MAX];
	const char *zone;

	if (env)
		zone = strchr(env, '/') ? env + (env[0] == ':') : NULL;
	else
		zone = localtime_zone(path, sizeof(path));
	if (zone && zone[0] != '/' && strlen(zone) < sizeof(label->zoneinfo) - 1)
		sprintf(label->zoneinfo, ":%s", zone);
}

/**
 * shim_local_zone__fill() - describe this process and host in an archive's label
 * @label: its pid, host and zones are set; the UTC offset is that of its start, or of now if the
 *	start is 0
 */
void shim_local_zone__fill(struct shim_label *label)
{
	label->pid = getpid();
	if (gethostname(label->host, sizeof(label->host) - 1) || !label->host[0])
		strcpy(label->host, "localhost");
	fill_tz(label, label->start.sec ? label->start.sec : time(NULL));
	fill_zoneinfo(label);
}
