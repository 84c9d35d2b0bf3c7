// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Configuration: variables of the environment and of pcp.conf, and what this library is.
 *
 * Threads: the file is read once, under a lock; what it sets becomes part of the
 * environment, as with the original.
 */
#define _GNU_SOURCE	/* asprintf */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"

#define VERSION(a, b, c)	((a) << 16 | (b) << 8 | (c))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool was_read;

static FILE *open_file(void)
{
	const char *path = getenv("PCP_CONF"), *dir = getenv("PCP_DIR");
	char *made;
	FILE *f;

	if (path && *path)
		return fopen(path, "re");
	if (!dir)
		return fopen("/etc/pcp.conf", "re");
	if (asprintf(&made, "%s/etc/pcp.conf", dir) < 0)
		return NULL;
	f = fopen(made, "re");
	free(made);
	return f;
}

static char *unquoted(char *value)
{
	size_t len = strlen(value);

	if (len < 2 || (value[0] != '"' && value[0] != '\'') || value[len - 1] != value[0])
		return value;
	value[len - 1] = '\0';
	return value + 1;
}

/* NAME=value; the environment's own comes first */
static void take_line(char *line)
{
	char *value = strchr(line, '=');

	line[strcspn(line, "\n")] = '\0';
	if (*line == '#' || !value)
		return;
	*value++ = '\0';
	if (*line)
		setenv(line, unquoted(value), 0);
}

static void read_file(void)
{
	char *line = NULL;
	size_t room = 0;
	FILE *f;

	pthread_mutex_lock(&lock);
	f = was_read ? NULL : open_file();
	was_read = true;
	while (f && getline(&line, &room, f) >= 0)
		take_line(line);
	free(line);
	if (f)
		fclose(f);
	pthread_mutex_unlock(&lock);
}

/**
 * pmGetOptionalConfig() - a variable of the environment, or else of pcp.conf
 * @variable: its name
 *
 * The file is the one that PCP_CONF names, etc/pcp.conf in PCP_DIR, or /etc/pcp.conf; it is
 * read once.
 *
 * Return: its value, which belongs to the environment; NULL if it is not set.
 */
SHIM_API char *pmGetOptionalConfig(const char *variable)
{
	char *value = getenv(variable);

	if (value)
		return value;
	read_file();
	return getenv(variable);
}

/**
 * pmGetConfig() - a variable of the environment, or else of pcp.conf
 * @variable: its name
 *
 * Return: its value, "" if it is not set.
 */
SHIM_API char *pmGetConfig(const char *variable)
{
	static char none[1];
	char *value = pmGetOptionalConfig(variable);

	return value ? value : none;
}

/* Neither TLS nor SASL is there. */
static const struct {
	const char *feature;
	const char *value;
} features[] = {
	{ "pcp_version", "6.0.3" },
	{ "pmapi_version", "3" },
	{ "multi_threaded", "true" },
	{ "fault_injection", "false" },
	{ "secure_sockets", "false" },
	{ "ipv6", "true" },
	{ "authentication", "false" },
	{ "unix_domain_sockets", "true" },
	{ "static_probes", "false" },
	{ "service_discovery", "false" },
	{ "multi_archive_contexts", "true" },
	{ "lock_asserts", "false" },
	{ "lock_debug", "false" },
	{ "lzma_decompress", "true" },
	{ "transparent_decompress", "true" },
	{ "compress_suffixes", ".xz .lzma .bz2 .bz .gz .Z .z" },
	{ "v3_archives", "true" },
	{ "archive_features", "" },
};

/**
 * pmGetAPIConfig() - what this library can do
 * @feature: its name in the original
 *
 * Return: "true", "false" or a text; NULL for a name that is none.
 */
SHIM_API const char *pmGetAPIConfig(const char *feature)
{
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		if (!strcmp(features[i].feature, feature))
			return features[i].value;
	return NULL;
}

/** pmGetVersion() - which version of PCP's library this one does as: 0x060003 is 6.0.3 */
SHIM_API int pmGetVersion(void)
{
	return VERSION(6, 0, 3);
}

/**
 * pmGetUsername() - as whom PCP's services run
 * @username: PCP_USER of the configuration, or "pcp"
 *
 * Return: 1 if the configuration says so, 0 if not.
 */
SHIM_API int pmGetUsername(char **username)
{
	static char usual[] = "pcp";
	char *value = pmGetOptionalConfig("PCP_USER");
	int said = value && *value;

	*username = said ? value : usual;
	return said;
}
