// SPDX-License-Identifier: LGPL-2.1-or-later
/* What an archive says of itself: this host, its time zone, and when the archive starts. */
#define _GNU_SOURCE
#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record.h"

/* Names in TZ's syntax are letters; where there are only digits, <> goes around. */
static bool plain_name(const char *name)
{
	size_t n = 0;

	for (; isalpha((unsigned char)name[n]); n++)
		;
	return n >= 3 && !name[n];
}

/* The offset from UTC as of now, in TZ's syntax: its sign is the other way round. */
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

/* Where /etc/localtime points to, behind ".../zoneinfo/" */
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
 * shim_rec_label__fill() - say who writes an archive, where and when
 * @label: host, zones and start are filled in
 * @start: no record will be earlier
 */
void shim_rec_label__fill(struct shim_label *label, struct shim_ts start)
{
	label->start = start;
	label->pid = getpid();
	if (gethostname(label->host, sizeof(label->host) - 1) || !label->host[0])
		strcpy(label->host, "localhost");
	fill_tz(label, start.sec);
	fill_zoneinfo(label);
}

/**
 * shim_rec_label__context() - say the host also as PCP's tools show it beside values
 * @w: to where
 * @label: as it was filled in
 *
 * Return: 0 or an error of the writer.
 */
int shim_rec_label__context(struct shim_writer *w, const struct shim_label *label)
{
	char text[sizeof(label->host) + 20];
	const char *json = text;
	const struct shim_labels labels = {
		.stamp = label->start,
		.level = SHIM_LEVEL_CONTEXT,
		.ident = SHIM_INDOM_NULL,
		.n = 1,
		.json = &json,
	};

	/* what cannot stand in quotes is no host's name */
	for (const char *p = label->host; *p; p++)
		if (*p == '"' || *p == '\\' || iscntrl((unsigned char)*p))
			return 0;
	snprintf(text, sizeof(text), "{\"hostname\":\"%s\"}", label->host);
	return shim_writer__labels(w, &labels);
}
